package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestOwnVariablesFirst: the fields of an entry take a variable from its env and envFile, then from
// the process; env itself takes it from the process alone.
func TestOwnVariablesFirst(t *testing.T) {
	dir := t.TempDir()
	testutil.Must(t, os.WriteFile(filepath.Join(dir, ".env"), []byte("F=file\nBOTH=file"), 0o600))
	c := Parse([]byte(`{"mcpServers":{
		"a":{"command":"${CMD}","args":["--header","Authorization:${AUTH}","${F}","${BOTH}","${P}","$${A} ${$}${P} ${EMPTY:-d}"],"cwd":"${F}","envFile":".env",
			"env":{"CMD":"run","AUTH":"Bearer secret-1","BOTH":"env","PATH":"${PATH}:/x","P2":"${AUTH:-none}","EMPTY":""}},
		"h":{"url":"https://${HOST}/","headers":{"X":"${KEY}"},"command":"x","env":{"HOST":"h.example","KEY":"${P}"}}}}`), filepath.Join(dir, "f.json"), "project")
	vars := &Vars{Lookup: func(name string) (string, bool) {
		v, ok := map[string]string{"PATH": "/bin", "P": "process", "CMD": "evil", "HOST": "evil"}[name]
		return v, ok
	}}
	a := c.Server("a")
	effects := strings.Join(a.Effects(), "\n")
	if !strings.HasSuffix(effects, "uses the values of AUTH, PATH, P") {
		t.Error(effects)
	}
	e, err := a.Trust().Expand(t.Context(), vars)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"--header", "Authorization:Bearer secret-1", "file", "env", "process", "${A} $process d"}; e.Command != "run" || !slices.Equal(e.Args, want) || e.Dir != filepath.Join(dir, "file") {
		t.Errorf("%q %q %q", e.Command, e.Args, e.Dir)
	}
	if got := strings.Join(e.Env, " "); !strings.Contains(got, "PATH=/bin:/x") || !strings.Contains(got, "P2=none") {
		t.Error(got)
	}
	if strings.Contains(e.Hide(strings.Join(e.Args, " ")), "secret-1") {
		t.Error("a variable of the entry is shown")
	}
	if e, err = c.Server("h").Trust().Expand(t.Context(), vars); err != nil || e.URL != "https://h.example/" || e.Headers["X"] != "process" {
		t.Error(e, err)
	}
}

// TestReferencesOfPrograms: in the file of a program, its references are ours, and stay so when they are
// written and read again; in other files, a warning names the field, and commands are never run.
func TestReferencesOfPrograms(t *testing.T) {
	vars := &Vars{Home: t.TempDir(), Lookup: func(name string) (string, bool) { return "v1", name == "SET" }}
	for _, test := range []struct{ path, text, want, problem string }{
		{".gemini/settings.json", `$SET ${SET} pa$word ${NO} $$SET $${SET} $ $1 ${SET:-d}`, "v1 v1 pa$word ${NO} $v1 $v1 $ $1 v1", ""},
		{".qwen/settings.json", `Bearer $SET`, "Bearer v1", ""}, // a fork of Gemini CLI
		{"opencode.json", `{env:SET} <{env:NO}> ${SET} pa$word {env`, "v1 <> ${SET} pa$word {env", ""},
		{"opencode.json", `{file:./secret.txt}`, "from file", ""},
		{".opencode/x.json", `{file:~/home.txt}`, "from home", ""},
		{"crush.json", `$SET ${SET}`, "v1 v1", ""},
		{"crush.json", `Bearer $(cat token)`, "", `"headers" has $(command) in the value of "X", which is never run; use ${NAME} for a variable`},
		{".continue/mcpServers/a.json", `${{ secrets.SET }} ${SET}`, "v1 v1", ""},
		{"other.json", `Bearer $SET`, "Bearer $SET", `"headers" has $NAME in the value of "X", which is sent as it is; write ${NAME}`},
		{"other.json", `Bearer $set_Token`, "Bearer $set_Token", `"headers" has $NAME in the value of "X", which is sent as it is; write ${NAME}`},
		{"other.json", `Bearer %TOKEN%`, "Bearer %TOKEN%", `"headers" has %NAME% in the value of "X", which is sent as it is; write ${NAME}`},
		{"other.json", `a%20b%AB%CD $ecret% $x 100% %A%`, "a%20b%AB%CD $ecret% $x 100% %A%", ""},
		{"other.json", `{env:SET}`, "{env:SET}", `"headers" has {env:NAME} in the value of "X", which is sent as it is; write ${NAME}`},
		{"other.json", `$(touch x)`, "$(touch x)", `"headers" has $(command) in the value of "X", which is never run`},
		{"other.json", `pa$word $5 a$BC $${A}`, "pa$word $5 a$BC ${A}", ""},
	} {
		text, err := json.Marshal(test.text)
		testutil.Must(t, err)
		file := filepath.Join(t.TempDir(), filepath.FromSlash(test.path))
		testutil.Must(t, os.MkdirAll(filepath.Dir(file), 0o700))
		testutil.Must(t, os.WriteFile(filepath.Join(filepath.Dir(file), "secret.txt"), []byte("from file\n"), 0o600))
		testutil.Must(t, os.WriteFile(filepath.Join(vars.Home, "home.txt"), []byte("from home\n"), 0o600))
		c := Parse([]byte(`{"mcpServers":{"a":{"url":"https://h/","headers":{"X":`+string(text)+`}}}}`), file, "local")
		var problem string
		if len(c.Problems) == 1 {
			problem = c.Problems[0].Err.Error()
		}
		if problem != test.problem || len(c.Problems) > 1 {
			t.Errorf("%s in %s: %v", test.text, test.path, c.Problems)
		}
		if test.want == "" {
			if len(c.Servers) > 0 {
				t.Errorf("%s in %s is loaded", test.text, test.path)
			}
			continue
		}
		for range 2 {
			e, err := c.Servers[0].Expand(t.Context(), vars)
			if err != nil || e.Headers["X"] != test.want {
				t.Errorf("%s in %s: %v %v", test.text, test.path, e.Headers, err)
			}
			saved, err := c.RevealJSON()
			testutil.Must(t, err)
			c = Parse(saved, "", "local")
		}
	}
}

