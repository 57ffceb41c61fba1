// This file keeps the pictures out of the zip of the library, which ends at other modules.
module pictures
