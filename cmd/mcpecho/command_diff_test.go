package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/serve"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// diffServer returns the URL of a server with one tool.
func diffServer(t *testing.T, name, inputSchema string) string {
	t.Helper()
	s := mcptest.New(t)
	s.Tool(name, inputSchema, func(*mcptest.Call) (any, error) { return "", nil }).Description = "Adds\x1b[2J"
	return s.StartHTTP(nil).URL
}

func TestDiff(t *testing.T) {
	t.Parallel()
	const one, two = `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string","format":"date"}},"required":["a"]}`
	old, same, new, other := diffServer(t, "add", one), diffServer(t, "add", one), diffServer(t, "add", two), diffServer(t, "b\x1b[2J\u202e", one)
	unknown := diffServer(t, "add", strings.Replace(two, `,"required":["a"]`, "", 1))
	runCommand(t, "diff", old, same).want(t, 0, "old: mcptest 1.0.0, protocol 2026-07-28\nnew: mcptest 1.0.0, protocol 2026-07-28\nnothing changed\n", "")
	o := runCommand(t, "diff", old, new)
	o.want(t, failure.Refused, "old: mcptest 1.0.0, protocol 2026-07-28\nnew: mcptest 1.0.0, protocol 2026-07-28\n\n"+
		"breaking (1):\n  tool \"add\", input /required/a: a property became required\n\n"+
		"unknown (1):\n  tool \"add\", input /properties/a/format: format was added: \"date\"\n", "mcpecho: 1 change breaks callers\n")
	o = runCommand(t, "diff", new, old)
	o.want(t, 0, o.stdout, "")
	o = runCommand(t, "diff", old, unknown)
	o.want(t, 0, o.stdout, "")
	o = runCommand(t, "diff", old, unknown, "--strict")
	o.want(t, failure.Refused, o.stdout, "1 change may break callers")
	o = runCommand(t, "diff", old, other)
	if o.status != failure.Refused || !strings.Contains(o.stdout, `tool "add": is gone`) || strings.ContainsAny(o.stdout, "\x1b\u202e") {
		t.Errorf("%+v", o)
	}
	o = runCommand(t, "diff", old, new, "--json")
	var result struct {
		Result  string
		Changes []struct{ Kind, Item, Path, Text, New string }
	}
	if err := json.Unmarshal([]byte(o.stdout), &result); err != nil || result.Result != "breaking" || len(result.Changes) != 2 || result.Changes[1].New != `"date"` || result.Changes[0].Path != "input /required/a" {
		t.Errorf("%+v: %+v, %v", o, result, err)
	}
	if !strings.HasPrefix(o.stderr, `{"error":{"kind":"breaking"`) || o.status != failure.Refused {
		t.Errorf("%+v", o)
	}
}

