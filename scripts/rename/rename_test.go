package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestProgramCompilesWithTheOtherVersion rewrites a program of 0.1 that is checked
// against the old and against the new version, and builds the result with the new one.
func TestProgramCompilesWithTheOtherVersion(t *testing.T) {
	want := read(t, "testdata/program/after.txt")
	for _, version := range []string{"old", "new"} {
		dir, lib := programDir(t)
		copyTree(t, filepath.Join("testdata", version), lib)
		out := rename(t, dir)
		got := read(t, filepath.Join(dir, "main.go"))
		if got != want {
			t.Errorf("checked against the %s version:\n%s", version, got)
		}
		if !strings.Contains(out, "Host.Enable: SetEnabled") {
			t.Errorf("checked against the %s version, the program does not report Host.Enable:\n%s", version, out)
		}
		copyTree(t, "testdata/new", lib)
		if out, err := build(dir); err != nil && !strings.Contains(out, "a.Enable undefined") {
			t.Errorf("the result does not compile: %v\n%s", err, out)
		}
		if rename(t, dir); read(t, filepath.Join(dir, "main.go")) != got {
			t.Errorf("a second run changes\n%s", read(t, filepath.Join(dir, "main.go")))
		}
	}
}

// TestRepository rewrites the declarations of a repository, its tests, comments and
// documents, and moves a package.
func TestRepository(t *testing.T) {
	root := t.TempDir()
	copyTree(t, "testdata/old", root)
	for _, dir := range []string{"examples", "internal/lab"} {
		writeFile(t, filepath.Join(root, dir, "go.mod"), "module "+module+"/"+dir+"\n\ngo 1.25\n")
	}
	writeFile(t, filepath.Join(root, "docs/host.md"), "See `Options.Intercept`, `mcp/host/skills` and [Host.Agent](x).\n\n```go\nv := h.Agent()\n```\n\n```go\n// not stdmcp\nv := h.Agent()\n```\n")
	run := func() {
		r := &rewriter{out: io.Discard, changed: make(map[string][]byte)}
		if err := r.repository(root); err != nil {
			t.Fatal(err)
		}
	}
	run()
	for path, wants := range map[string][]string{
		"mcp/host/host.go": {
			"func (h *Host) View(servers ...string) *View",
			"// View returns a view, as [View.View] does.",
			"CategoryTool ",
			"type Dialer func(context.Context, *DialParams) (mcp.Transport, error)",
		},
		"mcp/host/skillset/skills.go":      {"package skillset\n"},
		"mcp/host/skillset/skills_test.go": {"package skillset_test\n", `"github.com/stdmcp/stdmcp/mcp/host/skillset"`, "skillset.New()"},
		"mcp/mcp.go":                       {"func WithoutCache(", "// WithoutCache returns"},
		"docs/host.md":                     {"`Options.Interceptors`, `mcp/host/skillset` and [Host.View](x)", "```go\nv := h.View()\n```", "// not stdmcp\nv := h.Agent()"},
	} {
		text := read(t, filepath.Join(root, path))
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %q:\n%s", path, want, text)
			}
		}
	}
	before := read(t, filepath.Join(root, "mcp/host/host.go"))
	if run(); read(t, filepath.Join(root, "mcp/host/host.go")) != before {
		t.Error("a second run changes the repository")
	}
}

// TestTableIsInTheDocument compares docs/upgrading.md with the table.
func TestTableIsInTheDocument(t *testing.T) {
	if text := read(t, "../../docs/upgrading.md"); !strings.Contains(text, markdown()) {
		t.Errorf("docs/upgrading.md lacks the output of go run ./scripts/rename -table:\n%s", markdown())
	}
}

func TestCommandLineErrors(t *testing.T) {
	for _, args := range [][]string{{}, {"-self", "a", "b"}, {"-no"}, {t.TempDir() + "/missing"}} {
		if err := run(args, io.Discard); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}

// programDir returns the folder of a program, and that of the library that it uses.
func programDir(t *testing.T) (dir, lib string) {
	t.Helper()
	lib, dir = t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/program\n\ngo 1.25\n\nrequire "+module+" v0.1.0\n\nreplace "+module+" => "+lib+"\n")
	writeFile(t, filepath.Join(dir, "main.go"), read(t, "testdata/program/before.txt"))
	return dir, lib
}

func rename(t *testing.T, dir string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run([]string{dir + "/..."}, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func build(dir string) (string, error) {
	cmd := exec.Command("go", "vet", ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// copyTree replaces the folder to with the files of from, which are named *.go.txt.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(to, "go.mod"), "module "+module+"\n\ngo 1.25\n")
	for section := range strings.SplitSeq(read(t, from+".txt"), "-- ") {
		if name, text, ok := strings.Cut(section, " --\n"); ok {
			writeFile(t, filepath.Join(to, name), text)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
