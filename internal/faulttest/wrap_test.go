package faulttest

import (
	"context"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A hookedTransport is a transport that calls hook with the name of each of its
// methods, before it does what the transport does. It has all optional methods.
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

func (t hookedTransport) String() string {
	t.hook("String")
	if named, ok := t.Transport.(mcp.Named); ok {
		return named.String()
	}
	return ""
}

func (t hookedTransport) Kind() string {
	t.hook("Kind")
	if kinded, ok := t.Transport.(mcp.Kinded); ok {
		return kinded.Kind()
	}
	return ""
}

func (t hookedTransport) SingleUse() bool {
	t.hook("SingleUse")
	once, ok := t.Transport.(mcp.SingleUse)
	return ok && once.SingleUse()
}

// A hookedConn is the same for a connection.
type hookedConn struct {
	jsonrpc.Conn
	hook func(method string)
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

func (c *hookedConn) Diagnosis() string {
	c.hook("Diagnosis")
	if d, ok := c.Conn.(jsonrpc.Diagnoser); ok {
		return d.Diagnosis()
	}
	return ""
}

func (c *hookedConn) MaxMessage() int {
	c.hook("MaxMessage")
	if l, ok := c.Conn.(jsonrpc.MessageLimiter); ok {
		return l.MaxMessage()
	}
	return 0
}

func (c *hookedConn) Legacy() bool {
	c.hook("Legacy")
	old, ok := c.Conn.(mcp.LegacyOnly)
	return ok && old.Legacy()
}

func (c *hookedConn) Stateless() bool {
	c.hook("Stateless")
	s, ok := c.Conn.(mcp.Stateless)
	return ok && s.Stateless()
}

func (c *hookedConn) AcceptBatches() {
	c.hook("AcceptBatches")
	if b, ok := c.Conn.(mcp.BatchReader); ok {
		b.AcceptBatches()
	}
}

func (c *hookedConn) BindArguments(tool string, schema jsonrpc.RawMessage) error {
	c.hook("BindArguments")
	if b, ok := c.Conn.(mcp.ArgumentBinder); ok {
		return b.BindArguments(tool, schema)
	}
	return nil
}

func (c *hookedConn) ForgetArguments(before time.Time) {
	c.hook("ForgetArguments")
	if b, ok := c.Conn.(mcp.ArgumentBinder); ok {
		b.ForgetArguments(before)
	}
}
