package mcp_test

import (
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// TestCachedServerIsNotProbed: ServerInfo may come from another process.
func TestCachedServerIsNotProbed(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		saved, err := json.Marshal(p.open(t, p.server(testserver.Options{}), nil).Server())
		if err != nil {
			t.Fatal(err)
		}
		known := new(mcp.ServerInfo)
		if err := json.Unmarshal(saved, known); err != nil {
			t.Fatal(err)
		}
		s := p.server(testserver.Options{})
		c := p.open(t, s, &mcp.Options{CachedServer: known})
		if _, err := c.CallTool(t.Context(), "image", nil); err != nil {
			t.Fatal(err)
		}
		want := []string{"tools/call"}
		if p.version == legacy {
			want = []string{"initialize", "notifications/initialized", "tools/call"}
		}
		if got := receivedMethods(s); !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
		again, err := json.Marshal(c.Server())
		if err != nil || string(again) != string(saved) {
			t.Errorf("the server is %s, %v, want %s", again, err, saved)
		}
	})
}

// TestCachedServerWithDisallowedVersion: ProtocolVersions takes precedence.
func TestCachedServerWithDisallowedVersion(t *testing.T) {
	for _, known := range []string{modern, "", "1999-01-01"} {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, testserver.New(nil), &mcp.Options{CachedServer: &mcp.ServerInfo{ProtocolVersion: known}, ProtocolVersions: []string{legacy}})
			if got := c.Server().ProtocolVersion; got != legacy {
				t.Errorf("%q: version %s", known, got)
			}
		})
	}
}

// TestCachedServerHasChanged: the error of a call reports it.
func TestCachedServerHasChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := onlyVersion(legacy)
		c := connectStream(t, testserver.New(&o).Pipe(), &mcp.Options{CachedServer: &mcp.ServerInfo{ProtocolVersion: modern}})
		_, err := c.CallTool(t.Context(), "image", nil)
		wantError(t, err, nil, "tools/call")
	})
}
