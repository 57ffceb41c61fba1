//go:build !unix

package statefile

import (
	"io/fs"
	"runtime"
)

// ownedByUser reports true on systems where the directory decides who may write a
// file. On js it looks at the mode, which files have there on Unix.
func ownedByUser(info fs.FileInfo) bool { return runtime.GOOS != "js" || info.Mode().Perm()&0o022 == 0 }
