//go:build unix

package stdio

import (
	"os"
	"syscall"
	"time"
)

// A rawWriter writes to a pipe as much as fits into it at once.
type rawWriter struct {
	conn    syscall.RawConn
	attempt func(fd uintptr) bool // the method tryOnce, as a value made once

	// Of the current write.
	p []byte
	n int
}

// newRawWriter returns nil if the file is in blocking mode.
func newRawWriter(f *os.File) *rawWriter {
	if f.SetWriteDeadline(time.Time{}) != nil {
		return nil
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return nil
	}
	w := &rawWriter{conn: conn}
	w.attempt = w.tryOnce
	return w
}

// TryWrite implements jsonrpc.TryWriter. It leaves every error to the next ordinary
// Write.
func (p *process) TryWrite(b []byte) (int, error) {
	w := p.try
	if w == nil {
		return 0, nil
	}
	if len(b) > usualPipe {
		p.makeRoom()
	}
	p.writing.Lock()
	w.p, w.n = b, 0
	err := w.conn.Write(w.attempt)
	w.p = nil
	p.sent += int64(w.n)
	p.writing.Unlock()
	return w.n, err
}

func (w *rawWriter) tryOnce(fd uintptr) bool {
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
