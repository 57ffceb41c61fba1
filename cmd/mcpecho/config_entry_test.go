package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// inProject makes a folder with files the current one, for a user who has
// configured the server "mine".
func inProject(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	server := entryJSON(t)
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "SERVER", server)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(home, ".mcp.json"), `{"mcpServers":{"mine":SERVER}}`)
	for name, text := range files {
		write(filepath.Join(dir, name), text)
	}
}

// entryJSON returns the entry of a server that is this program.
func entryJSON(t *testing.T) string {
	return `{"command":` + quoted(mcpechoPath(t)) + `,"args":["serve"],"env":{"GORACE":"atexit_sleep_ms=0","API_KEY":"hunter2hunter2"}}`
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// The name of a server may contain what separates it from a tool. If two servers can be
// meant, neither is used.
func TestToolOfTwoServers(t *testing.T) {
	inProject(t, map[string]string{"c.json": `{"mcpServers":{"a":SERVER,"a/b":SERVER,"x.y":SERVER}}`})
	o := runCommand(t, "call", "-c", "c.json", "a/b/echo", "message=hi")
	o.want(t, 1, "", `"a/b/echo" names tools of 2 servers`)
	if !strings.Contains(o.stderr, "separate the server from the tool by a space") {
		t.Error(o.stderr)
	}
	for _, line := range []string{"a/b echo", "a/echo", "x.y/echo", "x.y.echo"} {
		runCommand(t, append(append([]string{"call", "-c", "c.json"}, strings.Fields(line)...), "message=hi")...).want(t, 0, "hi\n", "")
	}
}

func TestConfiguredServerNames(t *testing.T) {
	web := webServer(t, nil, nil)
	inProject(t, map[string]string{"other.json": `{"servers":{
		"web":{"url":"` + web.URL + `","headers":{"X-Key":"hunter2hunter2"}},
		"old":{"type":"sse","url":"` + web.SSE + `"}}}`})
	for _, line := range []string{
		"call mine echo message=hi", "call mine/echo message=hi", "tools/call mine/echo message=hi --protocol 2025-11-25",
		"call other.json:web echo message=hi", "call other.json:web/echo message=hi", "call -c other.json web echo message=hi",
		"call --config=other.json old/echo message=hi", "call other.json:web/echo message=hi -t http",
	} {
		runCommand(t, strings.Fields(line)...).want(t, 0, "hi\n", "")
	}
	if o := runCommand(t, "info", "mine/add"); o.status != 0 || !strings.Contains(o.stdout, "mcpecho call mine add a=1 b=1\n") {
		t.Errorf("%+v", o)
	}
	for _, r := range web.Requests() {
		if key := r.Header.Get("X-Key"); r.URL == "/mcp" && key != "hunter2hunter2" {
			t.Errorf("%s %s with the key %q", r.Method, r.URL, key)
		}
	}
}

func TestInvalidConfiguration(t *testing.T) {
	inProject(t, map[string]string{
		"bad.json":  `{"mcpServers":{"neither":{"args":["a"]},"unset":{"command":"a","args":["${MCPECHO_UNSET}"]},"sdk":{"type":"sdk"}}}`,
		"none.json": `{`,
		"near.json": `{"mcpServers":{"github":{"args":["a"]},"github2":SERVER}}`,
	})
	for line, want := range map[string]string{
		"tools mien":                      `no server is configured as "mien" (did you mean "mine"?); type: mcpecho tools mine`,
		"tools nobody":                    `no server is configured as "nobody"; for a list, type: mcpecho servers`,
		"tools bad.json:neither":          `bad.json:1: server "neither": `,
		"tools near.json:github":          `near.json:1: server "github": "command" or a URL is required; correct the file`,
		"tools github -c near.json":       `near.json:1: server "github": "command" or a URL is required; correct the file`,
		"tools none.json:x":               "mcpecho: none.json:1: ",
		"tools missing.json:x":            `the configuration file "missing.json" does not exist`,
		"tools x -c none.json":            "mcpecho: none.json:1: ",
		"tools mine -c bad.jsn":           `the configuration file "bad.jsn" does not exist (did you mean "bad.json"?); type: mcpecho tools mine -c bad.json`,
		"tools mine -c none.json":         "mcpecho: none.json:1: ",
		"search echo -c absent.json":      `"absent.json" does not exist`,
		"trust mine --config=absent.json": `"absent.json" does not exist`,
		"login mine -c absent.json":       `"absent.json" does not exist`,
		"tools mine -c .":                 "not a regular file",
		"tools bad.json:unset":            "MCPECHO_UNSET",
		"tools bad.json:sdk":              `does not support servers of type "sdk"`,
		"tools mine -t http":              "-t, -H and --insecure need a server at a URL",
		"call mine/echo/x a=1":            `no tool "echo/x"`,
		"login mine":                      "login and logout need a server at a URL",
		"tools mine/echo --json":          `"kind":"usage"`,
	} {
		o := runCommand(t, strings.Fields(line)...)
		if (o.status != failure.Usage && o.status != failure.Refused) || o.stdout != "" || !strings.Contains(o.stderr, want) || strings.Contains(o.stderr, "github2") {
			t.Errorf("%s: %+v", line, o)
		}
	}
}

// A filter and an override that name no tool have no effect, which only the server's tools show.
func TestServersReportsSettingsThatMatchNoTool(t *testing.T) {
	inProject(t, map[string]string{"own.json": `{"servers":{"own":` + strings.TrimSuffix(entryJSON(t), "}") +
		`,"includeTools":["echo"],"excludeTools":["delte_*"],"overrides":{"ehco":{"name":"say"}}}}}`})
	o := runCommand(t, "servers", "own.json")
	if want := `; "excludeTools" names "delte_*", which matches none of the server's tools; "overrides" names "ehco", which is not a tool of the server`; o.status != 0 || strings.Count(o.stdout, want+"\n") != 1 {
		t.Errorf("%+v", o)
	}
}

func TestProjectIsNotTrustedByDefault(t *testing.T) {
	inProject(t, map[string]string{".mcp.json": `{"mcpServers":{"mine":SERVER,"theirs":SERVER}}`})
	for _, line := range []string{"mine echo", "theirs echo", "theirs/echo"} {
		runCommand(t, append(strings.Fields("call "+line), "message=hi")...).want(t, failure.Usage, "", "; to trust it, type: mcpecho trust "+line[:strings.IndexAny(line, " /")]+"\n")
	}
	o := runCommand(t, "call", "theirs", "echo", "message=hi", "--json")
	if !strings.Contains(o.stderr, `"hint":"to trust it, type: mcpecho trust theirs"`) {
		t.Errorf("%+v", o)
	}
	runCommand(t, "call", "theirs", "echo", "message=hi", "-c", ".mcp.json").want(t, 0, "hi\n", "")
	runCommand(t, "call", ".mcp.json:theirs/echo", "message=hi").want(t, 0, "hi\n", "")
}

func TestSecretsOfTheConfigurationAreMasked(t *testing.T) {
	inProject(t, nil)
	trace := filepath.Join(t.TempDir(), "trace")
	runCommand(t, "call", "mine/echo", "message=hunter2hunter2", "--trace", trace).want(t, 0, "hunter2hunter2\n", "")
	if data, err := os.ReadFile(trace); err != nil || strings.Contains(string(data), "hunter2") {
		t.Errorf("%s, %v", data, err)
	}
	if o := runCommand(t, "call", "mine/hunter2hunter2"); o.status != failure.Refused || strings.Contains(o.stderr, "hunter2") {
		t.Errorf("%+v", o)
	}
}

func TestServersPrintsStatus(t *testing.T) {
	web := webServer(t, nil, nil)
	inProject(t, map[string]string{
		".mcp.json": `{"mcpServers":{"theirs":SERVER}}`,
		"other.json": `{"mcpServers":{"web":{"url":"` + web.URL + `"},"closed":{"url":"` + closedURL(t) + `"},
			"guarded":{"url":"` + tokenServer(t, "t") + `/mcp"},"off":{"command":"x","disabled":true},"neither":{"args":["x"]}}}`,
	})
	o := runCommand(t, "servers", "-c", "other.json")
	if o.status != 0 || !strings.Contains(o.stderr, `other.json:2: server "neither"`) {
		t.Errorf("%+v", o)
	}
	lines := strings.Split(o.stdout, "\n")
	for i, want := range []string{"closed\tfailed: ", "guarded\tunauthorized: type: mcpecho login guarded", "mine\tconnected: stdmcp-echo 1.0.0, 2026-07-28, 17 tools, in ",
		"off\tdisabled: ", "theirs\tuntrusted: to trust it, type: mcpecho trust theirs", "web\tconnected: "} {
		if len(lines) != 7 || !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d is no %q:\n%s", i, want, o.stdout)
		}
	}
	var all struct {
		Servers []struct{ Name, Status, Message, Source string }
	}
	o = runCommand(t, "servers", "-c", "other.json", "-c", ".mcp.json", "--json")
	if err := json.Unmarshal([]byte(o.stdout), &all); err != nil || len(all.Servers) != 6 || all.Servers[4].Status != "connected" || all.Servers[4].Source != ".mcp.json" {
		t.Errorf("%+v, %v", o, err)
	}
}

