package statefile

import (
	"errors"
	"syscall"
)

// nonblock has no effect: this system has no pipes among its files.
const nonblock = 0

// errSharing is the error when the file is already open without sharing.
const errSharing = syscall.Errno(32) // ERROR_SHARING_VIOLATION

// tryLock opens the file at path without sharing. It returns nil if the file is
// open already.
func tryLock(path string) (unlock func(), err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const share = 0
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, share, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errSharing) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = syscall.CloseHandle(h) }, nil
}

// isBusy reports whether err may mean that another process has a file open.
func isBusy(err error) bool {
	return errors.Is(err, errSharing) || errors.Is(err, syscall.ERROR_ACCESS_DENIED)
}
