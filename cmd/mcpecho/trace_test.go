package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
)

func TestTracePermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace")
	runWithServer(t, "call", "echo", `{"message":"hi","api_key":"hunter2"}`, "--trace", path)
	data, err := os.ReadFile(path)
	if err != nil || bytes.Contains(data, []byte("hunter2")) || !bytes.Contains(data, []byte(`"dir":"send"`)) {
		t.Errorf("%s, %v", data, err)
	}
	info, err := os.Stat(path)
	if err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	runWithServer(t, "ping", "--trace", filepath.Join(path, "none")).want(t, failure.Usage, "", "none")
}
