package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// project makes a folder with files the current one, for a user who has
// configured the server "mine".
func project(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	server := `{"command":` + quoted(self(t)) + `,"args":["serve"],"env":{"GORACE":"atexit_sleep_ms=0","API_KEY":"hunter2hunter2"}}`
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

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestConfiguredServersHaveNames(t *testing.T) {
	web := onWeb(t, nil, nil)
	project(t, map[string]string{"other.json": `{"servers":{
		"web":{"url":"` + web.URL + `","headers":{"X-Key":"hunter2hunter2"}},
		"old":{"type":"sse","url":"` + web.SSE + `"}}}`})
	for _, line := range []string{
		"call mine echo message=hi", "call mine/echo message=hi", "tools/call mine/echo message=hi --protocol 2025-11-25",
		"call other.json:web echo message=hi", "call other.json:web/echo message=hi", "call -c other.json web echo message=hi",
		"call --config=other.json old/echo message=hi", "call other.json:web/echo message=hi -t http",
	} {
		try(t, strings.Fields(line)...).want(t, 0, "hi\n", "")
	}
	if o := try(t, "info", "mine/add"); o.status != 0 || !strings.Contains(o.stdout, "mcpecho call mine add a=1 b=1\n") {
		t.Errorf("%+v", o)
	}
	for _, r := range web.Requests() {
		if key := r.Header.Get("X-Key"); r.URL == "/mcp" && key != "hunter2hunter2" {
			t.Errorf("%s %s with the key %q", r.Method, r.URL, key)
		}
	}
}

func TestConfigurationIsWrong(t *testing.T) {
	project(t, map[string]string{
		"bad.json":  `{"mcpServers":{"both":{"command":"a","url":"http://b"},"unset":{"command":"a","args":["${MCPECHO_UNSET}"]},"sdk":{"type":"sdk"}}}`,
		"none.json": `{`,
	})
	for line, want := range map[string]string{
		"tools mien":             `no configured server "mien"; did you mean "mine"?`,
		"tools nobody":           "give a URL, or put the server's command after --",
		"tools bad.json:both":    `bad.json:1: server "both": `,
		"tools none.json:x":      "\n\tnone.json:1: ",
		"tools missing.json:x":   "\n\tmissing.json: ",
		"tools x -c none.json":   "\n\tnone.json:1: ",
		"tools bad.json:unset":   "MCPECHO_UNSET",
		"tools bad.json:sdk":     "can't reach servers of the type sdk",
		"tools mine -t http":     "-t and -H are for a server at a URL",
		"call mine/echo/x a=1":   `no tool "echo/x"`,
		"login mine":             "only servers at a URL have logins",
		"tools mine/echo --json": `"kind":"usage"`,
	} {
		o := try(t, strings.Fields(line)...)
		if (o.status != statusUsage && o.status != statusRefused) || o.stdout != "" || !strings.Contains(o.stderr, want) {
			t.Errorf("%s: %+v", line, o)
		}
	}
}

func TestProjectIsNotTrustedUnasked(t *testing.T) {
	project(t, map[string]string{".mcp.json": `{"mcpServers":{"mine":SERVER,"theirs":SERVER}}`})
	for _, line := range []string{"mine echo", "theirs echo", "theirs/echo"} {
		try(t, append(strings.Fields("call "+line), "message=hi")...).want(t, statusUsage, "", "-c .mcp.json says that it is to be trusted")
	}
	try(t, "call", "theirs", "echo", "message=hi", "-c", ".mcp.json").want(t, 0, "hi\n", "")
	try(t, "call", ".mcp.json:theirs/echo", "message=hi").want(t, 0, "hi\n", "")
}

func TestSecretsOfTheConfigurationAreMasked(t *testing.T) {
	project(t, nil)
	trace := filepath.Join(t.TempDir(), "trace")
	try(t, "call", "mine/echo", "message=hunter2hunter2", "--trace", trace).want(t, 0, "hunter2hunter2\n", "")
	if data, err := os.ReadFile(trace); err != nil || strings.Contains(string(data), "hunter2") {
		t.Errorf("%s, %v", data, err)
	}
	if o := try(t, "call", "mine/hunter2hunter2"); o.status != statusRefused || strings.Contains(o.stderr, "hunter2") {
		t.Errorf("%+v", o)
	}
}

func TestServersShowsTheirStatus(t *testing.T) {
	web := onWeb(t, nil, nil)
	project(t, map[string]string{
		".mcp.json": `{"mcpServers":{"theirs":SERVER}}`,
		"other.json": `{"mcpServers":{"web":{"url":"` + web.URL + `"},"closed":{"url":"` + closedURL(t) + `"},
			"guarded":{"url":"` + guarded(t, "t") + `/mcp"},"off":{"command":"x","disabled":true},"both":{"command":"x","url":"y"}}}`,
	})
	o := try(t, "servers", "-c", "other.json")
	if o.status != 0 || !strings.Contains(o.stderr, `other.json:2: server "both"`) {
		t.Errorf("%+v", o)
	}
	lines := strings.Split(o.stdout, "\n")
	for i, want := range []string{"closed\tfailed: ", "guarded\tunauthorized: mcpecho login guarded asks", "mine\tconnected: stdmcp-echo 1.0.0, 2026-07-28, 17 tools, in ",
		"off\tdisabled: ", "theirs\tuntrusted: -c .mcp.json ", "web\tconnected: "} {
		if len(lines) != 7 || !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d is no %q:\n%s", i, want, o.stdout)
		}
	}
	var all struct {
		Servers []struct{ Name, Status, Message, Source string }
	}
	o = try(t, "servers", "-c", "other.json", "-c", ".mcp.json", "--json")
	if err := json.Unmarshal([]byte(o.stdout), &all); err != nil || len(all.Servers) != 6 || all.Servers[4].Status != "connected" || all.Servers[4].Source != ".mcp.json" {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestNoServersAreConfigured(t *testing.T) {
	try(t, "servers").want(t, 0, "", "No servers are configured")
	try(t, "servers", "-q").want(t, 0, "", "")
	try(t, "servers", "--json").want(t, 0, `{"servers":[]}`+"\n", "")
}
