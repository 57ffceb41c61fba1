package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp/host/config"
)

func TestUnitOfTimeoutFollowsTheDialect(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		file, table string
		want        time.Duration
		warns       bool
	}{
		{"/x/.mcp.json", "mcpServers", 1500 * time.Millisecond, true},
		{"/x/config.json", "tools.mcp.servers", 1500 * time.Second, false},
		{"/x/config.json", "mcp_servers", 1500 * time.Second, false},
		{"/x/settings.json", "context_servers", 1500 * time.Second, false},
		{"/home/u/.nanobot/config.json", "mcp.servers", 1500 * time.Second, false},
		{"/home/u/.claude.json", "mcpServers", 1500 * time.Millisecond, false},
		{"/home/u/.gemini/settings.json", "mcpServers", 1500 * time.Millisecond, false},
		{"/home/u/.qwen/settings.json", "mcpServers", 1500 * time.Millisecond, false},
		{"/x/.kiro/settings/mcp.json", "mcpServers", 1500 * time.Millisecond, false},
		{"/x/.amazonq/mcp.json", "mcpServers", 1500 * time.Millisecond, false},
	} {
		c := config.Parse([]byte(`{"`+test.table+`":{"x":{"command":"run","timeout":1500}}}`), test.file, "")
		if s := c.Server("x"); s == nil || s.Timeout != test.want || (len(c.Problems) > 0) != test.warns {
			t.Errorf("%s in %s: %+v, %v", test.table, test.file, s, c.Problems)
		}
	}
	c := config.Parse([]byte(`{"mcpServers":{"x":{"command":"run","timeout":500}}}`), "/home/u/.gemini/settings.json", "")
	if got := c.Server("x").Timeout; got != 500*time.Millisecond {
		t.Errorf("a small number of milliseconds is %v", got)
	}
}

func TestPathsAreRelativeToTheProject(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	write := func(name, text string) string {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	write(filepath.Join(home, ".mcp.json"), `{"mcpServers":{"user":{"command":"bin/user"}}}`)
	write(filepath.Join(dir, ".mcp.json"), `{"mcpServers":{
		"plain":{"command":"npx"},
		"local":{"command":"./bin/run","cwd":"data","envFile":"one.env"},
		"home":{"command":"~/run","cwd":"~"}}}`)
	write(filepath.Join(dir, "one.env"), "A=1\n")
	other := write(filepath.Join(dir, "sub", ".vscode", "mcp.json"), `{"servers":{"editor":{"command":"bin/run"}}}`)
	c := config.Load(dir, other)
	c.Trust(func(*config.Server) bool { return true })
	for name, want := range map[string][2]string{
		"user":   {filepath.Join(home, "bin", "user"), dir},
		"plain":  {"npx", dir},
		"local":  {filepath.Join(dir, "bin", "run"), filepath.Join(dir, "data")},
		"home":   {home + "/run", home},
		"editor": {filepath.Join(dir, "sub", "bin", "run"), dir},
	} {
		s, err := c.Server(name).Expand(t.Context(), &config.Vars{Home: home})
		if err != nil {
			t.Fatal(err)
		}
		if s.Command != want[0] || s.Dir != want[1] {
			t.Errorf("%s: command %s in %s, want %v", name, s.Command, s.Dir, want)
		}
		if name == "local" && strings.Join(s.Env, " ") != "A=1" {
			t.Errorf("environment %q", s.Env)
		}
	}
	if s, err := config.LoadFile(other).Server("editor").Expand(t.Context(), nil); err != nil || s.Command != filepath.Join(dir, "sub", "bin", "run") || s.Dir != "" {
		t.Errorf("a single file: %+v, %v", s, err)
	}
}
