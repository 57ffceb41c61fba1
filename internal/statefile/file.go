// Package statefile reads, locks and replaces the files in which programs keep
// state between runs.
package statefile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/internal/buffers"
	"github.com/stdmcp/stdmcp/internal/retry"
)

// lockPoll is the time between two attempts to lock a file.
const lockPoll = 50 * time.Millisecond

// Lock waits for the lock of the file at path, which it creates and which is
// never removed. The system releases the lock if the process dies.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	if isDevice(path) {
		return nil, ErrForeign
	}
	for {
		unlock, err := tryLock(path)
		if err != nil || unlock != nil {
			return unlock, err
		}
		if !retry.Sleep(ctx, lockPoll) {
			return nil, retry.Cause(ctx)
		}
	}
}

// A LargeError means that a file is longer than Max bytes.
type LargeError struct{ Max int }

func (e *LargeError) Error() string {
	return "the file is larger than " + strconv.Itoa(e.Max) + " bytes"
}

// Read returns the content of the file at path, of max bytes at most, or nil if
// the file does not exist. With private, the file must be a regular one that
// belongs to the user and that others cannot write.
func Read(path string, max int, private bool) ([]byte, error) {
	if isDevice(path) {
		return nil, ErrForeign
	}
	if private {
		info, err := os.Lstat(path)
		if err == nil {
			err = checkPrivate(info)
		}
		if err != nil {
			return nil, missing(err)
		}
	}
	var f *os.File
	err := whileBusy(func() (err error) {
		f, err = os.Open(path)
		return err
	})
	if err != nil {
		return nil, missing(err)
	}
	defer f.Close()
	data, err := buffers.ReadUpTo(f, max+1)
	if err != nil {
		return nil, err
	}
	if len(data) > max {
		return nil, &LargeError{max}
	}
	return data, nil
}

// isDevice reports whether the last part of a path is a device for Windows, such as
// aux.json: opening it could block.
func isDevice(path string) bool { return path != "" && !filepath.IsLocal(filepath.Base(path)) }

// missing returns nil if a file does not exist, or else err.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// ErrForeign means that a file is not the user's own.
var ErrForeign = errors.New("the file is not private: it must be a regular file of the user that others cannot write")

func checkPrivate(info fs.FileInfo) error {
	if !info.Mode().IsRegular() || !ownedByUser(info) {
		return ErrForeign
	}
	return nil
}

// MakeDir creates the directory of the file at path with mode 0700.
func MakeDir(path string) error { return os.MkdirAll(filepath.Dir(path), 0o700) }

// Replace writes a file with mode 0600 atomically: readers see the old content or
// the new one. It creates the directory of the file with mode 0700.
func Replace(path string, data []byte) (err error) {
	if isDevice(path) {
		return ErrForeign
	}
	if err = MakeDir(path); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = os.Remove(tmp.Name())
		}
	}()
	if _, err = tmp.Write(data); err != nil {
		return err
	}
	if err = tmp.Sync(); err != nil {
		return err
	}
	if err = tmp.Close(); err != nil {
		return err
	}
	return Rename(tmp.Name(), path)
}

// Rename replaces the file at path by the file at from.
func Rename(from, path string) error {
	return whileBusy(func() error { return os.Rename(from, path) })
}

// busyTime is how long a file may be in use: on Windows, where one that another
// process has open cannot be replaced, and not be opened while it is replaced.
const busyTime = 500 * time.Millisecond

// whileBusy calls f until its error is another than that a file is in use.
func whileBusy(f func() error) error {
	for waited := time.Duration(0); ; waited += busyTime / 50 {
		if err := f(); !isBusy(err) || waited >= busyTime {
			return err
		}
		time.Sleep(busyTime / 50)
	}
}
