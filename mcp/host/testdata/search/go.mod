// This file keeps the tools out of the zip of the library, which ends at other modules.
module tools
