package mcp

import (
	"context"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// ServerInfo is what Connect learned about a server. Name, version and
// instructions are the server's own words.
type ServerInfo struct {
	Implementation
	ProtocolVersion string // the protocol revision in use
	Capabilities    ServerCapabilities
	Instructions    string // for the model; often empty
}

// Modern reports whether ProtocolVersion is of the modern era, in which there
// is no initialize: 2026-07-28 or later.
func (s ServerInfo) Modern() bool { return s.ProtocolVersion >= protocolVersions[modernVersions-1] }

// MarshalJSON returns what the server said in the shape of the result of
// initialize, whichever way it was asked.
func (s ServerInfo) MarshalJSON() ([]byte, error) {
	return marshalObject(&initializeResult{
		ProtocolVersion: s.ProtocolVersion,
		Capabilities:    s.Capabilities,
		ServerInfo:      s.Implementation,
		Instructions:    s.Instructions,
	})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *ServerInfo) UnmarshalJSON(data []byte) error {
	var res initializeResult
	if err := unmarshalObject(data, &res); err != nil {
		return err
	}
	*s = ServerInfo{res.ServerInfo, res.ProtocolVersion, res.Capabilities, res.Instructions}
	return nil
}

// Connect opens a connection to the server and agrees with it on a protocol
// revision. ctx bounds the connecting only; the client lives until Close and
// keeps the context's values. opts may be nil.
//
// Servers of 2026-07-28 and later are found by asking server/discover, unless
// the transport is one that they don't have. Anything but an answer that only
// such a server gives leads to initialize, on a fresh connection if the server
// ended the first. A server that is slow to start is asked both ways.
//
// The error matches [ErrUnsupportedVersion] when there is no common revision,
// [ErrClosed] when the server went away, context.DeadlineExceeded when it
// does not answer, and [ErrMalformed] when its answer made no sense.
func Connect(ctx context.Context, t Transport, opts *Options) (*Client, error) {
	if t, ok := t.(connector); ok {
		return t.connect(ctx, opts)
	}
	c := newClient(ctx, opts)
	c.transportName = nameOf(t)
	for _, h := range c.opts.Handlers {
		if a, ok := h.(attacher); ok {
			a.attach(c)
		}
	}
	if err := c.open(ctx, t); err != nil {
		c.stop()
		return nil, c.firstOfError(err)
	}
	a, err := c.negotiate(ctx)
	if err != nil && !isModern(err) && c.probes() && c.conn.Err() != nil && ctx.Err() == nil {
		a, err = c.reconnectLegacy(ctx, t, err)
	}
	if err != nil {
		c.Close()
		return nil, c.firstOfError(err)
	}
	c.adopt(a)
	if level := c.opts.LogLevel; level != "" && c.server.Capabilities.Logging != nil {
		if err := c.SetLogLevel(ctx, level); err != nil {
			c.Close()
			return nil, c.firstOfError(err)
		}
	}
	return c, nil
}

// connectOp describes connecting, for errors, with the program's name for the
// server and the transport's. Both may be empty.
func connectOp(name, target string) string {
	op := "connect"
	if name != "" {
		op = "server " + wire.Quote(name) + ": connect"
	}
	if target != "" {
		op += " to " + target
	}
	return op
}

func (c *Client) firstOfError(err error) error {
	return diag.Op(connectOp(c.opts.Name, c.transportName), err)
}

// open opens the connection.
func (c *Client) open(ctx context.Context, t Transport) error {
	conn, err := t.Open(ctx, jsonrpc.Handler{Message: c.message, Dropped: c.opts.Dropped, Trace: c.opts.Trace})
	if err == nil {
		c.conn = conn
	}
	return err
}

// startAgain gives a server another chance that went away during the probe:
// some exit when the first request is not initialize.
func (c *Client) reconnectLegacy(ctx context.Context, t Transport, first error) (*agreement, error) {
	legacy := c.opts.legacy(c.opts.ProtocolVersions)
	if legacy == "" {
		return nil, first
	}
	_ = c.conn.Close()
	if err := c.open(ctx, t); err != nil {
		return nil, first // says more: it is why a second try was needed
	}
	return c.initialize(ctx, legacy)
}