// A list has one line for each server, also if the last words of a server have
// several, and the hint that a command would print in a line of its own.
func TestServersPrintsFailuresInOneLine(t *testing.T) {
	inProject(t, map[string]string{"other.json": `{"mcpServers":{
		"flag":{"command":` + quoted(mcpechoPath(t)) + `,"args":["tools"]},"scheme":{"url":"localhost:3000/mcp"}}}`})
	o := runCommand(t, "servers", "other.json")
	lines := strings.Split(o.stdout, "\n")
	if o.status != 0 || len(lines) != 3 || strings.Contains(o.stdout, `\u000a`) || !strings.Contains(lines[0], "exited with status 1: mcpecho: the server is missing; usage: ") ||
		!strings.HasSuffix(lines[1], `; write "url": "http://localhost:3000/mcp"`) {
		t.Errorf("%+v", o)
	}
}

func TestNoServersAreConfigured(t *testing.T) {
	runCommand(t, "servers").want(t, 0, "", "No servers are configured")
	runCommand(t, "servers", "-q").want(t, 0, "", "")
	runCommand(t, "servers", "--json").want(t, 0, `{"servers":[]}`+"\n", "")
}

func TestExcludedTools(t *testing.T) {
	inProject(t, map[string]string{"other.json": `{"servers":{
		"some":` + strings.TrimSuffix(entryJSON(t), "}") + `,"includeTools":["e*","add*"],"excludeTools":["echo"]}}}`})
	o := runCommand(t, "tools", "other.json:some")
	if o.status != 0 || !strings.HasPrefix(o.stdout, "add\t") || strings.Contains(o.stdout, "\necho\t") || strings.Contains(o.stdout, "\nfail\t") ||
		!strings.Contains(o.stderr, "The configuration excludes ") {
		t.Errorf("%+v", o)
	}
	var list struct{ Tools []struct{ Name string } }
	o = runCommand(t, "tools", "other.json:some", "--json", "-q")
	if err := json.Unmarshal([]byte(o.stdout), &list); err != nil || len(list.Tools) != 4 || list.Tools[0].Name != "add" || o.stderr != "" {
		t.Errorf("%+v, %v", o, err)
	}
	runCommand(t, "call", "other.json:some/add", "a=1", "b=2").want(t, 0, "3\n", "")
	for _, line := range []string{"call other.json:some echo message=hi", `call other.json:some echo {"message":"hi"}`, "info other.json:some echo"} {
		o := runCommand(t, strings.Fields(line)...)
		if want := `mcpecho: the tool "echo" is excluded by the entry of "some" in other.json`; o.status != failure.Usage || !strings.HasPrefix(o.stderr, want) || o.stdout != "" {
			t.Errorf("%s: %+v", line, o)
		}
	}
	if o := runCommand(t, "servers", "other.json"); !strings.Contains(o.stdout, ", 4 tools, in ") {
		t.Errorf("%+v", o)
	}
}

