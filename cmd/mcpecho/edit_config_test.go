package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/host/config"
)

const entryOfX = "{\n  \"command\": \"x\"\n}"

func TestAddMemberKeepsCommentsAndOrder(t *testing.T) {
	for _, test := range []struct{ before, after string }{
		{"", "{\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": \"x\"\n    }\n  }\n}\n"},
		{"{}", "{\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": \"x\"\n    }\n  }\n}"},
		{"{\n  // mine\n  \"mcpServers\": {\n    \"b\": {\"command\": \"b\"}, // second\n    \"a\": {\"command\": \"a\"} // first\n  }\n}\n",
			"{\n  // mine\n  \"mcpServers\": {\n    \"b\": {\"command\": \"b\"}, // second\n    \"a\": {\"command\": \"a\"}, // first\n    \"x\": {\n      \"command\": \"x\"\n    }\n  }\n}\n"},
		{"{\n\t\"servers\": {\n\t\t\"a\": {\"url\": \"http://a\"},\n\t},\n}", "{\n\t\"servers\": {\n\t\t\"a\": {\"url\": \"http://a\"},\n\t\t\"x\": {\n\t\t  \"command\": \"x\"\n\t\t},\n\t},\n}"},
		{`{"mcpServers":{"a":{"command":"a"}}}`, `{"mcpServers":{"a":{"command":"a"}, "x": { "command": "x" }}}`},
		{"{\n  \"mcpServers\": {\n    // none yet\n  }\n}\n", "{\n  \"mcpServers\": {\n    // none yet\n    \"x\": {\n      \"command\": \"x\"\n    }\n  }\n}\n"},
		{"{\n  \"other\": \"}\\\"{\" /* } */\n}\n", "{\n  \"other\": \"}\\\"{\", /* } */\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": \"x\"\n    }\n  }\n}\n"},
	} {
		got, err := addMember(test.before, "x", entryOfX)
		if err != nil || got != test.after {
			t.Errorf("%v:\n%s\nbecomes\n%s\nwant\n%s", err, test.before, got, test.after)
		}
		if config.Parse([]byte(got), "f", "user").Server("x") == nil {
			t.Errorf("no server x in %s", got)
		}
		// Removing it again restores the other servers.
		without, ok := removeMember(got, "x")
		if !ok || config.Parse([]byte(without), "f", "user").Server("x") != nil {
			t.Errorf("%s\nbecomes\n%s", got, without)
		}
		for _, p := range config.Parse([]byte(without), "f", "user").Problems {
			if !p.Warning {
				t.Errorf("%s\nbecomes\n%s: %v", got, without, p)
			}
		}
	}
	for _, broken := range []string{"[]", "{", `{"mcpServers": {`, "x", `{"a" 1}`, `{"mcpServers": {"a": }}`} {
		if got, err := addMember(broken, "x", entryOfX); err == nil {
			t.Errorf("%s becomes %s", broken, got)
		}
	}
}

func TestRemoveMemberKeepsTheRest(t *testing.T) {
	const text = "{\n  \"mcpServers\": {\n    // one\n    \"a\": {\"command\": \"a\"},\n    \"b\": {\"command\": \"b\"}, // two\n    \"c\": {\"command\": \"c\"}\n  }\n}\n"
	for name, want := range map[string]string{
		"a": "{\n  \"mcpServers\": {\n    // one\n    \"b\": {\"command\": \"b\"}, // two\n    \"c\": {\"command\": \"c\"}\n  }\n}\n",
		"c": "{\n  \"mcpServers\": {\n    // one\n    \"a\": {\"command\": \"a\"},\n    \"b\": {\"command\": \"b\"} // two\n  }\n}\n",
	} {
		if got, ok := removeMember(text, name); !ok || got != want {
			t.Errorf("without %s:\n%s\nwant\n%s", name, got, want)
		}
	}
	if _, ok := removeMember(text, "d"); ok {
		t.Error("removed a server that is not there")
	}
}

