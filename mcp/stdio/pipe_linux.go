package stdio

import (
	"os"
	"syscall"
	"unsafe"
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

// unreadBytes returns how many bytes a pipe holds, or -1 if that is unknown.
func unreadBytes(f *os.File) int64 {
	n, known := int32(0), false
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) {
			_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ, uintptr(unsafe.Pointer(&n)))
			known = errno == 0
		})
	}
	if !known {
		return -1
	}
	return int64(n)
}
