package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// TestStandardOutputIsChecked before the tool is called: its result could not be delivered.
func TestStandardOutputIsChecked(t *testing.T) {
	t.Parallel()
	s := mcptest.New(t)
	s.Tool("change", nil, func(*mcptest.Call) (any, error) { return "done", nil })
	url := s.StartHTTP(nil).URL
	call := func(out *os.File, args ...string) (int, string) {
		var stderr bytes.Buffer
		status := run(t.Context(), append([]string{"call", url, "change"}, args...), &environment{
			stdin: strings.NewReader(""), stdout: out, stderr: &stderr, getenv: func(string) string { return "" }, name: "mcpecho"})
		return status, stderr.String()
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	readOnly, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer readOnly.Close()
	for out, want := range map[*os.File]string{full: "no space left on device", readOnly: "bad file descriptor"} {
		if status, stderr := call(out); status != failure.Usage || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s", out.Name(), status, stderr)
		}
	}
	s.WantCalls("change", 0)
	// A result in a file needs no standard output.
	if status, stderr := call(readOnly, "-o", os.DevNull); status != 0 {
		t.Errorf("status %d, %s", status, stderr)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if status, stderr := call(null); status != 0 {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// TestFurtherFilesOfOutput are written as the file of -o is: only the user can read them,
// and one that others may write is refused.
func TestFurtherFilesOfOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	second := filepath.Join(dir, "part-2.bin")
	call := func() result { return runWithServer(t, "call", "everything", "-o", filepath.Join(dir, "part.bin")) }
	if o := call(); o.status != 0 {
		t.Errorf("%+v", o)
	}
	if info, err := os.Stat(second); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := os.Chmod(second, 0o606); err != nil {
		t.Fatal(err)
	}
	call().want(t, failure.Usage, "", "part-2.bin: others may write it")
}
