package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

func TestAddAndRemove(t *testing.T) {
	inProject(t, map[string]string{".mcp.json": "{\n  // ours\n  \"mcpServers\": {\n    \"a\": {\"command\": \"a\"}\n  }\n}\n"})
	testutil.SetConfigHome(t, t.TempDir())
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
	runCommand(t, "add", "b", "--", "mcpecho", "serve").want(t, failure.Usage, "", "type: mcpecho remove b\n")
	runCommand(t, "add", "c", "https://example.com/mcp", "-t", "http", "-H", "X-Key: ${KEY}", "--user").want(t, 0, "Added c to "+filepath.Join(os.Getenv("HOME"), ".mcp.json")+". To try it, type: mcpecho tools c\n", "")
	if text := read(filepath.Join(os.Getenv("HOME"), ".mcp.json")); !strings.Contains(text, `"X-Key":"${KEY}"`) || !strings.Contains(text, `"mine"`) {
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
	runCommand(t, "add", "g", "https://example.com/mcp", "-c", "login.json", "--oauth", "clientId=app", "--oauth", "issuer=https://as.example", "--oauth", "resource=none",
		"--oauth", "assumePKCE=true", "--oauth", "scopes=a b", "--oauth", "parameters.prompt=consent", "--oauth", "redirectUri=http://localhost/callback").want(t, 0, "Added g to login.json. To try it, type: mcpecho tools g -c login.json\n", "")
	if text := strings.Join(strings.Fields(read("login.json")), ""); !strings.Contains(text, `"auth":{"type":"oauth","clientId":"app","scopes":["a","b"],"redirectUri":"http://localhost/callback","issuer":"https://as.example","resource":"none","assumePKCE":true,"parameters":{"prompt":"consent"}}`) {
		t.Error(text)
	}
	for line, hint := range map[string]string{
		"add e http://x --oauth resource=none": "needs issuer",
		"add e http://x --oauth clientID=app":  "clientID",
		"add e http://x --oauth clientId":      "KEY=VALUE",
		"add e http://x --oauth assumePKCE=1":  "assumePKCE",
		"add e":                                "add needs the URL of the server, or its command after --",
		"add e localhost:3000/mcp":             "type: mcpecho add e http://localhost:3000/mcp\n",
		"add e npx server":                     "type: mcpecho add e -- npx server\n",
		"add e ftp://x/y":                      "does not begin with http",
		"add mine --from nothing":              "found",
		"remove nothing":                       "type: mcpecho servers\n",
		"remove mine":                          "type: mcpecho remove mine --user\n",
		"remove bbb":                           "type: mcpecho servers\n",
		"add f http://x/mcp -c /dev/null":      "not a regular file",
	} {
		if o := runCommand(t, strings.Fields(line)...); o.status != failure.Usage || !strings.Contains(o.stderr, hint) {
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
	runCommand(t, "tools", "theirs").want(t, failure.Usage, "", "is not trusted")
	runCommand(t, "remove", "theirs").want(t, 0, "Removed theirs from .mcp.json.\n", "")
	runCommand(t, "remove", "b").want(t, 0, "Removed b from .mcp.json.\n", "")
	if text := read(".mcp.json"); text != "{\n  // ours\n  \"mcpServers\": {\n    \"a\": {\"command\": \"a\"}\n  }\n}\n" {
		t.Error(text)
	}
}

// TestRemoveNamesTheSyntaxError: a comma is missing, so that the file has no servers.
func TestRemoveNamesTheSyntaxError(t *testing.T) {
	const text = `{"mcpServers":{"a":{"command":"a"} "b":{"command":"b"}}}`
	inProject(t, map[string]string{".mcp.json": text})
	runCommand(t, "remove", "b").want(t, failure.Usage, "", "correct the file")
	if data, err := os.ReadFile(".mcp.json"); string(data) != text {
		t.Errorf("%s, %v", data, err)
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
	testutil.SetConfigHome(t, filepath.Join(file, "none"))
	runCommand(t, "add", "b", "--", "mcpecho", "serve").want(t, 0, "Added b to .mcp.json. To try it, type: mcpecho tools b -c .mcp.json\n", "Cannot store that you trust it: ")
	runCommand(t, "call", "b", "echo", "message=hi", "-c", ".mcp.json").want(t, 0, "hi\n", "")
}

func TestAddFromAnotherProgram(t *testing.T) {
	inProject(t, nil)
	testutil.SetConfigHome(t, t.TempDir())
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
	runCommand(t, "add", "echos", "--from", "cursor").want(t, failure.Usage, "", "type: mcpecho add echoes --from cursor\n")
	runCommand(t, "call", "-c", "cursor", "echoes", "echo", "message=hi").want(t, failure.Usage, "", "type: mcpecho trust echoes -c cursor\n")
	if o := runCommand(t, "trust", "echoes", "-c", "cursor"); o.status != 0 {
		t.Errorf("%+v", o)
	}
	runCommand(t, "call", "-c", "cursor", "echoes", "echo", "message=hi").want(t, 0, "hi\n", "")
	runCommand(t, "call", "cursor:echoes", "echo", "message=hi").want(t, 0, "hi\n", "")
	home := filepath.Join(os.Getenv("HOME"), ".cursor")
	if err := errors.Join(os.Mkdir(home, 0o700), os.WriteFile(filepath.Join(home, "mcp.json"), []byte(`{"mcpServers":{"far":{"command":"x"}}}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	runCommand(t, "tools", "far").want(t, failure.Usage, "", "no server is configured as \"far\"")
	runCommand(t, "add", "--from", "cursor").want(t, failure.Usage, "", "add needs NAME; cursor has far, echoes; usage: ")
	runCommand(t, "add", "echoes", "--from", "cursr").want(t, failure.Usage, "", "only those of cursor; type: mcpecho add echoes --from cursor\n")
	o = runCommand(t, "add", "echoes", "--from", "Cursor")
	if o.status != 0 || !strings.Contains(o.stdout, "Added echoes to .mcp.json.") {
		t.Errorf("%+v", o)
	}
	if o := runCommand(t, "trust", "echoes"); o.status != 0 {
		t.Errorf("%+v", o)
	}
	runCommand(t, "call", "echoes", "echo", "message=hi").want(t, 0, "hi\n", "")
}

func TestTrustIsShownAndRevoked(t *testing.T) {
	inProject(t, map[string]string{".mcp.json": `{"mcpServers":{"theirs":SERVER}}`})
	testutil.SetConfigHome(t, t.TempDir())
	runCommand(t, "trust").want(t, 0, "", "You trust no servers of projects.")
	o := runCommand(t, "trust", "theirs")
	if o.status != 0 || !strings.HasPrefix(o.stdout, "Trusted theirs in .mcp.json.") || !strings.Contains(o.stdout, "API_KEY=***") {
		t.Errorf("%+v", o)
	}
	runCommand(t, "call", "theirs", "echo", "message=hi").want(t, 0, "hi\n", "")
	if o := runCommand(t, "trust"); o.status != 0 || !strings.HasPrefix(o.stdout, "theirs\t") {
		t.Errorf("%+v", o)
	}
	runCommand(t, "trust", "--revoke", "their").want(t, failure.Usage, "", "type: mcpecho trust --revoke theirs\n")
	runCommand(t, "trust", "--revoke", "theirs").want(t, 0, "Revoked the trust in theirs.\n", "")
	runCommand(t, "call", "theirs", "echo", "message=hi").want(t, failure.Usage, "", "type: mcpecho trust theirs\n")
	runCommand(t, "trust", "mine").want(t, 0, "mine is in "+filepath.Join(os.Getenv("HOME"), ".mcp.json")+", which needs no trust.\n", "")
}

// TestCommandsThatChangeOneFile: commands at the same time lose nothing of each other's.
func TestCommandsThatChangeOneFile(t *testing.T) {
	if !apart(t) {
		return
	}
	inProject(t, map[string]string{".mcp.json": `{"mcpServers":{"old0":SERVER,"old1":SERVER,"old2":SERVER,"old3":SERVER}}`})
	testutil.SetConfigHome(t, t.TempDir())
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			words := []string{"add", "new" + strconv.Itoa(i), "https://example.com/mcp"}
			if i < 4 {
				words = []string{"remove", "old" + strconv.Itoa(i)}
			}
			if o := runCommand(t, words...); o.status != 0 {
				t.Errorf("%q: %+v", words, o)
			}
		})
	}
	all.Wait()
	data, err := os.ReadFile(".mcp.json")
	if err != nil || strings.Count(string(data), "example.com") != 12 || strings.Contains(string(data), "old") {
		t.Errorf("%v after 12 additions and 4 removals:\n%s", err, data)
	}
}

// TestProblemsAreNamed: what is wrong in the file of an editor, or in the entry to trust, is said.
func TestProblemsAreNamed(t *testing.T) {
	inProject(t, map[string]string{
		".mcp.json": `{"mcpServers":{"a":{"command":"a","args":"-c id"}}}`,
		"url.json":  `{"mcpServers":{"local":{"url":"file:///etc/passwd"}}}`,
	})
	runCommand(t, "trust", "a").want(t, failure.Usage, "", `"args" must be`)
	file := filepath.Join(os.Getenv("HOME"), ".codex", "config.toml")
	if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("[[mcp_servers.y]]\ncommand = 'd'\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if o := runCommand(t, "servers", "--all"); !strings.Contains(o.stderr, "config.toml:1: lists of tables are not supported") {
		t.Errorf("%+v", o)
	}
	if o := runCommand(t, "tools", "local", "-c", "url.json"); strings.Contains(o.stderr, "write") || o.status != failure.Usage && o.status != failure.Unreachable {
		t.Errorf("%+v", o)
	}
	if o := runCommand(t, "servers", "--all", "--json"); !strings.Contains(o.stdout, "lists of tables") {
		t.Errorf("%+v", o)
	}
}

// TestChangeLeavesOtherServers: a file whose other servers would be lost stays as it is, and
// no second entry takes the place of the one that was removed.
func TestChangeLeavesOtherServers(t *testing.T) {
	inProject(t, nil)
	testutil.SetConfigHome(t, t.TempDir())
	const a, b, evil = `"a":{"command":"a"}`, `"b":{"command":"b"}`, `"a":{"command":"evil"}`
	for _, tt := range []struct{ command, before, after string }{
		{"add", "{" + a + "," + b + "}", ""},
		{"add", `{"mcpServers":{` + a + "}} text", ""},
		{"add", "{\"mcpServers\":{\"\xff\":{}," + a + "}}", ""},
		{"add", `{"mcp":{"servers":{"command":"s"},` + a + "}}", ""},
		{"remove", "{" + a + "," + b + "}", ""},
		{"remove", `{"mcpServers":{` + a + `},"mcp":{` + b + `,"servers":{"command":"x","a":{}}}}`, ""},
		{"remove", `{"amp.mcpServers":{` + a + "," + b + "}}", ""},
		{"remove", `{"mcpServers":{` + a + "," + b + "," + evil + "}}", `{"mcpServers":{` + b + "}}"},
		{"remove", `{"mcpServers":{` + a + `},"mcpServers":{` + b + "," + evil + "}}", `{"mcpServers":{},"mcpServers":{` + b + "}}"},
		{"remove", `{"servers":{` + evil + `},"mcpServers":{` + a + "," + b + "}}", `{"servers":{},"mcpServers":{` + b + "}}"},
		{"remove", `{"mcpServers":{/*/ ` + evil + ", /*/ " + a + "," + b + "}}", `{"mcpServers":{/*/ ` + evil + ", /*/ " + b + "}}"},
	} {
		if err := os.WriteFile(".mcp.json", []byte(tt.before), 0o600); err != nil {
			t.Fatal(err)
		}
		words := []string{"remove", "a"}
		if tt.command == "add" {
			words = []string{"add", "x", "--", "x"}
		}
		o := runCommand(t, words...)
		after, err := os.ReadFile(".mcp.json")
		if tt.after == "" && (string(after) != tt.before || o.status != failure.Usage) || tt.after != "" && (strings.ReplaceAll(string(after), " ", "") != strings.ReplaceAll(tt.after, " ", "") || o.status != 0) || err != nil {
			t.Errorf("%s: %s becomes %s\n%+v", tt.command, tt.before, after, o)
		}
	}
}