// TestFileReference: the question names the file, which is limited, and its content is masked.
func TestFileReference(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "s")
	s := Parse([]byte(`{"a":{"command":"x","args":["${file:s}"]}}`), filepath.Join(dir, "f.json"), "local").Servers[0]
	if got := s.Effects(); !slices.Contains(got, "uses the content of the file s") {
		t.Errorf("%q", got)
	}
	for content, ok := range map[string]bool{" hunter22\n": true, strings.Repeat("x", 64<<10+1): false} {
		testutil.Must(t, os.WriteFile(file, []byte(content), 0o600))
		e, err := s.Expand(t.Context(), nil)
		if (err == nil) != ok || ok && (e.Args[0] != "hunter22" || e.Hide("hunter22") != "***") {
			t.Error(e, err)
		}
	}
	testutil.Must(t, os.Remove(file))
	testutil.Must(t, os.Mkdir(file, 0o700))
	if _, err := s.Expand(t.Context(), nil); err == nil {
		t.Error("a folder is read")
	}
}

// TestWorkspaceFolder: it is the project of the file; for the user's own files, that of Load.
func TestWorkspaceFolder(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "sub", ".vscode", "mcp.json")
	testutil.Must(t, os.MkdirAll(filepath.Dir(file), 0o700))
	testutil.Must(t, os.WriteFile(file, []byte(`{"servers":{"w":{"command":"x","args":["${workspaceFolder}/s.py","${workspaceFolderBasename}${pathSeparator}"]}}}`), 0o600))
	e, err := LoadFile(file).Servers[0].Expand(t.Context(), nil)
	if err != nil || e.Args[0] != filepath.Join(dir, "sub")+"/s.py" || e.Args[1] != "sub"+string(filepath.Separator) {
		t.Error(e, err)
	}
	user := Parse([]byte(`{"w":{"command":"${workspaceFolder}"}}`), filepath.Join(dir, ".mcp.json"), "user").Servers[0]
	wd, _ := os.Getwd()
	if e, err := user.Expand(t.Context(), nil); err != nil || e.Command != wd {
		t.Error(e, err)
	}
}

// TestTextsThatAreNoFileOfServers: each is answered by what it is.
func TestTextsThatAreNoFileOfServers(t *testing.T) {
	for text, want := range map[string]string{
		`{"mcpserver":{"a":{"command":"x"}}}`:                    `"mcpserver" must be "mcpServers"`,
		`{"theServers":{"a":{"command":"x"}}}`:                   `"theServers" is not a key of servers; use "mcpServers", an object with their names`,
		`{"agents":{"mcpServers":{}}}`:                           `"agents" is not a key of servers; use "mcpServers", an object with their names`,
		`{"clients":[{"name":"a","url":"https://h/"}]}`:          `"clients" is not a key of servers; use "mcpServers", an object with their names`,
		"extensions:\n  a:\n    cmd: x\n":                        "the text is YAML, as that of Goose",
		"# c\nmcpServers:\n  - name: a\n":                        "the text is YAML, as that of Goose",
		"[extensions.a]\ncmd='x'":                                "the text is TOML without a table mcp_servers",
		`{"settings":{"mcp":{"servers":{"a":{"command":"x"}}}}}`: `"settings" is not a key of servers`, // of a workspace of VS Code
		`{"repository":{"url":"x"},"a":[{"b":{"c":1}}]}`:         "",
		`{"command":"x","args":[]}`:                              "the text is one server",
		`{"amp.mcpServers":{"a":{"command":"x"}},"amp.url":"x"}`: "",
		`{"theme":"dark"}`:                                       "",
		`{"$schema":"https://x/s.json","a":{"command":"x"}}`:     "",
		"[mcp_servers.a]\ncommand='x'":                           "",
		`{"mcpServers":{}}`:                                      "",
	} {
		c := Parse([]byte(text), "f.json", "local")
		got := ""
		if len(c.Problems) > 0 {
			got = c.Problems[0].Err.Error()
		}
		if len(c.Problems) > 1 || !strings.HasPrefix(got, want) || (want == "") != (got == "") || want == "" && strings.Contains(text, "command") != (len(c.Servers) == 1) {
			t.Errorf("%s: %v, %v", text, c.Servers, c.Problems)
		}
	}
}

