package mcptest_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func TestRequestNamesWhatItIsFor(t *testing.T) {
	server := mcptest.New(t)
	server.Instructions = "Call the tool."
	server.ProtocolVersions = []string{mcp.ProtocolVersion20251125}
	server.Tool("t", nil, func(c *mcptest.Call) (any, error) { return c.Name + " " + c.ProtocolVersion + string(c.Params()), nil })
	server.Resource("test://r", "", "text")
	client := server.Connect(nil)
	if s := client.Server().Instructions; s != "Call the tool." {
		t.Error(s)
	}
	res, err := client.CallTool(t.Context(), "t", map[string]any{"a": 1})
	if err != nil || res.Text() != `t 2025-11-25{"name":"t","arguments":{"a":1}}` {
		t.Error(res, err)
	}
	if _, err := client.ReadResource(t.Context(), "test://r"); err != nil {
		t.Error(err)
	}
	all := server.Requests("tools/call", "resources/read")
	if len(all) != 2 {
		t.Fatal(all)
	}
	call, read := all[0], all[1]
	if call.Method != "tools/call" || call.Name != "t" || call.URI != "" || string(call.Arguments) != `{"a":1}` || string(call.Params) != `{"name":"t","arguments":{"a":1}}` {
		t.Errorf("%+v", call)
	}
	if read.Method != "resources/read" || read.Name != "" || read.URI != "test://r" || read.Arguments != nil {
		t.Errorf("%+v", read)
	}
}

func TestSampleHasTheWholeAnswer(t *testing.T) {
	server := mcptest.New(t)
	server.Tool("t", nil, func(c *mcptest.Call) (any, error) {
		res, err := c.Sample(&mcp.CreateMessageParams{MaxTokens: 10, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: []mcp.Content{mcp.TextContent("?")}}}})
		if err != nil {
			return nil, err
		}
		return string(res.Role) + " " + res.Model + " " + res.Content[0].Text, nil
	})
	res, err := server.Connect(&mcp.Options{Handlers: handlers()}).CallTool(t.Context(), "t", nil)
	if err != nil || res.Text() != "assistant m Paris" {
		t.Error(res, err)
	}
}

func TestHTTPOptions(t *testing.T) {
	t.Run("TLS", func(t *testing.T) {
		site := mcptest.New(t).StartHTTP(&mcptest.HTTPOptions{TLS: true})
		if !strings.HasPrefix(site.URL, "https://") {
			t.Error(site.URL)
		}
		if _, err := mcp.Connect(t.Context(), streamhttp.New(site.URL, nil), nil); err == nil {
			t.Error("a client that does not know the certificate connected")
		}
		connect(t, site)
	})
	t.Run("Stateless", func(t *testing.T) {
		server := mcptest.New(t)
		server.ProtocolVersions = []string{mcp.ProtocolVersion20250618}
		for _, stateless := range []bool{false, true} {
			site := server.StartHTTP(&mcptest.HTTPOptions{Stateless: stateless})
			sessions := &sessionCounter{base: site.Client.Transport}
			site.Client = &http.Client{Transport: sessions}
			connect(t, site)
			if got := sessions.n.Load() > 0; got == stateless {
				t.Errorf("stateless %v, and a response had the id of a session: %v", stateless, got)
			}
		}
	})
	t.Run("KeepAlive", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			for _, tt := range []struct {
				every time.Duration
				fails bool
			}{{0, true}, {time.Second, false}} {
				server := mcptest.New(t)
				server.Tool("slow", nil, func(c *mcptest.Call) (any, error) {
					select {
					case <-time.After(10 * time.Second):
					case <-c.Context().Done():
					}
					return "done", nil
				})
				site := server.StartHTTP(&mcptest.HTTPOptions{InMemory: true, EventStreams: true, KeepAlive: tt.every})
				client, err := mcp.Connect(t.Context(), streamhttp.New(site.URL, &streamhttp.Options{Client: site.Client, IdleTimeout: 3 * time.Second}), nil)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := client.CallTool(t.Context(), "slow", nil); (err != nil) != tt.fails {
					t.Errorf("with comments every %v: %v", tt.every, err)
				}
				client.Close()
			}
		})
	})
}

// A sessionCounter counts the responses that have the id of a session.
type sessionCounter struct {
	base http.RoundTripper
	n    atomic.Int64
}

func (c *sessionCounter) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := c.base.RoundTrip(req)
	if err == nil && res.Header.Get("Mcp-Session-Id") != "" {
		c.n.Add(1)
	}
	return res, err
}

// connect connects to a server over Streamable HTTP until the end of the test.
func connect(t *testing.T, site *mcptest.HTTPServer) *mcp.Client {
	t.Helper()
	client, err := mcp.Connect(t.Context(), streamhttp.New(site.URL, &streamhttp.Options{Client: site.Client}), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func TestReplayKnowsTheSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r")
	args := map[string]any{"text": "tell hunter22"}
	t.Run("record", func(t *testing.T) {
		server := mcptest.New(t)
		server.Tool("t", nil, func(*mcptest.Call) (any, error) { return "ok", nil })
		client, err := mcp.Connect(t.Context(), mcptest.Record(t, path, server, "hunter22"), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		if _, err := client.CallTool(t.Context(), "t", args); err != nil {
			t.Error(err)
		}
	})
	client, err := mcp.Connect(t.Context(), mcptest.Replay(t, path, &mcptest.ReplayOptions{Secrets: []string{"hunter22"}}), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if res, err := client.CallTool(t.Context(), "t", args); err != nil || res.Text() != "ok" {
		t.Error(res, err)
	}
}

func TestErrorsNameTheReason(t *testing.T) {
	server := mcptest.New(t)
	server.ProtocolVersions = []string{mcp.ProtocolVersion20251125}
	client := server.Connect(nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := client.CallTool(ctx, "t", nil)
	var failed *mcp.CallError
	if !errors.As(err, &failed) || !errors.Is(failed.Err, context.Canceled) {
		t.Error(err)
	}
	n := 0
	for _, err := range client.Tasks(t.Context()) {
		if n++; !errors.Is(err, errors.ErrUnsupported) {
			t.Error(err)
		}
	}
	if n != 1 {
		t.Errorf("%d tasks", n)
	}
}

func TestSubscriptionToPrompts(t *testing.T) {
	server := mcptest.New(t)
	server.Prompt("first", func(*mcptest.Call) (any, error) { return "", nil })
	client := server.Connect(nil)
	sub, err := client.Subscribe(t.Context(), &mcp.SubscriptionFilter{PromptsListChanged: true})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	server.Prompt("second", func(*mcptest.Call) (any, error) { return "", nil })
	if change, err := sub.Next(t.Context()); err != nil || change.Kind != mcp.PromptsChanged {
		t.Error(change, err)
	}
}

func TestTTLReachesTheClient(t *testing.T) {
	server := mcptest.New(t)
	server.TTL = time.Minute
	server.Tool("t", nil, func(*mcptest.Call) (any, error) { return nil, nil })
	page, err := server.Connect(nil).ListToolsPage(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if caching := mcp.Caching(page.Caching); caching.TTLMs == nil || *caching.TTLMs != 60_000 {
		t.Errorf("%+v", caching)
	}
}
