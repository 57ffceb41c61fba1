package watchfiles

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// write writes files below the current folder. Each has another length than before.
func write(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("x"); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "server.js", "src/main.go", "config.json", "bin/server", "elsewhere/server.js")
	for _, test := range []struct {
		dir     string
		command []string
		want    []string
	}{
		{"", []string{"node-that-is-not-here", "server.js"}, []string{"server.js"}},
		{"", []string{"./bin/server", "--config=config.json", "serve"}, []string{"bin/server", "config.json"}},
		{"", []string{"no-go", "run", "./src", "./src", "-", "", "x\x00y", "https://example.com/server.js"}, []string{"src"}},
		{"elsewhere", []string{"no-node", "server.js", "src"}, []string{"elsewhere/server.js"}},
		{"", []string{"server.js"}, nil}, // a program without a folder is one of PATH
		{"", []string{"no-go", os.DevNull, "NAME=server.js"}, nil},
		{"", nil, nil},
	} {
		for i := range test.want {
			test.want[i] = filepath.FromSlash(test.want[i])
		}
		if got := Named(test.dir, test.command...); !slices.Equal(got, test.want) {
			t.Errorf("%q in %q names %q, want %q", test.command, test.dir, got, test.want)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(exe))
	if got := Named("", filepath.Base(exe)); !slices.Equal(got, []string{exe}) {
		t.Errorf("a program in PATH: %q", got)
	}
}

// wait runs Wait with one poll after each step, a tenth of a second apart, and returns
// how many it took. Without steps left, the context ends.
func wait(t *testing.T, w *Watcher, steps ...func()) (changed []string, n int, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ticks, done := make(chan time.Time, 1), false
		go func() { // ends with Wait
			changed, err = w.Wait(ctx, ticks)
			done = true
		}()
		now := time.Unix(0, 0)
		for _, step := range steps {
			if synctest.Wait(); done {
				break
			}
			step()
			now = now.Add(100 * time.Millisecond)
			ticks <- now
			n++
		}
		synctest.Wait()
		cancel()
		synctest.Wait()
	})
	return changed, n, err
}

func nothing() {}

func repeat(n int, step func()) []func() { return slices.Repeat([]func(){step}, n) }

func TestWaitUntilFilesAreQuiet(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "server.js", "lib/a.js", "lib/b.js")
	w := New([]string{"server.js", "lib"}, nil)
	edit := func() { write(t, "lib/a.js") }
	// Three changes in a row, then 300 ms without one.
	changed, n, err := wait(t, w, slices.Concat([]func(){nothing, edit, edit, edit}, repeat(9, nothing))...)
	if err != nil || n != 7 || !slices.Equal(changed, []string{filepath.FromSlash("lib/a.js")}) {
		t.Errorf("%q after %d polls, %v", changed, n, err)
	}
	// What changes between two calls is reported by the second one.
	write(t, "server.js", "lib/new.js")
	if err := os.Remove(filepath.FromSlash("lib/b.js")); err != nil {
		t.Fatal(err)
	}
	changed, _, err = wait(t, w, repeat(9, nothing)...)
	if want := []string{filepath.FromSlash("lib/b.js"), filepath.FromSlash("lib/new.js"), "server.js"}; err != nil || !slices.Equal(changed, want) {
		t.Errorf("%q, %v; want %q", changed, err, want)
	}
	if changed, n, err = wait(t, w, repeat(9, nothing)...); !errors.Is(err, context.Canceled) {
		t.Errorf("without a change: %q after %d polls, %v", changed, n, err)
	}
}

// An editor or a build may remove a file before it writes it anew.
func TestWaitForAFileThatIsMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "server")
	w := New([]string{"server"}, nil)
	remove := func() {
		if err := os.Remove("server"); err != nil {
			t.Fatal(err)
		}
	}
	create := func() { write(t, "server"); write(t, "server") }
	changed, n, err := wait(t, w, slices.Concat([]func(){remove}, repeat(20, nothing), []func(){create}, repeat(9, nothing))...)
	if err != nil || n != 25 || len(changed) != 1 {
		t.Errorf("%q after %d polls, %v", changed, n, err)
	}
	if changed, n, err = wait(t, w, slices.Concat([]func(){remove}, repeat(90, nothing))...); err != nil || n != 51 || len(changed) != 1 {
		t.Errorf("removed for good: %q after %d polls, %v", changed, n, err)
	}
}

func TestFilesOfDirectories(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "src/main.go", "src/deep/er/a.PY", "src/data.db", "src/server.log", "src/.git/hook.go", "src/node_modules/m/index.js", "src/__pycache__/a.py", "src/.venv/a.py")
	for _, test := range []struct {
		named, whole []string
		want         int
	}{
		{[]string{"src"}, nil, 2},
		{nil, []string{"src"}, 4},
		{[]string{"src"}, []string{"src"}, 4},
		{[]string{"src/data.db"}, nil, 1},
		{[]string{"none"}, nil, 0},
	} {
		if n, more := New(test.named, test.whole).Files(); n != test.want || more {
			t.Errorf("%q, %q: %d files, more: %t; want %d", test.named, test.whole, n, more, test.want)
		}
	}
}

func TestNumberOfFilesIsLimited(t *testing.T) {
	t.Chdir(t.TempDir())
	for i := range MaxFiles + 10 {
		write(t, filepath.Join("many", strconv.Itoa(i%7), strconv.Itoa(i)+".go"))
	}
	w := New([]string{"many"}, nil)
	n, more := w.Files()
	if n != MaxFiles || !more {
		t.Errorf("%d files, more: %t", n, more)
	}
	// A file that comes into the limit instead of another is not a change.
	write(t, "many/0/new.go", "many/6/new.go")
	if changed, _, err := wait(t, w, repeat(5, nothing)...); !errors.Is(err, context.Canceled) {
		t.Errorf("%q, %v", changed, err)
	}
	for path := range w.seen.files {
		write(t, path)
		if changed, _, err := wait(t, w, repeat(9, nothing)...); err != nil || !slices.Equal(changed, []string{path}) {
			t.Errorf("%q, %v; want %s", changed, err, path)
		}
		break
	}
}
