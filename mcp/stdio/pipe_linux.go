package stdio

import (
	"os"
	"syscall"
)

// F_SETPIPE_SZ and F_GETPIPE_SZ, commands of fcntl that package syscall lacks.
const (
	setPipeSize = 1031
	getPipeSize = 1032
)

// growPipe makes a pipe hold at least longPipe bytes. The kernel refuses that if all
// pipes of the user hold too much already; the pipe then works as before.
func growPipe(f *os.File) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) {
			if n, _, _ := syscall.Syscall(syscall.SYS_FCNTL, fd, getPipeSize, 0); n < longPipe {
				_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, fd, setPipeSize, longPipe)
			}
		})
	}
}
