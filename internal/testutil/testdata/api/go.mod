// This file keeps the exported API out of the zip of the library, which ends at other modules.
module api
