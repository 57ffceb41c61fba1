package interop

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// freePort returns a port that no process listens on.
func freePort(t *testing.T) string {
	t.Helper()
	_, port, _ := net.SplitHostPort(testutil.FreeAddress(t))
	return port
}

// serveEverything starts server-everything, of the catalog, until the end of the
// test.
func serveEverything(t *testing.T, transport string) *instance {
	t.Helper()
	servers := zoo(t)
	n := slices.IndexFunc(servers, func(s *zooServer) bool { return s.Name == "everything" })
	i := newInstance(t, servers[n], transport)
	i.start(t)
	return i
}

// waitForServer waits until a server listens at an address.
func waitForServer(t *testing.T, address string) {
	t.Helper()
	if !testutil.Eventually(func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	}) {
		t.Fatal("no server listens on " + address)
	}
}

// TestGatewayToHTTP: supergateway connects to its backend when the first request
// arrives, and breaks if another one arrives meanwhile.
func TestGatewayToHTTP(t *testing.T) {
	backend := serveEverything(t, "http /mcp")
	gateway := stdio.Command(newNode(), filepath.Join(os.Getenv("STDMCP_INTEROP"), "supergateway/dist/index.js"), "--streamableHttp", backend.url)
	var known *mcp.ServerInfo
	for range 2 {
		c, err := mcp.Connect(t.Context(), gateway, &mcp.Options{CachedServer: known})
		testutil.Must(t, err)
		if tools, err := c.ListTools(t.Context()); err != nil || len(tools) == 0 {
			t.Errorf("%d tools, %v", len(tools), err)
		}
		known = c.CachedServer()
		testutil.Must(t, c.Close())
	}
}

func TestEverythingOverHTTP(t *testing.T) {
	streamable := serveEverything(t, "http /mcp").url
	old := serveEverything(t, "sse /sse").url
	for name, tr := range map[string]mcp.Transport{
		"streamable":      streamhttp.New(streamable, nil),
		"sse":             sse.New(old, nil),
		"first of, new":   mcp.FirstOf(streamhttp.New(streamable, nil), sse.New(streamable, nil)),
		"first of, older": mcp.FirstOf(streamhttp.New(old, nil), sse.New(old, nil)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			useEverything(t, tr)
		})
	}
}
