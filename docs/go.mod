// This file keeps the pages out of the zip of the library, which ends at other modules.
module docs