// TestDiffOfRecordings and of a recording and a server.
func TestDiffOfRecordings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all, tools := "", filepath.Join(dir, "tools.rec")
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		all = filepath.Join(dir, version+".rec")
		o := runCommandWithInput(t, "tools\nprompts\nresources\ntemplates\n", "shell", "--record", all, "--protocol", version, "--", "mcpecho", "serve")
		o.want(t, 0, o.stdout, "")
		o = runCommand(t, "diff", "--strict", "--protocol", version, all, "--", "mcpecho", "serve")
		if o.want(t, 0, o.stdout, ""); !strings.Contains(o.stdout, "nothing changed") {
			t.Errorf("%+v", o)
		}
	}
	o := runWithServer(t, "tools", "--record", tools)
	o.want(t, 0, o.stdout, "")
	o = runCommand(t, "diff", tools, all)
	if o.want(t, 0, o.stdout, ""); !strings.Contains(o.stdout, "noted (3):\n  prompts: not compared: the recorded client has not requested prompts/list\n") {
		t.Errorf("%+v", o)
	}
	o = runCommand(t, "diff", tools, tools)
	if o.want(t, 0, o.stdout, ""); !strings.Contains(o.stdout, "noted (3):") {
		t.Errorf("%+v", o)
	}
	text, err := os.ReadFile(all)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "bad.rec")
	if err := os.WriteFile(bad, []byte(strings.Replace(string(text), "add", "sub", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	o = runCommand(t, "diff", bad, all)
	if o.want(t, failure.Usage, "", "bad.rec: recording: line "); !strings.Contains(o.stderr, "--record FILE with a command records a server") {
		t.Errorf("%+v", o)
	}
	if err := os.WriteFile(bad, text[:len(text)-5], 0o600); err != nil { // of a program that was killed
		t.Fatal(err)
	}
	o = runCommand(t, "diff", bad, all)
	if o.want(t, 0, o.stdout, "bad.rec has no end: the program that recorded it was killed, or still runs; entries that are used: "); !strings.Contains(o.stdout, "nothing changed") {
		t.Errorf("%+v", o)
	}
}

// TestDiffLikeTheRecordedClient: the recording of an agent, which has other capabilities
// than mcpecho and lists only tools, is compared with a server as that agent would see it.
func TestDiffLikeTheRecordedClient(t *testing.T) {
	t.Parallel()
	s := mcptest.New(t)
	s.Tool("add", nil, func(*mcptest.Call) (any, error) { return "", nil })
	s.Prompt("p", func(*mcptest.Call) (any, error) { return "", nil })
	web := s.StartHTTP(nil)
	modernOnly := mcptest.New(t)
	modernOnly.ProtocolVersions = []string{"2026-07-28"}
	modernOnly.Tool("add", nil, func(*mcptest.Call) (any, error) { return "", nil })
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		agent := filepath.Join(t.TempDir(), "agent.rec")
		t.Run("record", func(t *testing.T) {
			client, err := mcp.Connect(t.Context(), mcptest.Record(t, agent, streamhttp.New(web.URL, nil)), &mcp.Options{
				ProtocolVersions: []string{version}, Handlers: []mcp.Handler{mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { return nil, nil }}},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			if _, err := client.ListTools(t.Context()); err != nil {
				t.Error(err)
			}
		})
		seen := "mcptest 1.0.0, protocol " + version
		runCommand(t, "diff", "--strict", agent, web.URL).want(t, 0, "old: "+seen+"\nnew: "+seen+", as the recorded client would see it\n\n"+
			"noted (1):\n  prompts: not compared: the recorded client has not requested prompts/list\n", "")
		if o := runCommand(t, "diff", "--json", web.URL, agent); !strings.Contains(o.stdout, `"old":{"server":"mcptest 1.0.0","protocolVersion":"`+version+`","asRecordedClient":true}`) {
			t.Errorf("%+v", o)
		}
		if version == "2025-11-25" {
			if o := runCommand(t, "diff", agent, modernOnly.StartHTTP(nil).URL); !strings.Contains(o.stdout, "the era changed") {
				t.Errorf("%+v", o)
			}
		}
	}
}

// TestDiffNeedsLogin: the hint names the server that does, first or second.
func TestDiffNeedsLogin(t *testing.T) {
	t.Parallel()
	web, err := serve.Start("127.0.0.1:0", nil, true)
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	other := diffServer(t, "add", `{"type":"object"}`)
	for _, args := range [][]string{{web.URL, other}, {other, web.URL}} {
		runCommand(t, append([]string{"diff"}, args...)...).want(t, failure.Forbidden, "", "type: mcpecho login "+web.URL)
	}
}

// TestDiffInShell compares with the server of the shell.
func TestDiffInShell(t *testing.T) {
	t.Parallel()
	other := diffServer(t, "add", `{"type":"object"}`)
	recorded := filepath.Join(t.TempDir(), "session.rec")
	o := runCommandWithInput(t, "tools\nprompts\nresources\ntemplates\ndiff "+other+"\ndiff\nping\n", "shell", "--record", recorded, "--", "mcpecho", "serve")
	if o.status != failure.Refused || !strings.Contains(o.stdout, "old: mcptest 1.0.0") || !strings.Contains(o.stdout, "new: stdmcp-echo") || !strings.Contains(o.stdout, `tool "add", input`) {
		t.Errorf("%+v", o)
	}
	o = runCommandWithInput(t, "diff "+recorded+"\ndiff\n", "shell", "--", "mcpecho", "serve")
	if !strings.Contains(o.stdout, "nothing changed") || !strings.Contains(o.stderr, "usage: diff OLD") {
		t.Errorf("%+v", o)
	}
}

// TestDiffOfTwoCommands in the three forms.
func TestDiffOfTwoCommands(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--", "mcpecho", "serve", "--", "mcpecho", "serve"},
		{"mcpecho serve", "mcpecho serve --protocol '2026-07-28'"},
		{"mcpecho serve", "--", "mcpecho", "serve"},
	} {
		if o := runCommand(t, append([]string{"diff", "--strict"}, args...)...); o.status != 0 || !strings.Contains(o.stdout, "nothing changed") {
			t.Errorf("%q: %+v", args, o)
		}
	}
	// The second server is listed with the protocol version of the first one if it has that.
	for new, want := range map[string]string{
		"mcpecho serve":                       "2025-06-18\nnothing changed\n",
		"mcpecho serve --protocol 2026-07-28": "2026-07-28\n\nunknown (1):\n",
	} {
		if o := runCommand(t, "diff", "mcpecho serve --protocol 2025-06-18", new); !strings.Contains(o.stdout, "protocol "+want) {
			t.Errorf("%+v", o)
		}
	}
}

// TestDiffMisuses: each suggestion gets further than the line that led to it.
func TestDiffMisuses(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	o := runWithServer(t, "tools", "--record", "a.rec")
	o.want(t, 0, o.stdout, "")
	for name, text := range map[string]string{"a.js": "", "b c.js": "", "conf.json": `{"mcpServers":{"weather":{"url":"https://example.com/mcp"}}}`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args []string
		says string
	}{
		{nil, "diff needs two servers or recordings; usage: "},
		{[]string{"a.rec"}, "only one is given; usage: "},
		{[]string{"a.rec", "b.rec"}, `"b.rec" is neither a configured server nor a file; usage: `},
		{[]string{"a.rec", "zzzzzz.rec"}, "is neither a configured server nor a file; usage: "},
		{[]string{"a.rec", "a.rec", "a.rec"}, "not 3; a command that starts one needs quotes or --"},
		{[]string{"a.rec", "nothing-like-it"}, `no server is configured as "nothing-like-it"; for a list, type: mcpecho servers`},
		{[]string{"a.rec", "example.com/mcp"}, "type: mcpecho diff a.rec https://example.com/mcp"},
		{[]string{"a.rec", "conf.json"}, "has configured servers, and is not a recording: write FILE:NAME"},
		{[]string{"a.rec", dir}, "is a directory, not a recording; usage: "},
		{[]string{"a.rec", "go run x"}, ""},
		{[]string{"a.rec", "go 'run"}, "a quote is not closed"},
		{[]string{"go", "run", "go", "test"}, "needs quotes or --; usage: "},
		{[]string{"--", "go", "run"}, "only one is given; usage: "},
		{[]string{"--", "a", "--", "b", "--", "c"}, "not 3; a command"},
		{[]string{"a.rec", "--"}, "starts the server is missing after --"},
		{[]string{"a.rec", "--", "https://example.com/mcp"}, "the URL \"https://example.com/mcp\" does not belong after --"},
		{[]string{"-e", "A=b", "a.rec", "a.rec"}, "-e, --inherit-env and --cwd need a server that is started"},
		{[]string{"-H", "A: b", "a.rec", "--", "go"}, "-t and -H need a server at a URL"},
		{[]string{"--stric", "a.rec", "a.rec"}, "type: mcpecho diff --strict a.rec a.rec"},
	} {
		o := runCommand(t, append([]string{"diff"}, tt.args...)...)
		if o.status == 0 || o.stdout != "" || !strings.Contains(o.stderr, tt.says) {
			t.Errorf("diff %q: %+v\nwant %s", tt.args, o, tt.says)
		}
		_, typed, ok := strings.Cut(o.stderr, "type: mcpecho ")
		if !ok || strings.Contains(typed, "https://") || strings.Contains(typed, "npx") {
			continue // which would leave this machine
		}
		typed, _, _ = strings.Cut(typed, "\n")
		if next := runCommand(t, words(t, typed)...); next.stderr == o.stderr {
			t.Errorf("diff %q suggests %q, which fails the same: %+v", tt.args, typed, next)
		}
	}
}
