package mcp_test

import (
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// TestKnownServerIsNotAskedAgain what it has said before, to another process.
func TestKnownServerIsNotAskedAgain(t *testing.T) {
	everywhere(t, func(t *testing.T, p place) {
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
		if p.revision == legacy {
			want = []string{"initialize", "notifications/initialized", "tools/call"}
		}
		if got := methods(s); !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
		again, err := json.Marshal(c.Server())
		if err != nil || string(again) != string(saved) {
			t.Errorf("the server is %s, %v, want %s", again, err, saved)
		}
	})
}

// TestKnownRevisionThatMayNotBeUsed: Versions has the last word.
func TestKnownRevisionThatMayNotBeUsed(t *testing.T) {
	for _, known := range []string{modern, "", "1999-01-01"} {
		synctest.Test(t, func(t *testing.T) {
			c := open(t, testserver.New(nil), &mcp.Options{CachedServer: &mcp.ServerInfo{ProtocolVersion: known}, ProtocolVersions: []string{legacy}})
			if got := c.Server().ProtocolVersion; got != legacy {
				t.Errorf("%q: speaks %s", known, got)
			}
		})
	}
}

// TestKnownServerThatHasChanged says so.
func TestKnownServerThatHasChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := speaking(legacy)
		c := dial(t, testserver.New(&o).Pipe(), &mcp.Options{CachedServer: &mcp.ServerInfo{ProtocolVersion: modern}})
		_, err := c.CallTool(t.Context(), "image", nil)
		wantError(t, err, nil, "tools/call")
	})
}
