package statefile_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/statefile"
)

func TestReplaceAndRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a", "b", "state")
	if data, err := statefile.Read(path, 10, true); data != nil || err != nil {
		t.Fatalf("a missing file: %q, %v", data, err)
	}
	for _, text := range []string{"one", "two"} {
		if err := statefile.Replace(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if data, err := statefile.Read(path, 3, true); string(data) != text || err != nil {
			t.Errorf("%q, %v", data, err)
		}
	}
	var large *statefile.LargeError
	if _, err := statefile.Read(path, 2, true); !errors.As(err, &large) {
		t.Error(err)
	}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "wasip1" {
		return // files have no mode
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := statefile.Read(path, 10, true); !errors.Is(err, statefile.ErrForeign) {
		t.Errorf("a file that others can write: %v", err)
	}
	link := path + ".link"
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, err := statefile.Read(link, 10, true); !errors.Is(err, statefile.ErrForeign) {
		t.Errorf("a link: %v", err)
	}
}

func TestReplaceLeavesNothingBehindWhenItFails(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state")
	if err := os.MkdirAll(filepath.Join(path, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := statefile.Replace(path, []byte("x")); err == nil {
		t.Error("replaced a directory")
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
}

func TestLockExcludesOthers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			unlock, err := statefile.Lock(context.Background(), path+".lock")
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			data, _ := statefile.Read(path, 10, false)
			n, _ := strconv.Atoi(string(data))
			if err := statefile.Replace(path, []byte(strconv.Itoa(n+1))); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if data, _ := statefile.Read(path, 10, false); string(data) != "4" {
		t.Errorf("%s increments", data)
	}
	unlock, err := statefile.Lock(context.Background(), path+".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := statefile.Lock(ctx, path+".lock"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a locked file: %v", err)
	}
}