// servers reports what is wrong with files, and where.
func TestServersReportsInvalidFiles(t *testing.T) {
	inProject(t, map[string]string{
		".mcp.json":   "{\"mcpServers\":{\n\"typo\":{\"comand\":\"x\"}}}",
		"broken.json": "{\n\"servers\": {\n",
		"warn.json":   "{\n\"servers\": {\"a\": {\"command\": \"no-such-program-here\",\n\"icon\": 1}}}",
	})
	o := runCommand(t, "servers", "warn.json", "-c", "broken.json")
	if o.status != failure.Usage || o.stdout == "" || strings.Contains(o.stdout, "mine") || !strings.Contains(o.stderr, "mcpecho: broken.json:3: ") || !strings.Contains(o.stderr, "mcpecho: warn.json:3: server \"a\": \"icon\" is unknown\n") {
		t.Errorf("%+v", o)
	}
	runCommand(t, "servers", "warn.json", "-q").want(t, 0, o.stdout, "")
	o = runCommand(t, "servers", ".mcp.json")
	for _, want := range []string{`mcpecho: .mcp.json:2: server "typo": "command" or a URL is required`, `mcpecho: .mcp.json:2: server "typo": "comand" is unknown`} {
		if o.status != failure.Usage || strings.Count(o.stderr, want+"\n") != 1 {
			t.Errorf("no %q in %+v", want, o)
		}
	}
	for file, want := range map[string]string{"broken.json": "broken.json:3: JSON: ", "absent.json": "absent.json: open absent.json: "} {
		for _, flag := range [][]string{{file}, {"-c", file}} {
			if o := runCommand(t, append([]string{"servers"}, flag...)...); o.status != failure.Usage || !strings.Contains(o.stderr, "mcpecho: "+want) {
				t.Errorf("%q: %+v", flag, o)
			}
		}
	}
	var all struct {
		Servers  []struct{ Name string }
		Problems []struct {
			File, Server, Message string
			Line                  int
			Warning               bool
		}
	}
	o = runCommand(t, "servers", "warn.json", "--json")
	if err := json.Unmarshal([]byte(o.stdout), &all); err != nil || len(all.Servers) != 1 || len(all.Problems) != 1 || o.stderr != "" {
		t.Fatalf("%+v, %v", o, err)
	}
	if p := all.Problems[0]; p.File != "warn.json" || p.Server != "a" || p.Line != 3 || !p.Warning || p.Message != `"icon" is unknown` {
		t.Errorf("%+v", p)
	}
}

