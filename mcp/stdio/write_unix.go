//go:build unix

package stdio

import (
	"os"
	"syscall"
	"time"
)

// A nonblockingWriter writes to a pipe as much as fits into it at once.
type nonblockingWriter struct {
	conn    syscall.RawConn
	attempt func(fd uintptr) bool // the method tryOnce, as a value made once

	// Of the current write.
	p []byte
	n int
}

func (w *nonblockingWriter) open(f *os.File) {
	if f.SetWriteDeadline(time.Time{}) != nil {
		return // the file is in blocking mode
	}
	w.conn, _ = f.SyscallConn()
	w.attempt = w.tryOnce
}

// write returns how much of p was written. It leaves every error to the next
// ordinary Write.
func (w *nonblockingWriter) write(p []byte) (int, error) {
	if w.conn == nil {
		return 0, nil
	}
	w.p, w.n = p, 0
	err := w.conn.Write(w.attempt)
	w.p = nil
	return w.n, err
}

func (w *nonblockingWriter) tryOnce(fd uintptr) bool {
	n, err := syscall.Write(int(fd), w.p)
	if err == nil {
		w.n = n
	}
	return true // do not wait
}

// closeInput closes the file that Write writes to, which ends a Write.
func closeInput(f *os.File) (wait func()) {
	_ = f.Close()
	return func() {}
}
