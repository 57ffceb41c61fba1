//go:build unix

package outfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func write(t *testing.T, path string, mode os.FileMode) string {
	t.Helper()
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// sharedFolder is like /tmp.
func sharedFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A file that another user may have planted is refused, and keeps what it holds.
func TestPlantedFiles(t *testing.T) {
	shared, own := sharedFolder(t), t.TempDir()
	link := func(to, at string) string {
		if err := os.Symlink(to, at); err != nil {
			t.Fatal(err)
		}
		return at
	}
	target := write(t, filepath.Join(own, "target"), 0o600)
	second := write(t, filepath.Join(shared, "second"), 0o600)
	if err := os.Link(second, filepath.Join(shared, "hard")); err != nil {
		t.Fatal(err)
	}
	planted := map[string]string{
		write(t, filepath.Join(shared, "open"), 0o666):                                            "others may write it",
		write(t, filepath.Join(own, "open"), 0o602):                                               "others may write it",
		link(target, filepath.Join(shared, "link")):                                               "is a link in a folder that others may write",
		link(filepath.Join(own, "none"), filepath.Join(shared, "d")):                              "is a link in a folder that others may write",
		filepath.Join(link(own, filepath.Join(shared, "dir")), "target"):                          "is a link in a folder that others may write",
		link(filepath.Join(shared, "link"), filepath.Join(own, "further")):                        "is a link in a folder that others may write",
		filepath.Join(link(filepath.Join(shared, "dir"), filepath.Join(own, "folder")), "target"): "is a link in a folder that others may write",
		filepath.Join(shared, "hard"):                                                             "it has several names",
	}
	if os.Geteuid() == 0 {
		foreign := write(t, filepath.Join(shared, "foreign"), 0o600)
		if err := os.Chown(foreign, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		planted[foreign] = "it belongs to another user"
	}
	for path, want := range planted {
		f, _, err := Open(t.Context(), path, 0)
		if err == nil {
			_ = f.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
		if data, err := os.ReadFile(path); err == nil && string(data) != "old" {
			t.Errorf("%s has %q", path, data)
		}
		if _, err := os.Stat(path); err == nil && Check(path) == nil {
			t.Errorf("Check accepts %s", path)
		}
	}
	if _, err := os.Stat(filepath.Join(own, "none")); err == nil {
		t.Error("a file was created through a link")
	}
}

func TestOwnFiles(t *testing.T) {
	shared, own := sharedFolder(t), t.TempDir()
	link := filepath.Join(own, "link")
	if err := os.Symlink(write(t, filepath.Join(own, "a"), 0o644), link); err != nil {
		t.Fatal(err)
	}
	beyond := filepath.Join(own, "beyond")
	if err := os.Symlink(write(t, filepath.Join(shared, "d"), 0o600), beyond); err != nil {
		t.Fatal(err)
	}
	for path, existed := range map[string]bool{
		beyond: true,
		link:   true, write(t, filepath.Join(own, "b"), 0o664): true, write(t, filepath.Join(shared, "c"), 0o644): true, filepath.Join(shared, "new"): false,
	} {
		f, created, err := Open(t.Context(), path, 0)
		if err != nil || created == existed || Check(path) != nil {
			t.Fatalf("%s: created %t, %v", path, created, err)
		}
		if info, err := f.Stat(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
		_ = f.Close()
	}
	for _, device := range []string{os.DevNull, "/dev/stderr"} {
		if f, _, err := Open(t.Context(), device, 0); err == nil {
			_ = f.Close()
		} else if !os.IsPermission(err) && device == os.DevNull {
			t.Error(err)
		}
	}
}

// TestPipeOfAnotherUser: Open does not wait for its reader, but refuses it.
func TestPipeOfAnotherUser(t *testing.T) {
	path := filepath.Join(sharedFolder(t), "pipe")
	if os.Geteuid() != 0 {
		t.Skip("did not run: only root can plant it")
	}
	if err := errors.Join(syscall.Mkfifo(path, 0o666), os.Chown(path, 12345, 12345)); err != nil {
		t.Skip("did not run: root may not give files away here: ", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Open(ctx, path, 0); err == nil || !strings.Contains(err.Error(), "it belongs to another user") {
		t.Error(err)
	}
}
