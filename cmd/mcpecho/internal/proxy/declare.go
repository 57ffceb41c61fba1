package proxy

import (
	"bytes"
	"context"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A Declarer is a transport whose client declares other capabilities than its own: those
// of another client, whose view of the server it has.
type Declarer struct {
	mcp.Transport
	Capabilities mcp.RawMessage
	Changed      *atomic.Bool // set when the client would have declared others
}

// Open implements mcp.Transport.
func (d *Declarer) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	conn, err := d.Transport.Open(ctx, h)
	if err != nil {
		return nil, err
	}
	return &declaringConn{conn, d}, nil
}

type declaringConn struct {
	jsonrpc.Conn
	d *Declarer
}

// Call changes what the client declares: in initialize, or in the _meta of any request.
func (c *declaringConn) Call(ctx context.Context, req *jsonrpc.Request) (jsonrpc.RawMessage, error) {
	path := []string{"_meta", "io.modelcontextprotocol/clientCapabilities"}
	if req.Method == "initialize" {
		path = []string{"capabilities"}
	}
	if own := wire.Lookup(req.Params, path...); own != nil && !bytes.Equal(own, c.d.Capabilities) {
		c.d.Changed.Store(true)
		other := *req
		other.Params = replace(req.Params, string(c.d.Capabilities), path...)
		req = &other
	}
	return c.Conn.Call(ctx, req)
}
