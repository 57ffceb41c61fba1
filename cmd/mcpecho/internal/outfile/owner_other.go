//go:build !unix

package outfile

import "io/fs"

const noFollow = 0

// owner reports true: on this system the folder decides who may write a file.
func owner(fs.FileInfo) (own, one bool) { return true, true }

func isShared(fs.FileInfo) bool { return false }
