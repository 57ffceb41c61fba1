package oauth

import (
	"errors"
	"syscall"
)

// errSharing is what another process that has the file open leads to.
const errSharing = syscall.Errno(32) // ERROR_SHARING_VIOLATION

// tryLock opens the file at path for nobody else, or returns nil if somebody
// else has it.
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