func TestCommandThatContainsArguments(t *testing.T) {
	inProject(t, map[string]string{"other.json": `{"servers":{"path":{"command":"/no-such-folder/npx -y it"},"name":{"command":"no-such-npx -y it"}}}`})
	o := runCommand(t, "servers", "other.json")
	if o.status != 0 || strings.Count(o.stdout, `; put the arguments of the command into "args"`+"\n") != 2 {
		t.Errorf("%+v", o)
	}
}

func TestInputsWithoutATerminal(t *testing.T) {
	inProject(t, map[string]string{"other.json": `{"servers":{"x":{"command":"x","env":{"K":"${input:key}"}}}}`})
	want := `other.json: server "x": "env" asks for the input "key": cannot prompt for it: standard input and standard error must be a terminal`
	if o := runCommand(t, "tools", "other.json:x"); o.status != failure.Usage || !strings.Contains(o.stderr, want) {
		t.Errorf("%+v", o)
	}
	if o := runCommand(t, "servers", "other.json"); o.status != 0 || !strings.HasPrefix(o.stdout, "x\tfailed: \"env\" asks for the input") {
		t.Errorf("%+v", o)
	}
}

// VS Code and Cursor define variables for their files of servers.
func TestVariablesOfEditors(t *testing.T) {
	inProject(t, map[string]string{"servers.json": `{"mcpServers":{"a":{"command":"x","args":["${NO_SUCH}"]}}}`})
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	e := &config.Server{Command: "x", Args: []string{"${userHome}", "${workspaceFolder}${/}a", "${workspaceFolderBasename}${pathSeparator}"}}
	e, err = e.Expand(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	slash := string(os.PathSeparator)
	if want := []string{os.Getenv("HOME"), dir + slash + "a", filepath.Base(dir) + slash}; !slices.Equal(e.Args, want) {
		t.Errorf("%q, want %q", e.Args, want)
	}
	runCommand(t, "servers", "servers.json").want(t, 0, "a\tfailed: \"args\" needs the variable \"NO_SUCH\", which is not set\n", "")
}

// The server may come after the words that belong behind it, with flags between them.
func TestServerAfterItsArguments(t *testing.T) {
	inProject(t, map[string]string{"a.json": `{"mcpServers":{"x":{"command":"` + mcpechoPath(t) + `","args":["serve"]}}}`})
	for line, want := range map[string]string{
		"task cancel 7 x -c a.json":        "mcpecho task cancel x 7 -c a.json",
		"call echo -c a.json x message=hi": "mcpecho call x echo -c a.json message=hi",
	} {
		if o := runCommand(t, strings.Fields(line)...); o.status != failure.Usage || !strings.Contains(o.stderr, "type: "+want+"\n") {
			t.Errorf("%s: %+v", line, o)
		}
	}
}
