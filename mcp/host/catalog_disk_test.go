//go:build linux

package host_test

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
)

// catalogEnv passes the path of a catalog to a child process that runs the same
// test.
const catalogEnv = "STDMCP_TEST_CATALOG"

// unprivileged is a user that owns nothing else.
const unprivileged = 65534

// TestCatalogOnAFullDisk: a limit on the size of files stands for the full disk.
func TestCatalogOnAFullDisk(t *testing.T) {
	testCatalogThatCannotBeWritten(t, "file too large", func() error {
		signal.Ignore(syscall.SIGXFSZ)
		return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1000, Max: 1000})
	})
}

func TestCatalogInAReadOnlyDirectory(t *testing.T) {
	testCatalogThatCannotBeWritten(t, "permission denied", func() error {
		path := os.Getenv(catalogEnv)
		if os.Getuid() != 0 {
			return os.Chmod(filepath.Dir(path), 0o500)
		}
		for _, name := range []string{path, path + ".lock", filepath.Dir(path)} {
			if err := os.Chown(name, unprivileged, unprivileged); err != nil {
				return err
			}
		}
		for dir, n := filepath.Dir(filepath.Dir(path)), 0; n < 2; dir, n = filepath.Dir(dir), n+1 {
			if err := os.Chmod(dir, 0o711); err != nil { // made by TempDir
				return err
			}
		}
		return errors.Join(os.Chmod(filepath.Dir(path), 0o500), syscall.Setgroups(nil), syscall.Setgid(unprivileged), syscall.Setuid(unprivileged))
	})
}

// testCatalogThatCannotBeWritten runs the test again in a child process, in which
// prevent makes a catalog with the server a unwritable. The host must show what it
// contains, connect to the server b, report the reason and leave the file alone.
func testCatalogThatCannotBeWritten(t *testing.T, reason string, prevent func() error) {
	if path := os.Getenv(catalogEnv); path != "" {
		if err := prevent(); err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) { useUnwritableCatalog(t, path, reason) })
		return
	}
	t.Parallel()
	path := catalogPath(t)
	synctest.Test(t, func(t *testing.T) { fakes{"a": newFake(nil)}.fill(t, path) })
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Dir(path), 0o700) }) // so that it can be removed
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), catalogEnv+"="+path)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("%v\n%s", err, out)
	}
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(before) {
		t.Errorf("%v: the file has %d bytes, want the %d bytes from before", err, len(after), len(before))
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 2 {
		t.Errorf("%v, %v: want the catalog and its lock", files, err)
	}
}

func useUnwritableCatalog(t *testing.T, path, reason string) {
	fs := fakes{"a": newFake(nil), "b": newFake(nil)}
	h, events := fs.withBrokenCatalog(path)
	if err := h.SetServers(t.Context(), fs.servers()).Err(); err != nil {
		t.Fatal(err)
	}
	if fs["a"].opened() != 0 || fs["b"].opened() != 1 || h.Tool("mcp__a__echo") == nil {
		t.Errorf("%d and %d connections, %d tools", fs["a"].opened(), fs["b"].opened(), len(h.Tools()))
	}
	for _, name := range []string{"mcp__a__echo", "mcp__b__echo"} {
		if text, err := h.Execute(t.Context(), name, raw(`{"message":"hi"}`)); text != "hi" || err != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if err := h.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	reports := catalogReports(events)
	all := strings.Join(reports, "\n")
	if len(reports) == 0 || len(reports) > 3 || !strings.Contains(all, path) || !strings.Contains(all, " is not written: ") || !strings.Contains(all, reason) {
		t.Errorf("%q", reports)
	}
}
