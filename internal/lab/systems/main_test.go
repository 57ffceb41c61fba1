package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheck: a file of another system has a mistake, and so has a test of it.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example\n\ngo 1.25\n")
	write("a.go", "package a\n\nimport \"os\"\n\nvar A = os.Args\n")
	write("b/b.go", "package b\n\nimport \"example\"\n\nfunc B() int { return len(a.A) }\n")
	write("b/b_plan9.go", "package b\n\nfunc C() string { return B() }\n")
	write("b/b_windows_test.go", "package b_test\n\nimport \"example/b\"\n\nvar _ string = b.B()\n")
	t.Chdir(dir)
	for _, c := range []struct {
		target string
		tests  bool
		want   string // in the error; empty for none
	}{
		{"linux/arm", true, ""},
		{"plan9/amd64", true, "b_plan9.go:3:26: cannot use B()"},
		{"windows/amd64", true, "b_windows_test.go:5:16: cannot use b.B()"},
		{"windows/amd64", false, ""},
		{"windows", true, `"windows" is not GOOS/GOARCH`},
	} {
		err := check(c.target, c.tests)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, tests %t: %v", c.target, c.tests, err)
		}
	}
}
