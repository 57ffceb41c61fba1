package faulttest

import (
	"context"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A hookedTransport is a transport that calls hook with the name of each of its
// methods, before it does what the transport does.
type hookedTransport struct {
	mcp.Transport
	hook func(method string)
	wrap func(jsonrpc.Conn) jsonrpc.Conn // wraps the connections, unless nil
}

func (t hookedTransport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	t.hook("Open")
	conn, err := t.Transport.Open(ctx, h)
	if err == nil && t.wrap != nil {
		conn = t.wrap(conn)
	}
	return conn, err
}

func (t hookedTransport) Features() jsonrpc.TransportFeatures {
	t.hook("Features")
	return t.Transport.Features()
}

// A hookedConn is the same for a connection.
type hookedConn struct {
	jsonrpc.Conn
	hook     func(method string)
	once     sync.Once
	features jsonrpc.Features
}

func noHook(string) {}

func (c *hookedConn) Call(ctx context.Context, r *jsonrpc.Request) (jsonrpc.RawMessage, error) {
	c.hook("Call")
	return c.Conn.Call(ctx, r)
}

func (c *hookedConn) Notify(ctx context.Context, r *jsonrpc.Request) error {
	c.hook("Notify")
	return c.Conn.Notify(ctx, r)
}

func (c *hookedConn) Reply(ctx context.Context, id jsonrpc.ID, res jsonrpc.RawMessage, e *jsonrpc.Error) error {
	c.hook("Reply")
	return c.Conn.Reply(ctx, id, res, e)
}

func (c *hookedConn) Done() <-chan struct{} { c.hook("Done"); return c.Conn.Done() }
func (c *hookedConn) Err() error            { c.hook("Err"); return c.Conn.Err() }
func (c *hookedConn) Close() error          { c.hook("Close"); return c.Conn.Close() }

// Features returns the features of the connection. The hook is called for their
// functions, too.
func (c *hookedConn) Features() *jsonrpc.Features {
	c.hook("Features")
	c.once.Do(func() {
		c.features = *c.Conn.Features()
		f := c.features
		c.features.Explain = func(err error) error {
			c.hook("Explain")
			if f.Explain == nil {
				return nil
			}
			return f.Explain(err)
		}
		c.features.AcceptBatches = func() { c.hook("AcceptBatches"); f.AcceptBatches() }
		c.features.BindArguments = func(string, jsonrpc.RawMessage) error { c.hook("BindArguments"); return nil }
		c.features.ForgetArguments = func(time.Time) { c.hook("ForgetArguments") }
	})
	return &c.features
}
