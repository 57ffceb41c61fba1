package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestModule runs the module with its standard input and output connected to a
// server. Compiling it takes time.
func TestModule(t *testing.T) {
	runtime, err := exec.LookPath("wazero")
	if err != nil {
		t.Skip("scripts/test examples installs wazero")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	dir := t.TempDir()
	module, server := filepath.Join(dir, "agent.wasm"), filepath.Join(dir, "server")
	build := exec.CommandContext(ctx, "go", "build", "-o", module, ".")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", server, "github.com/stdmcp/stdmcp/cmd/mcpecho").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	fromServer, toAgent, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromAgent, toServer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	serve := exec.CommandContext(ctx, server, "serve")
	serve.Stdin, serve.Stdout = fromAgent, toAgent
	agent := exec.CommandContext(ctx, runtime, "run", module)
	agent.Stdin, agent.Stdout = fromServer, toServer
	var printed strings.Builder
	agent.Stderr = &printed
	for _, c := range []*exec.Cmd{serve, agent} {
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []io.Closer{fromServer, toAgent, fromAgent, toServer} {
		_ = f.Close() // the processes have theirs
	}
	if err := agent.Wait(); err != nil {
		t.Errorf("the module: %v", err)
	}
	if err := serve.Wait(); err != nil {
		t.Errorf("the server: %v", err)
	}
	if want := "the server has a tool echo\nhello\n"; printed.String() != want {
		t.Errorf("the module prints %q, want %q", printed.String(), want)
	}
}