// FuzzAddMember checks that a file that mcpecho can read has the new server and all
// earlier ones after a change.
func FuzzAddMember(f *testing.F) {
	f.Add("{\"mcpServers\":{\"a\":{\"command\":\"a\"},/*c*/}}//")
	f.Add("{\n\"a\":[1,{\"}\":null}],\"servers\":{}}")
	f.Fuzz(func(t *testing.T, before string) {
		old := config.Parse([]byte(before), "f", "user")
		after, err := addMember(before, "added x", entryOfX)
		if err != nil || len(old.Problems) > 0 {
			return // runAdd checks what it writes
		}
		now := config.Parse([]byte(after), "f", "user")
		for _, s := range old.Servers {
			if now.Server(s.Name) == nil && strings.Contains(before, "ervers\"") {
				t.Errorf("%q is gone from\n%s\nwhich was\n%s", s.Name, after, before)
			}
		}
		if json.Valid([]byte(before)) && !json.Valid([]byte(after)) {
			t.Errorf("invalid:\n%s\nwhich was\n%s", after, before)
		}
	})
}

func TestAddAndRemove(t *testing.T) {
	inProject(t, map[string]string{".mcp.json": "{\n  // ours\n  \"mcpServers\": {\n    \"a\": {\"command\": \"a\"}\n  }\n}\n"})
	setConfigHome(t, t.TempDir())
	read := func(path string) string {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	o := runCommand(t, "add", "b", "--", "mcpecho", "serve")
	o.want(t, 0, "Added b to .mcp.json. To try it, type: mcpecho tools b\n", "")
	if text := read(".mcp.json"); !strings.Contains(text, "// ours") || !strings.Contains(text, `"a": {"command": "a"},`) {
		t.Error(text)
	}
	runCommand(t, "call", "b", "echo", "message=hi").want(t, 0, "hi\n", "") // trusted, because the user has added it
	runCommand(t, "add", "b", "--", "mcpecho", "serve").want(t, statusUsage, "", "type: mcpecho remove b\n")
	runCommand(t, "add", "c", "https://example.com/mcp", "-t", "http", "-H", "X-Key: ${KEY}", "--user").want(t, 0, "Added c to "+filepath.Join(os.Getenv("HOME"), ".mcp.json")+". To try it, type: mcpecho tools c\n", "")
	if text := read(filepath.Join(os.Getenv("HOME"), ".mcp.json")); !strings.Contains(text, "\"X-Key\": \"${KEY}\"") || !strings.Contains(text, `"mine"`) {
		t.Error(text)
	}
	o = runCommand(t, "add", "d", "-e", "API_KEY=hunter2hunter2", "-c", "other.json", "--", "no-such-program")
	if o.status != 0 || !strings.Contains(o.stderr, "API_KEY is now in other.json, which others may read") || strings.Contains(o.stderr, "hunter2") {
		t.Errorf("%+v", o)
	}
	if info, err := os.Stat("other.json"); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
		t.Error(info, err)
	}
	t.Setenv("API_KEY", "hunter2hunter2")
	o = runCommand(t, "add", "f", "-e", "API_KEY", "-c", "passed.json", "--", "no-such-program")
	if text := read("passed.json"); o.status != 0 || !strings.Contains(text, `"API_KEY": "${API_KEY}"`) || strings.Contains(o.stderr, "others may read") {
		t.Errorf("%+v, %s", o, text)
	}
	for line, hint := range map[string]string{
		"add e":                           "mcpecho add e -- npx",
		"add e localhost:3000/mcp":        "type: mcpecho add e http://localhost:3000/mcp\n",
		"add e npx server":                "type: mcpecho add e -- npx server\n",
		"add e ftp://x/y":                 "does not begin with http",
		"add mine --from nothing":         "found",
		"remove nothing":                  "type: mcpecho servers\n",
		"remove mine":                     "type: mcpecho remove mine --user\n",
		"remove bbb":                      "type: mcpecho servers\n",
		"add f http://x/mcp -c /dev/null": "not a regular file",
	} {
		if o := runCommand(t, strings.Fields(line)...); o.status != statusUsage || !strings.Contains(o.stderr, hint) {
			t.Errorf("%s: %+v", line, o)
		}
	}
	// Adding to another file trusts nothing in the project.
	if err := os.WriteFile(".mcp.json", []byte(strings.Replace(read(".mcp.json"), `"a": {"command": "a"},`, `"a": {"command": "a"}, "theirs": {"command": "touch"},`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := runCommand(t, "add", "theirs", "-c", "other.json", "--", "no-such-program"); o.status != 0 {
		t.Errorf("%+v", o)
	}
	runCommand(t, "tools", "theirs").want(t, statusUsage, "", "is not trusted")
	runCommand(t, "remove", "theirs").want(t, 0, "Removed theirs from .mcp.json.\n", "")
	runCommand(t, "remove", "b").want(t, 0, "Removed b from .mcp.json.\n", "")
	if text := read(".mcp.json"); text != "{\n  // ours\n  \"mcpServers\": {\n    \"a\": {\"command\": \"a\"}\n  }\n}\n" {
		t.Error(text)
	}
}

// TestAddWithoutStateFolder: the suggested command works although the user's trust cannot
// be stored, as in a container whose home is read-only.
func TestAddWithoutStateFolder(t *testing.T) {
	inProject(t, map[string]string{})
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	setConfigHome(t, filepath.Join(file, "none"))
	runCommand(t, "add", "b", "--", "mcpecho", "serve").want(t, 0, "Added b to .mcp.json. To try it, type: mcpecho tools b -c .mcp.json\n", "Cannot store that you trust it: ")
	runCommand(t, "call", "b", "echo", "message=hi", "-c", ".mcp.json").want(t, 0, "hi\n", "")
}

func TestAddFromAnotherProgram(t *testing.T) {
	inProject(t, nil)
	setConfigHome(t, t.TempDir())
	if err := os.Mkdir(".cursor", 0o700); err != nil {
		t.Fatal(err)
	}
	text := `{"mcpServers": {"echoes": ` + entryJSON(t) + `}}`
	if err := os.WriteFile(filepath.Join(".cursor", "mcp.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := runCommand(t, "servers", "--all")
	if o.status != 0 || !strings.Contains(o.stdout, "echoes\tin Cursor: to use it, type: mcpecho add echoes --from cursor\n") {
		t.Errorf("%+v", o)
	}
	runCommand(t, "add", "echos", "--from", "cursor").want(t, statusUsage, "", "type: mcpecho add echoes --from cursor\n")
	runCommand(t, "call", "-c", "cursor", "echoes", "echo", "message=hi").want(t, 0, "hi\n", "")
	runCommand(t, "call", "cursor:echoes", "echo", "message=hi").want(t, 0, "hi\n", "")
	home := filepath.Join(os.Getenv("HOME"), ".cursor")
	if err := errors.Join(os.Mkdir(home, 0o700), os.WriteFile(filepath.Join(home, "mcp.json"), []byte(`{"mcpServers":{"far":{"command":"x"}}}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	runCommand(t, "tools", "far").want(t, statusUsage, "", "but Cursor has it; type: mcpecho tools far -c cursor\n")
	runCommand(t, "add", "--from", "cursor").want(t, statusUsage, "", "add needs NAME; cursor has far, echoes; type: mcpecho add far --from cursor\n")
	runCommand(t, "add", "echoes", "--from", "cursr").want(t, statusUsage, "", "type: mcpecho add echoes --from cursor (found: cursor)\n")
	o = runCommand(t, "add", "echoes", "--from", "Cursor")
	if o.status != 0 || !strings.Contains(o.stdout, "Added echoes to .mcp.json.") {
		t.Errorf("%+v", o)
	}
	runCommand(t, "call", "echoes", "echo", "message=hi").want(t, 0, "hi\n", "")
}

func TestTrustIsShownAndRevoked(t *testing.T) {
	inProject(t, map[string]string{".mcp.json": `{"mcpServers":{"theirs":SERVER}}`})
	setConfigHome(t, t.TempDir())
	runCommand(t, "trust").want(t, 0, "", "You trust no servers of projects.")
	o := runCommand(t, "trust", "theirs")
	if o.status != 0 || !strings.HasPrefix(o.stdout, "Trusted theirs in .mcp.json.") || !strings.Contains(o.stdout, "API_KEY=***") {
		t.Errorf("%+v", o)
	}
	runCommand(t, "call", "theirs", "echo", "message=hi").want(t, 0, "hi\n", "")
	if o := runCommand(t, "trust"); o.status != 0 || !strings.HasPrefix(o.stdout, "theirs\t") {
		t.Errorf("%+v", o)
	}
	runCommand(t, "trust", "--revoke", "their").want(t, statusUsage, "", "type: mcpecho trust --revoke theirs\n")
	runCommand(t, "trust", "--revoke", "theirs").want(t, 0, "Revoked the trust in theirs.\n", "")
	runCommand(t, "call", "theirs", "echo", "message=hi").want(t, statusUsage, "", "type: mcpecho call theirs echo message=hi -c .mcp.json\n")
	runCommand(t, "trust", "mine").want(t, 0, "mine is in "+filepath.Join(os.Getenv("HOME"), ".mcp.json")+", which needs no trust.\n", "")
}
