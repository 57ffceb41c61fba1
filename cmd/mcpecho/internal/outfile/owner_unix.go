//go:build unix

package outfile

import (
	"io/fs"
	"os"
	"syscall"
)

const noFollow = syscall.O_NOFOLLOW

// owner reports whether a file belongs to the user, and whether it has one name.
func owner(info fs.FileInfo) (own, one bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Geteuid(), !ok || stat.Nlink <= 1
}

// isShared reports whether others may add names to a folder.
func isShared(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return info.Mode().Perm()&0o002 != 0 || ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid()
}
