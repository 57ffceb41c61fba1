package mcptest_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

var update = flag.Bool("update", false, "record the sessions in testdata again, in the current version of the format")

// TestCommittedRecordings: recordings of every version of the format stay readable.
func TestCommittedRecordings(t *testing.T) {
	for _, name := range []string{"1-" + mcp.ProtocolVersion20251125, "1-" + mcp.ProtocolVersion20260728, "2-" + mcp.ProtocolVersion20251125, "2-" + mcp.ProtocolVersion20260728} {
		path := filepath.Join("testdata", "format-"+name+".mcp")
		if format, version, _ := strings.Cut(name, "-"); *update && format == "2" { // which Record writes
			t.Run("record", func(t *testing.T) {
				s := mcptest.New(t)
				s.ProtocolVersions = []string{version}
				everything(s)
				s.Tool("login", nil, func(*mcptest.Call) (any, error) { return "Welcome", nil })
				useServer(t, mcptest.Record(t, path, s), "hunter2hunter2")
			})
		}
		got := useServer(t, mcptest.Replay(t, path, nil), "hunter2hunter2")
		const want = "[interview begun done Paris Ada file:///work begun done Paris Ada file:///work Welcome]"
		if fmt.Sprint(got) != want {
			t.Errorf("%s: replayed %q, want %q", path, got, want)
		}
	}
}

// TestRecordingOverHTTP: what was recorded over HTTP has the same replay.
func TestRecordingOverHTTP(t *testing.T) {
	for _, way := range []string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20260728, "SSE"} {
		t.Run(way, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "session.mcp")
			var want []string
			t.Run("record", func(t *testing.T) {
				s := mcptest.New(t)
				if way != "SSE" {
					s.ProtocolVersions = []string{way}
				}
				everything(s)
				s.Tool("login", nil, func(*mcptest.Call) (any, error) { return "Welcome", nil })
				web := s.StartHTTP(&mcptest.HTTPOptions{InMemory: true})
				var tr mcp.Transport = streamhttp.New(web.URL, &streamhttp.Options{Client: web.Client})
				if way == "SSE" {
					tr = sse.New(web.SSEURL, &sse.Options{Client: web.Client})
				}
				want = useServer(t, mcptest.Record(t, path, tr), "hunter2hunter2")
			})
			if got := useServer(t, mcptest.Replay(t, path, nil), "hunter2hunter2"); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("replayed %q, want %q", got, want)
			}
		})
	}
}

// follow subscribes to a resource, has the server change it, and returns what is
// reported. before is called before the subscription, if it is not nil.
func follow(t *testing.T, tr mcp.Transport, before func(*mcp.Client)) string {
	t.Helper()
	client, err := mcp.Connect(t.Context(), tr, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if before != nil {
		before(client)
	}
	sub, err := client.Subscribe(t.Context(), &mcp.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{"note://1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if _, err := client.CallTool(t.Context(), "change", nil); err != nil {
		t.Fatal(err)
	}
	change, err := sub.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(change.Kind, " ", change.URI)
}

// TestRecordedSubscriptions: changes are reported in a replay, even if the requests
// have other ids than in the recording.
func TestRecordedSubscriptions(t *testing.T) {
	list := func(client *mcp.Client) {
		if _, err := client.ListTools(t.Context()); err != nil {
			t.Error(err)
		}
	}
	for _, version := range []string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20260728} {
		for _, way := range []string{"memory", "HTTP"} {
			t.Run(version+" "+way, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "session.mcp")
				var want string
				t.Run("record", func(t *testing.T) {
					s := mcptest.New(t)
					s.ProtocolVersions = []string{version}
					s.Resource("note://1", "text/plain", "text")
					s.Tool("change", nil, func(*mcptest.Call) (any, error) {
						s.Updated("note://1")
						return "changed", nil
					})
					var tr mcp.Transport = s
					if way == "HTTP" {
						web := s.StartHTTP(&mcptest.HTTPOptions{InMemory: true})
						tr = streamhttp.New(web.URL, &streamhttp.Options{Client: web.Client})
					}
					want = follow(t, mcptest.Record(t, path, tr), list)
				})
				for name, before := range map[string]func(*mcp.Client){"same": list, "other ids": nil} {
					if got := follow(t, mcptest.Replay(t, path, nil), before); got != want {
						t.Errorf("%s: replayed %q, want %q", name, got, want)
					}
				}
				if t.Failed() {
					text, _ := os.ReadFile(path)
					t.Logf("%s", text)
				}
			})
		}
	}
}
