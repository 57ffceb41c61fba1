package mcptest_test

import (
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// TestOwnTransports in each era that they have.
func TestOwnTransports(t *testing.T) {
	for _, version := range []string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20260728} {
		server := func(t *testing.T) *mcptest.Server {
			s := mcptest.New(t)
			s.ProtocolVersions = []string{version}
			mcptest.TransportServer(s)
			return s
		}
		t.Run("memory "+version, func(t *testing.T) {
			s := server(t)
			mcptest.TestTransport(t, func() mcp.Transport { return s })
		})
		t.Run("streamhttp "+version, func(t *testing.T) {
			web := server(t).StartHTTP(nil)
			mcptest.TestTransport(t, func() mcp.Transport {
				return streamhttp.New(web.URL, &streamhttp.Options{Client: web.Client})
			})
		})
		if version != mcp.ProtocolVersion20260728 {
			t.Run("sse", func(t *testing.T) {
				web := server(t).StartHTTP(nil)
				mcptest.TestTransport(t, func() mcp.Transport {
					return sse.New(web.SSEURL, &sse.Options{Client: web.Client})
				})
			})
		}
	}
	t.Run("stdio", func(t *testing.T) {
		program := mcptest.Command(t, "transport")
		mcptest.TestTransport(t, func() mcp.Transport { return program.Transport() })
	})
}

// The conformance test of a transport over a Unix socket, or of any other.
func ExampleTestTransport() {
	test := func(t *testing.T) {
		server := mcptest.New(t)
		mcptest.TransportServer(server)
		mcptest.TestTransport(t, func() mcp.Transport { return server })
	}
	_ = test
	// Output:
}
