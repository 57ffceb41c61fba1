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
