// This file keeps the tables out of the zip of the library, which ends at other modules.
module tables
