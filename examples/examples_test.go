// Package examples has a test of the programs in its folders: scripts/test examples
// runs it.
package examples

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestExamples copies each program out of the repository, builds it, and runs the
// commands in its comment.
func TestExamples(t *testing.T) {
	mains, err := filepath.Glob("*/main.go")
	if err != nil || len(mains) == 0 {
		t.Fatal("no examples found: ", err)
	}
	build(t, ".", mains)
	for _, path := range mains {
		name := filepath.Dir(path)
		t.Run(name, func(t *testing.T) { session(t, path) })
	}
}

// build builds copies of the programs in dir, and mcpecho, and puts them on the
// PATH.
func build(t *testing.T, dir string, mains []string) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	run(t, "..", "go", "build", "-o", bin, "./cmd/mcpecho")
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -mod=mod")
	for _, path := range mains {
		name := filepath.Dir(path)
		copied := filepath.Join(t.TempDir(), name)
		if err := os.CopyFS(copied, os.DirFS(filepath.Join(dir, name))); err != nil {
			t.Fatal(err)
		}
		run(t, copied, "go", "mod", "init", "agent")
		run(t, copied, "go", "mod", "edit", "-require", "github.com/stdmcp/stdmcp@v0.0.0", "-replace", "github.com/stdmcp/stdmcp="+root)
		run(t, copied, "go", "build", "-o", filepath.Join(bin, name), ".")
	}
}

// session runs the commands in the comment of a program and compares the output.
func session(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	comment, _, _ := strings.Cut(string(text), "\npackage ")
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(filepath.Dir(path), "testdata"))); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var command string
	var want []string
	commands := 0
	check := func() {
		if command == "" {
			return
		}
		commands++
		got := run(t, dir, "sh", "-c", command)
		if got := strings.Split(strings.TrimSuffix(got, "\n"), "\n"); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("$ %s\nprints %q\nwant   %q", command, got, want)
		}
		command, want = "", nil
	}
	for line := range strings.SplitSeq(comment, "\n") {
		shown, ok := strings.CutPrefix(line, "//\t")
		next, isCommand := strings.CutPrefix(shown, "$ ")
		switch {
		case isCommand:
			check()
			command = next
		case !ok:
			check()
		case command != "":
			want = append(want, shown)
		}
	}
	check()
	tests, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*_test.go"))
	if err != nil || commands+len(tests) == 0 {
		t.Error("neither a command in the comment nor a test runs this example")
	}
}

// run returns what a command prints to its standard output. A minute is more than
// any example needs.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, &out, &errs)
	}
	return out.String()
}
