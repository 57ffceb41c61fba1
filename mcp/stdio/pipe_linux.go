package stdio

import (
	"os"
	"syscall"
	"time"
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

// readNothing reports whether all that was written to the child, which has exited, is still
// in the pipe. A write that has not ended may wait for another process that could read it.
func (p *process) readNothing() bool {
	_ = p.stdin.SetWriteDeadline(time.Now())
	p.writing.Lock()
	sent := p.sent
	p.writing.Unlock()
	n, known := int32(0), false
	if c, err := p.stdin.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) {
			_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCINQ, uintptr(unsafe.Pointer(&n)))
			known = errno == 0
		})
	}
	return known && int64(n) == sent
}
