//go:build unix

package stdio

import (
	"os"
	"syscall"
	"time"
)

// direct writes to a pipe without waiting until there is room in it.
type direct struct {
	conn  syscall.RawConn
	begin func(fd uintptr) bool // the method once, made beforehand

	// Of the write under way.
	p []byte
	n int
}

func (d *direct) open(f *os.File) {
	if f.SetWriteDeadline(time.Time{}) != nil {
		return // writing may wait in the kernel
	}
	d.conn, _ = f.SyscallConn()
	d.begin = d.once
}

// write returns how much of p was written. Whatever prevents more is left to
// the next ordinary Write.
func (d *direct) write(p []byte) (int, error) {
	if d.conn == nil {
		return 0, nil
	}
	d.p, d.n = p, 0
	err := d.conn.Write(d.begin)
	d.p = nil
	return d.n, err
}

func (d *direct) once(fd uintptr) bool {
	n, err := syscall.Write(int(fd), d.p)
	if err == nil {
		d.n = n
	}
	return true // don't wait
}