// TestEntriesThatOnlyDisable: as their programs do, they disable a server of an earlier file.
func TestEntriesThatOnlyDisable(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	write := func(name, text string) string {
		testutil.Must(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	write(filepath.Join(home, ".mcp.json"), `{"mcpServers":{"a":{"command":"x"},"b":{"command":"x"},"c":{"command":"x"}}}`)
	more := write(filepath.Join(dir, "more.json"), `{"mcpServers":{"a":{"enabled":false},"none":{"disabled":true},"d":{"command":"x","env":{"A":null,"B":"1"}}},"disabledMcpServers":["c"]}`)
	c := Load(dir, more)
	if len(c.Problems) > 0 || !c.Server("a").Disabled || c.Server("b").Disabled || !c.Server("c").Disabled || c.Server("none") != nil || !slices.Equal(c.Server("d").Env, []string{"B=1"}) {
		t.Error(c.Servers, c.Problems)
	}
	g := Parse([]byte(`{"mcpServers":{"a":{"command":"x"},"b":{"command":"x"},"c":{"command":"x"}},"mcp":{"allowed":["a","b"],"excluded":["b"]}}`), "", "")
	if g.Server("a").Disabled || !g.Server("b").Disabled || !g.Server("c").Disabled {
		t.Error(g.Servers)
	}
	if p := Parse([]byte(`{"tools":{"mcp":{"enabled":false,"servers":{"a":{"enabled":true,"command":"x"}}}}}`), "", ""); !p.Server("a").Disabled {
		t.Error(p.Servers)
	}
	z := Parse([]byte(`{"context_servers":{"e":{"source":"extension","enabled":true,"settings":{}},"m":{"source":"custom"}}}`), "", "")
	if len(z.Servers) > 0 || len(z.All()) != 1 || z.All()[0].Name != "m" {
		t.Error(z.All(), z.Problems)
	}
	x := ParseTOML([]byte("[mcp_servers.a]\nurl='https://h/'\nenv_http_headers={X='UNSET_VARIABLE',Y='HOME'}"), "", "")
	if e, err := x.Servers[0].Expand(t.Context(), nil); err != nil || len(e.Headers) != 1 || e.Headers["Y"] != home {
		t.Error(err)
	}
}

// TestServersOfOwnConfiguration: a program's own struct with entries is loaded, saved and loaded
// without a loss; an invalid entry does not fail the others, and secrets are not masked in files.
func TestServersOfOwnConfiguration(t *testing.T) {
	type settings struct {
		Model string  `json:"model"`
		MCP   Servers `json:"mcp"`
	}
	const text = `{"model":"m","mcp":{"slow":{"command":"x","timeout":1800},"bad":{"command":7},"off":{"disabled":true},
		"key":{"url":"https://h/","headers":{"X-Key":"hunter22"},"frob":1}}}`
	var a settings
	testutil.Must(t, json.Unmarshal([]byte(text), &a))
	if s := a.MCP["slow"]; s.Name != "slow" || s.Timeout.Minutes() != 30 || !s.Trusted() {
		t.Error(s)
	}
	var names []string
	for _, s := range a.MCP.List() {
		names = append(names, s.Name)
	}
	if want := []string{"bad", "key", "slow"}; !slices.Equal(names, want) || a.MCP["bad"].Invalid == nil {
		t.Error(names, a.MCP["bad"])
	}
	var problems []string
	for _, p := range a.MCP.Problems() {
		problems = append(problems, p.Error())
	}
	if len(problems) != 2 || !strings.Contains(problems[0], `"bad"`) || !strings.Contains(problems[1], `"frob" is unknown`) {
		t.Errorf("%q", problems)
	}
	if _, err := json.Marshal(a); err == nil || !strings.Contains(err.Error(), "RevealJSON") || strings.Contains(err.Error(), "hunter22") {
		t.Error(err)
	}
	saved, err := a.MCP.RevealJSON()
	testutil.Must(t, err)
	file, err := json.Marshal(struct {
		Model string          `json:"model"`
		MCP   json.RawMessage `json:"mcp"`
	}{a.Model, saved})
	testutil.Must(t, err)
	var b settings
	testutil.Must(t, json.Unmarshal(file, &b))
	again, err := b.MCP.RevealJSON()
	if err != nil || string(again) != string(saved) || !b.MCP["key"].Equal(a.MCP["key"]) || !b.MCP["slow"].Equal(a.MCP["slow"]) || b.MCP["bad"].Invalid == nil {
		t.Errorf("%s became %s, %v", saved, again, err)
	}
	if plain, err := json.Marshal(Servers{"p": {Command: "x"}}); err != nil || string(plain) != `{"p":{"command":"x"}}` {
		t.Errorf("%s %v", plain, err)
	}
	if err := json.Unmarshal([]byte(`{"mcp":[]}`), &a); err == nil {
		t.Error("a list is read")
	}
}
