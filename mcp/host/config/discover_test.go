package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// writeFile writes a file and the folders above it.
func writeFile(t *testing.T, text string, path ...string) string {
	t.Helper()
	name := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestDiscoverFindsFilesOfEachProgramOnEachSystem(t *testing.T) {
	t.Parallel()
	for system, application := range map[string]string{
		"linux": "config", "darwin": filepath.Join("home", "Library", "Application Support"), "windows": "data",
	} {
		root := t.TempDir()
		at := func(path string) string { return filepath.Join(root, filepath.FromSlash(path)) }
		zed := map[string]string{"linux": "config/zed", "darwin": "home/.config/zed", "windows": "data/Zed"}[system]
		entry := func(name string) string { return `{"mcpServers":{"` + name + `":{"command":"run"}}}` }
		writeFile(t, entry("desktop"), at(application), "Claude", "claude_desktop_config.json")
		writeFile(t, `{"numStartups":3,"mcpServers":{"code":{"command":"run","timeout":1500}},"projects":{
			"/work/one":{"allowedTools":[],"mcpServers":{"single":{"command":"./run"}}},"/work/none":{"mcpServers":{}}}}`, at("home/.claude.json"))
		writeFile(t, entry("project"), at("dir/.mcp.json"))
		writeFile(t, entry("cursor"), at("home/.cursor/mcp.json"))
		writeFile(t, entry("cursor-project"), at("dir/.cursor/mcp.json"))
		writeFile(t, `{"servers":{"editor":{"type":"stdio","command":"run"}}}`, at(application), "Code", "User", "mcp.json")
		writeFile(t, `{"editor.fontSize":12,"mcp":{"servers":{"old":{"command":"run"}}}}`, at(application), "Code", "User", "settings.json")
		writeFile(t, `{"mcpServers":{"surf":{"serverUrl":"https://h/"}}}`, at("home/.codeium/windsurf/mcp_config.json"))
		writeFile(t, `{"theme":"One", "context_servers":{"zed":{"source":"custom","command":{"path":"run","args":["a"],"env":{"K":"v"}}}}}`,
			at(zed), "settings.json")
		writeFile(t, `{"mcpServers":{"gem":{"httpUrl":"https://h/","timeout":1500}}}`, at("home/.gemini/settings.json"))
		writeFile(t, "model = \"m\"\n[mcp_servers.codex]\ncommand = \"run\"\n", at("home/.codex/config.toml"))
		writeFile(t, `{"theme":"dark"}`, at("dir/.gemini/settings.json")) // no servers: not listed

		var have []string
		for _, f := range config.Discover(&config.Places{OS: system, Home: at("home"), Data: at("data"), Config: at("config"), Dir: at("dir")}) {
			for _, s := range f.Servers {
				have = append(have, fmt.Sprint(f.Program, " ", s.Scope, " ", s.Name, " ", f.Project == "", " ", s.Timeout))
				if s.Source != f.File || f.Title == "" {
					t.Errorf("%s: %+v", s.Name, f)
				}
			}
			for _, p := range f.Problems {
				t.Errorf("%s: %v", system, p)
			}
		}
		want := []string{
			"claude-desktop user desktop true 0s", "claude-code user code true 1.5s", "claude-code local single false 0s",
			"claude-code project project false 0s", "cursor user cursor true 0s", "cursor project cursor-project false 0s",
			"vscode user editor true 0s", "vscode user old true 0s", "windsurf user surf true 0s", "zed user zed true 0s",
			"gemini user gem true 1.5s", "codex user codex true 0s",
		}
		if !slices.Equal(have, want) {
			t.Errorf("%s:\nhave %q\nwant %q", system, have, want)
		}
	}
}

func TestDiscoverReportsUnreadableFiles(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	writeFile(t, `{"mcpServers":`, home, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Join(home, ".claude.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	found := config.Discover(&config.Places{OS: "linux", Home: home, Dir: home})
	if len(found) != 2 || found[0].Program != "claude-code" || found[1].Program != "cursor" || len(found[0].Problems) != 1 || len(found[1].Problems) != 1 {
		t.Errorf("%+v", found)
	}
}

func TestCodexFile(t *testing.T) {
	t.Parallel()
	c := config.ParseTOML([]byte(`# a comment
model = "gpt"   # another
since = 2026-01-01
[[hooks]]
name = "x"

[mcp_servers.docs]
command = "npx"
args = [
  "-y",  # with a comment
  'literal\n', """two
lines""", "\u00e9\t\"",
]
startup_timeout_sec = 20
tool_timeout_sec = 1_500.5
enabled_tools = ["a", "b"]
env_vars = ["HOME"]
[mcp_servers.docs.env]
"API_KEY" = "k"

[mcp_servers."my server"]
url = "https://h/mcp"
bearer_token_env_var = "TOKEN"
http_headers = { X-A = "1", "X-B" = '2' }
env_http_headers = { X-C = "SECRET" }
enabled = false

[mcp_servers.wrong]
command = 7

[mcp_servers.inline]
command = "run"
env.A.B = 1
`), "/home/u/.codex/config.toml", "user")
	docs := c.Server("docs")
	if docs == nil || docs.Command != "npx" || !slices.Equal(docs.Args, []string{"-y", `literal\n`, "two\nlines", "\u00e9\t\""}) ||
		docs.ConnectTimeout != 20*time.Second || docs.Timeout != 1500500*time.Millisecond || len(docs.Tools.Allow) != 2 ||
		!slices.Equal(docs.Env, []string{"HOME", "API_KEY=k"}) || docs.Scope != "user" {
		t.Errorf("%+v", docs)
	}
	remote := c.Server("my server")
	if remote == nil || !remote.Disabled || remote.Auth.Token != "${TOKEN}" || remote.Headers["X-A"] != "1" || remote.Headers["X-B"] != "2" ||
		remote.Headers["X-C"] != "${SECRET:-}" {
		t.Errorf("%+v", remote)
	}
	var problems []string
	for _, p := range c.Problems {
		problems = append(problems, p.Error())
	}
	want := []string{
		`/home/u/.codex/config.toml:31: server "inline": "env.A" must be a string, not an object`,
		`/home/u/.codex/config.toml:28: server "wrong": "command" must be a string or a list of strings, not a number`,
	}
	if !slices.Equal(problems, want) {
		t.Errorf("have %q", problems)
	}
}

func TestUnsupportedTOMLIsAnError(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[mcp_servers.a]\ncommand = \"x\"\nsince = 2026-01-01": `c:3: the value of "since" is neither text`,
		"[[mcp_servers]]\ncommand = \"x\"":                     "c:1: lists of tables are not supported",
		"[mcp_servers.a]\ncommand = \"x":                       `c:2: text must end with "`,
		"[mcp_servers.a]\n[mcp_servers.a]":                     `c:2: "mcp_servers.a" is defined twice`,
		"[mcp_servers.a]\nx = 1\nx = 2":                        `c:3: "x" is defined twice`,
		"[mcp_servers.a]\nx = [1":                              "c:2: a list must end with ]",
		"[mcp_servers.a]\nx = {a=1":                            "c:2: a table must end with }",
		"[mcp_servers.a]\nx = \"\\q\"":                         "c:2: text has an invalid escape",
		"[mcp_servers.a]\nx = 1 y":                             "c:2: a line must end after the value",
		"[mcp_servers.a]\nx":                                   "c:2: a key must be followed by =",
		"[mcp_servers.a]\nx = " + strings.Repeat("[", 200):     "c:2: tables and lists nest deeper than 128",
		"[mcp_servers.a]\nx = 0x":                              `c:2: the value of "x" is neither`,
		"[mcp_servers.a]\nx = 1__0":                            `c:2: the value of "x" is neither`,
		"[mcp_servers.a]\nx = 1_e5":                            `c:2: the value of "x" is neither`,
		"[mcp_servers.a]\nx = 0x_1":                            `c:2: the value of "x" is neither`,
		"[mcp_servers.a]\nx = 010":                             `c:2: the value of "x" is neither`,
		"[mcp_servers.a]\nx = 1.":                              `c:2: the value of "x" is neither`,
		"[mcp_servers.a]\nx = +-1":                             `c:2: the value of "x" is neither`,
		"[mcp_servers.a]\nx = 9223372036854775808":             `c:2: the value of "x" is neither`,
		"[mcp_servers.a]\nx = {y = 1}\nx.z = 2":                `c:3: "x" is defined twice`,
		"[mcp_servers.a]\nx.y = 1\n[mcp_servers.a.x]":          `c:3: "mcp_servers.a.x" is defined twice`,
		"[mcp_servers.a.x]\n[mcp_servers.a]\nx.y = 1":          `c:3: "x" is defined twice`,
		"[mcp_servers.a]\nx = 'a\x01'":                         "c:2: text must have no control characters",
		"[mcp_servers.a]\n# \xff":                              "c:2: text must be UTF-8",
		"[mcp_servers.a]\n\"\"\"x\"\"\" = 1":                   "c:2: a key must be followed by =",
		"mcp_servers = 1\n":                                    `c:1: "mcp_servers" must be a table`,
		"mcp_servers = 1\n[mcp_servers.a]":                     `c:2: "mcp_servers" is a value`,
	} {
		c := config.ParseTOML([]byte(text), "c", "")
		if len(c.Problems) == 0 || !strings.HasPrefix(c.Problems[0].Error(), want) {
			t.Errorf("%q: %v", text, c.Problems)
		}
	}
}

func FuzzParseTOML(f *testing.F) {
	f.Add("[mcp_servers.a]\ncommand = \"x\"\nargs = ['a', \"\"\"b\"\"\"]\nenv = {A = 1}")
	f.Add("a.b = 0x1F # c\n[[x]]\ny = 1979-05-27T07:32:00Z")
	f.Fuzz(func(t *testing.T, text string) {
		c := config.ParseTOML([]byte(text), "c", "")
		for _, p := range c.Problems {
			_ = p.Error()
		}
		if again := config.ParseTOML([]byte(text), "c", ""); len(again.Servers) != len(c.Servers) || len(again.Problems) != len(c.Problems) {
			t.Error("a second time, the result differs")
		}
	})
}

func ExampleDiscover() {
	home, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(home)
	file := filepath.Join(home, ".cursor", "mcp.json")
	_ = os.Mkdir(filepath.Dir(file), 0o700)
	_ = os.WriteFile(file, []byte(`{"mcpServers": {"docs": {"url": "https://example.com/mcp"}}}`), 0o600)

	for _, found := range config.Discover(&config.Places{Home: home, Dir: home}) { // nil: this machine
		for _, server := range found.Servers {
			fmt.Println(found.Title, server.Name, server.URL)
		}
	}
	// Output: Cursor docs https://example.com/mcp
}

func ExampleParseTOML() {
	c := config.ParseTOML([]byte(`
[mcp_servers.docs]
url = "https://example.com/mcp"
tool_timeout_sec = 30
`), "config.toml", "user")
	fmt.Println(c.Server("docs").URL, c.Server("docs").Timeout)
	// Output: https://example.com/mcp 30s
}
