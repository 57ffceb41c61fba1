// This file keeps what the command prints out of the zip of the library, which ends at other modules.
module testdata
