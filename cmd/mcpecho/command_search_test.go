package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
)

func TestSearch(t *testing.T) {
	web := webServer(t, nil, nil)
	inProject(t, map[string]string{
		".mcp.json":  `{"mcpServers":{"theirs":SERVER}}`,
		"other.json": `{"mcpServers":{"web":{"url":"` + web.URL + `"},"off":{"command":"x","disabled":true}}}`,
	})
	o := runCommand(t, "search", "add", "numbers", "-c", "other.json")
	lines := strings.Split(o.stdout, "\n")
	if o.status != 0 || len(lines) < 3 || !strings.HasPrefix(lines[0], "mine/add\t") || !strings.HasPrefix(lines[1], "web/add\t") {
		t.Errorf("%+v", o)
	}
	if strings.Contains(o.stdout, "theirs") || !strings.Contains(o.stderr, "theirs is not searched, because it is untrusted; to trust it, type: mcpecho trust theirs -c other.json\n") {
		t.Errorf("untrusted: %+v", o)
	}
	runCommand(t, "search", "xylophone", "-c", "other.json").want(t, 0, "", `None of the 34 tools of 2 servers matches "xylophone".`)
	runCommand(t, "search", "xylophone", "-q").want(t, 0, "", "")

	o = runCommand(t, "search", "ad*", "--json", "-q")
	var found struct {
		Tools []struct {
			Server string
			Tool   struct {
				Name        string
				InputSchema json.RawMessage
			}
		}
	}
	if err := json.Unmarshal([]byte(o.stdout), &found); err != nil || len(found.Tools) == 0 || found.Tools[0].Server != "mine" || found.Tools[0].Tool.InputSchema == nil {
		t.Errorf("%+v, %v", o, err)
	}
	runCommand(t, "search", "xylophone", "--json", "-q").want(t, 0, `{"tools":[]}`+"\n", "")
}

func TestSearchWithoutServers(t *testing.T) {
	t.Parallel()
	runCommand(t, "search", "weather").want(t, 0, "", "No servers are configured")
	runCommand(t, "search", "weather", "--json", "-q").want(t, 0, `{"tools":[]}`+"\n", "")
	runCommand(t, "search").want(t, failure.Usage, "", "search")
}

func TestSearchNamesServersThatFail(t *testing.T) {
	inProject(t, map[string]string{"other.json": `{"mcpServers":{"closed":{"url":"` + closedURL(t) + `"},
		"guarded":{"url":"` + tokenServer(t, "t") + `/mcp"},"missing":{"command":"mcpecho-no-such-program"}}}`})
	o := runCommand(t, "search", "echo", "-c", "other.json")
	if o.status != 0 || !strings.HasPrefix(o.stdout, "mine/echo\t") {
		t.Errorf("%+v", o)
	}
	for _, want := range []string{"mcpecho: closed cannot be searched: ", "mcpecho: guarded cannot be searched: ", "mcpecho: missing cannot be searched: start server \"mcpecho-no-such-program\": ", "; type: mcpecho login guarded -c other.json\n"} {
		if !strings.Contains(o.stderr, want) {
			t.Errorf("no %q in:\n%s", want, o.stderr)
		}
	}
}

func TestSearchOfNoServer(t *testing.T) {
	t.Chdir(t.TempDir())
	config := `{"mcpServers":{"missing":{"command":"mcpecho-no-such-program"}}}`
	if err := os.WriteFile("other.json", []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	runCommand(t, "search", "echo", "-c", "other.json").want(t, failure.Unreachable, "", "mcpecho: missing cannot be searched: ")
}

func TestSearchDoesNotWaitForASilentServer(t *testing.T) {
	if !apart(t) {
		return
	}
	server, env := childserver.Command(&testserver.Options{Fault: "mute"})
	settings := map[string]string{}
	for _, e := range env {
		key, value, _ := strings.Cut(e, "=")
		settings[key] = value
	}
	entry, err := json.Marshal(map[string]any{"command": server[0], "args": server[1:], "env": settings})
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("other.json", []byte(`{"mcpServers":{"silent":`+string(entry)+`}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	runCommand(t, "search", "echo", "-c", "other.json", "--connect-timeout", "200ms").want(t, failure.Unreachable, "", "use --connect-timeout to wait longer\n")
}

// The second search finds what the first one did without the servers, and
// --refresh asks them again.
func TestSearchUsesTheCatalog(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	web := webServer(t, nil, nil)
	inProject(t, map[string]string{"other.json": `{"mcpServers":{"web":{"url":"` + web.URL + `"}}}`})
	search := []string{"search", "add", "-c", "other.json"}
	o := runCommand(t, search...)
	if !strings.Contains(o.stdout, "web/add\t") {
		t.Fatalf("%+v", o)
	}
	web.Close()
	first := o.stdout
	runCommand(t, search...).want(t, 0, first,
		"The tools of 2 servers are from an earlier search; --refresh asks again.\n")
	for _, flag := range []string{"--refresh", "--no-state"} {
		o = runCommand(t, append(search, flag)...)
		if strings.Contains(o.stdout, "web/") || !strings.HasPrefix(o.stdout, "mine/add\t") || !strings.Contains(o.stderr, "mcpecho: web cannot be searched: ") {
			t.Errorf("%s: %+v", flag, o)
		}
	}
	runCommand(t, search...).want(t, 0, first, "earlier search") // as the server has not said anything else
	runCommand(t, "logout", "web", "-c", "other.json")
	if o = runCommand(t, search...); !strings.Contains(o.stderr, "mcpecho: web cannot be searched: ") {
		t.Errorf("after logout: %+v", o)
	}
}
