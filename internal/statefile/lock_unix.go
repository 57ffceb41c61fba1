//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package statefile

import (
	"errors"
	"os"
	"syscall"
)

// nonblock opens a pipe without waiting for its writer.
const nonblock = syscall.O_NONBLOCK

// tryLock locks the file at path, through no link, which could make it create another file.
// It returns nil if the file is locked already.
func tryLock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	switch err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case err == nil:
		return func() { _ = f.Close() }, nil
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		err = nil
	}
	_ = f.Close()
	return nil, err
}
