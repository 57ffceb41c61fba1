//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package statefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFileBecomesPipe: a pipe takes the place of a file after a look at its name.
func TestFileBecomesPipe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := open(path, func(string) (fs.FileInfo, error) {
		info, err := os.Stat(path)
		if err == nil {
			err = errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600))
		}
		return info, err
	})
	if !errors.Is(err, ErrForeign) {
		t.Errorf("have %v", err)
	}
}

// TestLockThroughLink: a link in the place of a lock creates no file elsewhere.
func TestLockThroughLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, other := filepath.Join(dir, "lock"), filepath.Join(dir, "other")
	if err := os.Symlink(other, lock); err != nil {
		t.Fatal(err)
	}
	if unlock, err := Lock(t.Context(), lock); err == nil {
		unlock()
		t.Error("it is locked")
	}
	if _, err := os.Lstat(other); err == nil {
		t.Error("a file was created through the link")
	}
}
