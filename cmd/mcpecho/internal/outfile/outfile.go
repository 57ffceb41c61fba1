// Package outfile opens the files that mcpecho writes, which may hold what only the user
// should read.
package outfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/input"
)

// Open opens a file for writing, and reports whether it has created it. What an existing
// file holds stays. A regular file gets mode 0600. Open refuses a file that belongs to
// another user or that others may write, and one that is reached by a link in a folder that
// others may write: another user could have put it there to read the session. A pipe needs a
// reader, for which Open waits until ctx is done.
func Open(ctx context.Context, path string, flag int) (f *os.File, created bool, err error) {
	f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|flag, 0o600)
	if err == nil || !errors.Is(err, fs.ErrExist) {
		return f, err == nil, err
	}
	shared, err := check(path) // before a pipe of another user waits for its reader
	if err != nil {
		return nil, false, err
	}
	if shared {
		flag |= noFollow
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
	}
	if f, err = input.Await(ctx, func() (*os.File, error) { return os.OpenFile(path, os.O_WRONLY|flag, 0) }); err != nil {
		return nil, false, err
	}
	if err = adopt(f, shared); err != nil {
		_ = f.Close()
		return nil, false, err
	}
	return f, false, nil
}

// Check returns the error of Open for an existing file, without opening it.
func Check(path string) error {
	if _, err := os.Stat(path); err != nil {
		return nil // Open says so
	}
	_, err := check(path)
	return err
}

func check(path string) (shared bool, err error) {
	if shared, err = checkParts(path, path); err != nil {
		return shared, err
	}
	info, err := os.Stat(path)
	if err == nil {
		err = refuse(path, info, shared)
	}
	return shared, err
}

// adopt makes an existing file one that only the user can read.
func adopt(f *os.File, shared bool) error {
	info, err := f.Stat()
	if err == nil {
		err = refuse(f.Name(), info, shared)
	}
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm() == 0o600 {
		return err
	}
	return f.Chmod(0o600)
}

// refuse returns the error for a file of another user, or one that others may write.
// Devices, such as the null device, belong to the system.
func refuse(path string, info fs.FileInfo, shared bool) error {
	own, one := owner(info)
	switch mode := info.Mode(); {
	case mode&fs.ModeDevice != 0:
		return nil
	case !own:
		return refused(path, "it belongs to another user")
	case mode.IsRegular() && mode.Perm()&0o002 != 0:
		return refused(path, "others may write it")
	case mode.IsRegular() && shared && !one:
		return refused(path, "it has several names, and others may write to its folder")
	}
	return nil
}

// checkParts returns an error if a part of the path is a link in a folder that others may
// write, and reports whether the file is in such a folder. The user's path named leads to it.
func checkParts(path, named string) (shared bool, err error) {
	for part := filepath.Clean(path); ; part = filepath.Dir(part) {
		folder := filepath.Dir(part)
		info, err := os.Stat(folder)
		if err != nil {
			return shared, err
		}
		open := isShared(info)
		if part == filepath.Clean(path) {
			shared = open
		}
		if link, err := os.Lstat(part); err == nil && link.Mode()&fs.ModeSymlink != 0 {
			if open {
				return shared, refused(named, part+" is a link in a folder that others may write")
			}
			beyond, err := checkTarget(part, folder, named)
			if err != nil {
				return shared, err
			}
			shared = shared || beyond && part == filepath.Clean(path)
		}
		if folder == part || folder == "." {
			return shared, nil
		}
	}
}

// checkTarget is checkParts for what a link in a folder leads to.
func checkTarget(link, folder, named string) (shared bool, err error) {
	if _, err := os.Stat(link); err != nil { // links in a circle, too
		return false, err
	}
	to, err := os.Readlink(link)
	if err == nil && !filepath.IsAbs(to) {
		to = filepath.Join(folder, to)
	}
	if err != nil {
		return false, err
	}
	return checkParts(to, named)
}

func refused(path, why string) error {
	return &fs.PathError{Op: "write", Path: path, Err: errors.New(why + "; use another file")}
}
