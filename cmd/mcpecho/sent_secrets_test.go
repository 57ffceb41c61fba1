package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// TestSecretArguments: a server repeats a secret argument in a text. Only raw prints it;
// mcpecho masks it in all other output and in files.
func TestSecretArguments(t *testing.T) {
	t.Parallel()
	s := mcptest.New(t)
	s.Tool("login", mcp.RawMessage(`{"type":"object","properties":{"password":{"type":"string"},"key":{}}}`), func(c *mcptest.Call) (any, error) {
		res := &mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent(`welcome "` + c.Text("password") + `" to ` + c.Text("key"))}}
		if c.Text("password") == "12345" {
			res.StructuredContent = mcp.RawMessage(`{"n":12345}`)
		}
		return res, nil
	})
	s.Prompt("p", func(c *mcptest.Call) (any, error) { return "use " + c.Text("token"), nil }, "token")
	url := s.StartHTTP(nil).URL
	const note = "The value of an argument that may be a secret is shown as ***; the command \"raw\" hides nothing.\n"
	file := filepath.Join(t.TempDir(), "rec")
	runCommand(t, "call", url, "login", "password=hunter22", "key=counter", "--record", file).want(t, 0, "welcome \"***\" to counter\n", note)
	if data, err := os.ReadFile(file); err != nil || strings.Contains(string(data), "hunter22") || !strings.Contains(string(data), `welcome \"***\" to counter`) {
		t.Errorf("%v: %s", err, data)
	}
	if o := runCommand(t, "call", url, "login", "password=hunter22", "--json"); o.status != 0 || !strings.Contains(o.stdout, `"welcome \"***\" to "`) {
		t.Errorf("%+v", o)
	}
	if o := runCommand(t, "call", url, "login", "password=12345", "--json"); o.status != 0 || !strings.Contains(o.stdout, `"n":"***"`) {
		t.Errorf("%+v", o)
	}
	runCommand(t, "prompt", url, "p", "token=hunter22").want(t, 0, "use ***\n", note)
	if o := runCommand(t, "raw", url, "tools/call", `{"name":"login","arguments":{"password":"hunter22"}}`); !strings.Contains(o.stdout, "hunter22") {
		t.Errorf("%+v", o)
	}
	out := filepath.Join(t.TempDir(), "out")
	if runCommandWithInput(t, "call login password=hunter22\nraw tools/list\ncall login password=other22\n", "shell", url, "--trace", out).status != 0 {
		t.Error("the shell fails")
	}
	if data, err := os.ReadFile(out); err != nil || strings.Contains(string(data), "hunter22") || strings.Contains(string(data), "other22") {
		t.Errorf("%v: %s", err, data)
	}
}
