// This file keeps the sources of the packed page out of the zip of the library, which ends at other modules.
module page
