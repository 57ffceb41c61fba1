package mcp_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// TestClientsShareOptions checks that clients with the same options have
// caches of their own.
func TestClientsShareOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &mcp.Options{Cache: mcp.CacheSize(1 << 20)}
		served := onlyVersion(modern)
		for range 2 {
			server := testserver.New(&served)
			c := connect(t, server, o)
			for range 2 {
				if _, err := c.ReadResource(t.Context(), "echo://text"); err != nil {
					t.Fatal(err)
				}
			}
			if n := countRequests(server, "resources/read"); n != 1 {
				t.Errorf("read %d times, want once for each client", n)
			}
		}
	})
}

func TestNameIsInErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &mcp.Options{Name: "github", Interceptors: []mcp.Interceptor{func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
			if call.Server != "github" {
				t.Errorf("%s of server %q", call.Method, call.Server)
			}
			return call.Send(ctx)
		}}}
		c := connect(t, testserver.New(nil), o)
		_, err := c.CallTool(t.Context(), "none", nil)
		wantError(t, err, nil, `server "github": tools/call "none": `)
		if got := c.Server().Name; got == "github" {
			t.Errorf("Server has the name %q", got)
		}
	})
	for _, transport := range []mcp.Transport{noTransport{}, mcp.FirstOf(noTransport{}, noTransport{})} {
		_, err := mcp.Connect(t.Context(), transport, &mcp.Options{Name: "github"})
		wantError(t, err, nil, `server "github": connect to nowhere: `)
	}
}

// A noTransport opens nothing.
type noTransport struct{}

func (noTransport) Features() jsonrpc.TransportFeatures {
	return jsonrpc.TransportFeatures{Name: "nowhere"}
}

func (noTransport) Open(context.Context, jsonrpc.Handler) (jsonrpc.Conn, error) {
	return nil, otherTransport{}
}

type otherTransport struct{}

func (otherTransport) Error() string        { return "another transport" }
func (otherTransport) OtherTransport() bool { return true }

// TestProbeWithoutLimit checks that a negative ProbeTimeout waits for the
// response to server/discover, however late.
func TestProbeWithoutLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mcptest.New(t)
		server.Inject("server/discover", mcptest.Delay(50*time.Second))
		if c := server.Connect(&mcp.Options{ProbeTimeout: -1}); c.Server().ProtocolVersion != modern {
			t.Errorf("connected with %s", c.Server().ProtocolVersion)
		}
	})
}
