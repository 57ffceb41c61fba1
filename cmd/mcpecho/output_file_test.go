package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
)

// TestOutputIsOpenBeforeTheCall: the result of a call that cannot be written is lost.
func TestOutputIsOpenBeforeTheCall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	trace, missing := filepath.Join(dir, "trace"), filepath.Join(dir, "missing", "x")
	for _, args := range [][]string{{"call", "echo", "message=hi"}, {"tools"}, {"read", "echo://text"}, {"ping", "--json"}} {
		runWithServer(t, append(args, "-o", missing, "--trace", trace)...).want(t, failure.Usage, "", filepath.Base(filepath.Dir(missing)))
		if _, err := os.Stat(trace); err == nil {
			t.Fatalf("%q: the server was started", args)
		}
	}
	runWithServer(t, "call", "echo", "message=hi", "-o", dir).want(t, failure.Usage, "", "is a directory")
	// A file stays as it is until there is a result, and is not created without one.
	out := filepath.Join(dir, "out")
	runWithServer(t, "call", "ehco", "message=hi", "-o", out).want(t, failure.Refused, "", "ehco")
	if _, err := os.Stat(out); err == nil {
		t.Error("a file was created without a result")
	}
	for _, test := range []struct {
		tool, want string
		status     int
	}{{"echo", "a longer text\n", 0}, {"ehco", "a longer text\n", failure.Refused}, {"echo", "short\n", 0}} {
		message := test.want[:len(test.want)-1]
		o := runWithServer(t, "call", test.tool, "message="+message, "-o", out)
		if text, err := os.ReadFile(out); o.status != test.status || o.stdout != "" || err != nil || string(text) != test.want {
			t.Errorf("%s: %+v, file %q, %v", test.tool, o, text, err)
		}
	}
}
