//go:build unix

package statefile_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stdmcp/stdmcp/internal/statefile"
)

// TestOnlyRegularFilesAreRead: nothing else is waited for, with or without private.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(fifo, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fifo, link, dir, os.DevNull} {
		for _, private := range []bool{false, true} {
			if data, err := statefile.Read(path, 10, private); !errors.Is(err, statefile.ErrForeign) {
				t.Errorf("%s: %q, %v", path, data, err)
			}
		}
	}
}
