// This file keeps the inputs out of the zip of the library, which ends at other modules.
module fuzz
