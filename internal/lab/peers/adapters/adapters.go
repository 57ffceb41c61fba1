// Package adapters connects to servers of go-sdk and mcp-go in the same process, as
// docs/guides/testing.md shows.
package adapters

import (
	"context"
	"net"

	"github.com/mark3labs/mcp-go/server"
	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// GoSDK returns a transport that connects once to a server made with go-sdk.
func GoSDK(s *gosdk.Server) mcp.Transport {
	ours, theirs := net.Pipe()
	go s.Run(context.Background(), &gosdk.IOTransport{Reader: theirs, Writer: theirs}) // ends with the connection
	return stdio.Stream(ours)
}

// MCPGo returns a transport that connects once to a server made with mcp-go.
func MCPGo(s *server.MCPServer) mcp.Transport {
	ours, theirs := net.Pipe()
	go func() { // ends with the connection
		defer theirs.Close()
		server.NewStdioServer(s).Listen(context.Background(), theirs, theirs)
	}()
	return stdio.Stream(ours)
}
