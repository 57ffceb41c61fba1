package statefile_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/statefile"
)

// TestOpenFileIsReplaced: another process has the file open for a moment, as a
// virus scanner does, with and without letting others read it.
func TestOpenFileIsReplaced(t *testing.T) {
	t.Parallel()
	for _, share := range []uint32{0, syscall.FILE_SHARE_READ} {
		path := filepath.Join(t.TempDir(), "state")
		if err := statefile.Replace(path, []byte("one")); err != nil {
			t.Fatal(err)
		}
		name, err := syscall.UTF16PtrFromString(path)
		if err != nil {
			t.Fatal(err)
		}
		h, err := syscall.CreateFile(name, syscall.GENERIC_READ, share, nil, syscall.OPEN_EXISTING, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(20*time.Millisecond, func() { _ = syscall.CloseHandle(h) })
		if data, err := statefile.Read(path, 10, false); string(data) != "one" || err != nil {
			t.Errorf("%q, %v", data, err)
		}
		if err := statefile.Replace(path, []byte("two")); err != nil {
			t.Error(err)
		}
	}
}

// TestDevicesAreNoFiles: opening a device would block, or report an error that does not
// help the user.
func TestDevicesAreNoFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"CON", "nul", "aux.json", "com1", "LPT1.txt"} {
		path := filepath.Join(dir, name)
		if err := statefile.Replace(path, []byte("x")); !errors.Is(err, statefile.ErrForeign) {
			t.Errorf("%s is replaced: %v", name, err)
		}
		if data, err := statefile.Read(path, 10, false); !errors.Is(err, statefile.ErrForeign) {
			t.Errorf("%s is read: %q, %v", name, data, err)
		}
		if _, err := statefile.Lock(t.Context(), path+".lock"); !errors.Is(err, statefile.ErrForeign) {
			t.Errorf("%s is locked: %v", name, err)
		}
	}
}
