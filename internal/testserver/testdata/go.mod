// This file keeps the transcripts out of the zip of the library, which ends at other modules.
module testdata
