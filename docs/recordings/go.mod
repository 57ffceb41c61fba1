// This file keeps the recordings out of the zip of the library, which ends at other modules.
module recordings
