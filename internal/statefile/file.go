// Package statefile reads, locks and replaces the files in which programs keep
// state between runs.
package statefile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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

// Read returns the content of the regular file at path, of max bytes at most, or nil if
// the file does not exist. With private, the file must be no link, belong to the user, and
// others must not be able to write it.
func Read(path string, max int, private bool) ([]byte, error) {
	look := os.Stat
	if private {
		look = os.Lstat
	}
	f, info, err := open(path, look)
	if err != nil {
		return nil, missing(err)
	}
	defer f.Close()
	if private && !ownedByUser(info) {
		return nil, ErrForeign
	}
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

// readTime limits how long the content of a file of the system, such as /proc/kmsg, may
// not be there yet. It has no effect on others.
const readTime = 5 * time.Second

// Open opens a regular file to read it. It opens nothing else, as a pipe may have no
// writer, and a device no end.
func Open(path string) (*os.File, error) {
	f, _, err := open(path, os.Stat)
	return f, err
}

// open opens the file that look finds. Another one may take its place before it is
// open, so open does not wait for the writer of a pipe, and looks again.
func open(path string, look func(string) (fs.FileInfo, error)) (*os.File, fs.FileInfo, error) {
	foreign := &os.PathError{Op: "open", Path: path, Err: errNotRegular}
	if isDevice(path) {
		return nil, nil, foreign
	}
	info, err := look(path)
	if err != nil {
		return nil, nil, &os.PathError{Op: "open", Path: path, Err: errors.Unwrap(err)}
	}
	if !info.Mode().IsRegular() {
		return nil, nil, foreign
	}
	var f *os.File
	if err := whileBusy(func() (err error) {
		f, err = os.OpenFile(path, os.O_RDONLY|nonblock, 0)
		return err
	}); err != nil {
		return nil, nil, err
	}
	now, err := f.Stat()
	if err == nil && !now.Mode().IsRegular() {
		err = foreign
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	_ = f.SetReadDeadline(time.Now().Add(readTime))
	return f, now, nil
}

type notRegularError string

func (e notRegularError) Error() string { return string(e) }

// Is reports that what is not regular is not the user's own file.
func (notRegularError) Is(target error) bool { return target == ErrForeign }

const errNotRegular = notRegularError("not a regular file")

// IsPrivateDir reports whether path is a directory of the user, not a link, that no one
// else can use. Windows has no modes: there, the directory that it is in decides.
func IsPrivateDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir() && ownedByUser(info) && (runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0)
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
