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

// TestFurtherFilesOfOutput are new files that only the user can read: what has such a name
// stays as it is. A device receives all.
func TestFurtherFilesOfOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	second, third := filepath.Join(dir, "part-2.bin"), filepath.Join(dir, "part-3.bin")
	if err := os.WriteFile(second, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		runWithServer(t, "call", "everything", "-o", filepath.Join(dir, "part.bin")).want(t, failure.Usage, runWithServer(t, "call", "everything").stdout, "part-2.bin: file exists")
		if data, err := os.ReadFile(second); string(data) != "mine" {
			t.Errorf("%q, %v", data, err)
		}
		if info, err := os.Stat(third); err != nil || info.Mode() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
	}
	if o := runWithServer(t, "call", "everything", "-o", os.DevNull); o.status != 0 {
		t.Errorf("%+v", o)
	}
	if _, err := os.Stat(os.DevNull + "-2"); err == nil {
		t.Error("there is a file beside the device")
	}
}
