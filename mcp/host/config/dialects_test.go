package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp/host/config"
)

func TestAuthTypesBecomeHeaders(t *testing.T) {
	for auth, want := range map[string]string{
		`"none"`: "", `{"type":"bearer","token":"t0ken"}`: "Authorization: Bearer t0ken",
		`{"type":"apikey","key":"k3y"}`: "X-API-Key: k3y", `{"type":"oauth","clientId":"c"}`: "",
	} {
		c := config.Parse([]byte(`{"servers":{"x":{"type":"http","url":"http://h/","auth":`+auth+`}}}`), "", "")
		s, err := c.Servers[0].Expand(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for name, value := range s.Headers {
			got = name + ": " + value
		}
		if got != want {
			t.Errorf("%s becomes %q", auth, got)
		}
	}
}

func TestServersBelowMCP(t *testing.T) {
	c := config.Parse([]byte(`{"mcp":{"servers":{
		"github":{"command":"npx","args":["-y","@modelcontextprotocol/server-github"],"env":{"GITHUB_TOKEN":"ghp_xxx"}},
		"sqlite":{"command":"npx","args":["-y","@modelcontextprotocol/server-sqlite","/path/to/db.sqlite"]},
		"home-assistant":{"transport":"sse","url":"http://100.114.249.118:8123/mcp","headers":{"Authorization":"Bearer xxx"}}}}}`), "config.json", "")
	if len(c.Problems) > 0 || len(c.Servers) != 3 || c.Server("home-assistant").Type != config.SSE || c.Server("github").Env[0] != "GITHUB_TOKEN=ghp_xxx" {
		t.Errorf("%+v, %v", c.Servers, c.Problems)
	}
}

func TestProjectFileReplacesUserFile(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for name, text := range map[string]string{
		filepath.Join(home, ".mcp.json"): `{"mcpServers":{"a":{"command":"user"},"b":{"command":"user"}}}`,
		filepath.Join(dir, ".mcp.json"):  `{"mcpServers":{"b":{"command":"project"},"c":{"url":"http://h/"}}}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := config.Load(dir)
	if len(c.Servers) != 3 || c.Server("a").Command != "user" || c.Server("b").Command != "project" || c.Server("c").URL == "" {
		t.Errorf("%+v, %v", c.Servers, c.Problems)
	}
}

// nestedConfig is a configuration with servers below tools.mcp.
const nestedConfig = `{"tools":{"mcp":{"servers":{
	"filesystem":{"transport":"stdio","command":"npx","args":["-y","@modelcontextprotocol/server-filesystem","/home/user/docs"],"timeout":30},
	"github":{"transport":"stdio","command":"npx","args":["-y","@modelcontextprotocol/server-github"],"env":["GITHUB_PERSONAL_ACCESS_TOKEN=ghp_xxx"]},
	"database":{"transport":"sse","url":"http://localhost:3001/sse","headers":{"Authorization":"Bearer my-token"},"timeout":120,"max_retries":5},
	"disabled-server":{"transport":"stdio","command":"some-server","enabled":false}}}},
	"agents":{"list":[{"id":"main","default":true,"mcp_servers":["filesystem","github"]}]}}`

func TestServersBelowToolsMCP(t *testing.T) {
	c := config.Parse([]byte(nestedConfig), "config.json", "user")
	if len(c.Problems) > 0 || len(c.Servers) != 4 {
		t.Fatalf("%v", c.Problems)
	}
	if s := c.Server("filesystem"); s.Type != config.Stdio || s.Command != "npx" || len(s.Args) != 3 || s.Timeout != 30*time.Second || s.Disabled {
		t.Errorf("%+v", s)
	}
	if s := c.Server("github"); !slices.Equal(s.Env, []string{"GITHUB_PERSONAL_ACCESS_TOKEN=ghp_xxx"}) || s.Timeout != 0 {
		t.Errorf("%+v", s)
	}
	if s := c.Server("database"); s.Type != config.SSE || s.Headers["Authorization"] != "Bearer my-token" || s.Timeout != 2*time.Minute || s.MaxRetries != 5 {
		t.Errorf("%+v", s)
	}
	if !c.Server("disabled-server").Disabled {
		t.Error("enabled: false")
	}
	for entry, want := range map[string]string{
		`{"transport":"stdio"}`:              `"command" is missing`,
		`{"transport":"sse"}`:                `"url" is missing`,
		`{"transport":"pipe","command":"a"}`: `"transport" must be stdio`,
	} {
		c := config.Parse([]byte(`{"tools":{"mcp":{"servers":{"x":`+entry+`}}}}`), "c", "")
		if len(c.Problems) != 1 || !strings.Contains(c.Problems[0].Error(), want) {
			t.Errorf("%s: %v", entry, c.Problems)
		}
	}
}

func TestDiscoveryDefersToolsOfServersWithoutASetting(t *testing.T) {
	const servers = `"servers":{"unset":{"command":"a"},"shown":{"command":"a","deferred":false},"hidden":{"command":"a","deferred":true}}`
	for name, tt := range map[string]struct {
		discovery            string
		want                 *config.Discovery
		unset, shown, hidden any // what Deferred is
	}{
		"enabled":  {`"discovery":{"enabled":true,"ttl":5,"max_search_results":3},`, &config.Discovery{Enabled: true, Turns: 5, MaxResults: 3}, true, false, true},
		"disabled": {`"discovery":{"enabled":false},`, &config.Discovery{}, false, false, false},
		"absent":   {``, nil, nil, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := config.Parse([]byte(`{"tools":{"mcp":{"enabled":true,`+tt.discovery+servers+`}}}`), "config.json", "user")
			if len(c.Problems) > 0 || !reflect.DeepEqual(c.Discovery, tt.want) {
				t.Errorf("%+v, %v", c.Discovery, c.Problems)
			}
			for server, want := range map[string]any{"unset": tt.unset, "shown": tt.shown, "hidden": tt.hidden} {
				var have any
				if d := c.Server(server).Deferred; d != nil {
					have = *d
				}
				if have != want {
					t.Errorf("%s: deferred is %v, want %v", server, have, want)
				}
			}
		})
	}
}

func TestMissingAndInvalidFile(t *testing.T) {
	t.Run("missing", func(t *testing.T) {
		t.Setenv("HOME", t.TempDir())
		if c := config.Load(t.TempDir()); len(c.Problems)+len(c.Servers) > 0 {
			t.Errorf("%v", c.Problems)
		}
	})
	t.Run("invalid", func(t *testing.T) {
		c := config.Parse([]byte(`{"mcpServers":`), ".mcp.json", "project")
		if len(c.Problems) != 1 || !c.Problems[0].Warning || !strings.HasPrefix(c.Problems[0].Error(), ".mcp.json:1: ") {
			t.Errorf("%v", c.Problems)
		}
	})
}
