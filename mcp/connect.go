package mcp

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// ServerInfo describes a server, in the server's own words.
type ServerInfo struct {
	Implementation
	ProtocolVersion string // the version in use
	Capabilities    ServerCapabilities
	Instructions    string // for the model; often empty

	// Probed is set only in the result of [Client.CachedServer] for a server of
	// the legacy era: when it was last asked with server/discover. Connect asks
	// again a day later, as the server may have been updated. Zero means never, as
	// the request ended or broke the server.
	Probed time.Time

	// StreamLate is set only in the result of [Client.CachedServer]: when a client
	// waited without success for the stream of a session, which proxies may buffer.
	// Connect does not wait within a day of that. Zero means never.
	StreamLate time.Time
}

// Modern reports whether ProtocolVersion belongs to the modern era, which has no
// initialize: 2026-07-28 or later.
func (s ServerInfo) Modern() bool { return s.ProtocolVersion >= protocolVersions[modernVersions-1] }

// MarshalJSON encodes s as the result of initialize, in both eras.
func (s ServerInfo) MarshalJSON() ([]byte, error) { return encode(&s) }

// UnmarshalJSON decodes a result of initialize.
func (s *ServerInfo) UnmarshalJSON(data []byte) error { return decode(data, s) }

// Connect opens a connection to a server and negotiates the protocol version.
// ctx bounds only Connect itself: the client keeps the values of ctx and lives
// until Close. opts may be nil.
//
// Connect first probes for the modern era with server/discover. If the response
// does not come from a modern server, Connect sends initialize, on a new
// connection if the server has closed the first one. If no response arrives
// within [Options].ProbeTimeout, Connect sends initialize as well; if the
// server accepts both, the client uses the session. [Options].CachedServer
// changes the order, and so do transports that can be opened only once or exist
// only in the legacy era (see [jsonrpc.TransportFeatures] and [jsonrpc.Features]).
//
// The error matches [ErrUnsupportedVersion] if there is no common protocol
// version, [ErrClosed] if the server closed the connection,
// [context.DeadlineExceeded] if it did not respond in time, and [ErrMalformed]
// if its response is invalid. If the transport could not open a connection, the
// error wraps the error of Open.
func Connect(ctx context.Context, t Transport, opts *Options) (*Client, error) {
	if err := checkArguments(t, opts); err != nil {
		return nil, err
	}
	c := newClient(ctx, opts)
	c.transport = t.Features()
	for _, h := range c.opts.Handlers {
		if a, ok := h.(attacher); ok {
			a.attach(c)
		}
	}
	err := c.checkDeclared()
	if err == nil {
		err = c.open(ctx, t)
	}
	if err != nil {
		c.cancel()
		if f, ok := err.(alternatives); ok {
			return f.connect(ctx, t, opts)
		}
		return nil, c.connectError(err)
	}
	if err := c.begin(ctx, t); err != nil {
		return nil, c.connectError(err)
	}
	return c, nil
}

// begin negotiates the protocol version. It closes the client if that fails.
func (c *Client) begin(ctx context.Context, t Transport) error {
	connected := false
	defer func() {
		if !connected { // after an error, or a panic of an Interceptor
			c.Close()
		}
	}()
	a, err := c.newHandshake(t, c.opts.CachedServer).run(ctx)
	if err != nil {
		return err
	}
	if err := c.adopt(ctx, a); err != nil {
		return err
	}
	for _, h := range c.opts.Handlers {
		if h, ok := h.(connectedHandler); ok {
			if err := h.connected(ctx, c); err != nil {
				return err
			}
		}
	}
	connected = true
	return nil
}

func checkArguments(t Transport, opts *Options) error {
	if t == nil {
		return errors.New("connect: the transport is nil")
	}
	if opts != nil {
		for i, h := range opts.Handlers {
			if h == nil {
				return errors.New("connect: Options.Handlers[" + strconv.Itoa(i) + "] is nil")
			}
		}
	}
	return nil
}

// checkDeclared returns an error if what the client declares of itself contains
// invalid JSON, which the server would receive as null.
func (c *Client) checkDeclared() error {
	if _, err := encodeObject(nil, c.capabilities(false)); err != nil {
		return diag.Op("Options.Extensions or Experimental", err)
	}
	if _, err := encodeObject(nil, &c.opts.Info); err != nil {
		return diag.Op("Options.Info", err)
	}
	return nil
}

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

func (c *Client) explain(err error) error {
	if f := c.features; f != nil && f.Explain != nil {
		c.guard(func() {
			if explained := f.Explain(err); explained != nil {
				err = explained
			}
		})
	}
	if text := c.unmatched.Load(); text != nil && errors.Is(err, context.DeadlineExceeded) {
		err = diag.Error(err.Error()+*text, nil, err)
	}
	return err
}

func (c *Client) connectError(err error) error {
	err = c.explain(err)
	name, target, text := c.opts.Name, c.transport.Name, err.Error()
	if strings.Contains(text, "server "+wire.Quote(name)+": ") {
		name = ""
	}
	if quoted := wire.Quote(target); strings.Contains(text, quoted[1:len(quoted)-1]) { // backslashes of Windows are doubled
		target = ""
	}
	return diag.Op(connectOp(name, target), err)
}

func (c *Client) adopt(ctx context.Context, a *agreement) error {
	if a.server.Name == "" {
		a.server.Name = c.transport.Name
	}
	c.agreed.Store(a)
	c.requests.refuse.Store(!a.era.legacy())
	c.observe(c.trace.EraChosen != nil, func() { c.trace.EraChosen(c.ctx, a.server) })
	if level := c.opts.LogLevel; level != "" && a.server.Capabilities.Logging != nil {
		return c.beginLogLevel(ctx, a.era, level)
	}
	return nil
}

func (c *Client) open(ctx context.Context, t Transport) error {
	l := make(link, 1)
	var conn jsonrpc.Conn
	defer func() { l <- conn }()
	opened, err := t.Open(ctx, c.connHandler(l))
	if err != nil {
		return err
	}
	conn = opened
	c.conn, c.features = conn, conn.Features()
	c.hintLateStream()
	c.owned = c.features.Owner == conn && len(c.opts.Interceptors) == 0
	c.budget.SetMax(c.features.MaxMessage)
	return nil
}

// A link holds a connection of the client from when Open has returned it, or nil if
// Open failed. Who takes it puts it back. Messages may arrive before, and with a
// connection that Open has wrapped; the client replies through that of the link.
type link chan jsonrpc.Conn

// FirstOf returns a Transport for a server that supports one of several
// transports. [Connect] tries them in order. It tries the next one only if the
// error is an [OtherTransportError] that reports another transport, not if the
// server fails or refuses.
//
//	mcp.FirstOf(streamhttp.New(url, nil), sse.New(url, nil))
//
// Only Connect can open it. Wrap each of the transports instead of FirstOf:
// Connect returns an error for a transport that hides them.
//
// If no transport succeeds, the error contains the error of each, with the name
// of its protocol (see [jsonrpc.TransportFeatures]).
func FirstOf(transports ...Transport) Transport { return &firstOf{transports} }

type firstOf struct{ all []Transport }

// Features returns those of the first transport.
func (f *firstOf) Features() jsonrpc.TransportFeatures {
	if len(f.all) == 0 || f.all[0] == nil {
		return jsonrpc.TransportFeatures{}
	}
	return f.all[0].Features()
}

var (
	errNoTransport = errors.New("FirstOf has no transport")
	errHidden      = errors.New("only Connect can open FirstOf; wrap each of its transports instead of FirstOf")
)

// Open opens nothing. Connect takes the transports from the error.
func (f *firstOf) Open(context.Context, jsonrpc.Handler) (jsonrpc.Conn, error) { return nil, f }

// Format implements fmt.Formatter, as fmt calls no method of what f holds.
func (f *firstOf) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte(f.Error())) }

func (f *firstOf) Error() string { return errHidden.Error() }

// connect tries the transports, unless opened hides them: what it adds to its
// connections would be lost.
func (f *firstOf) connect(ctx context.Context, opened Transport, opts *Options) (*Client, error) {
	op := connectOp(opts.name(), f.Features().Name)
	if opened != f {
		return nil, diag.Op(op, errHidden)
	}
	if len(f.all) == 0 {
		return nil, diag.Op(op, errNoTransport)
	}
	tried := &firstOfError{op: op, transports: f.all}
	for _, t := range f.all {
		c, err := Connect(ctx, t, opts)
		if err == nil {
			return c, nil
		}
		tried.errs = append(tried.errs, err)
		if !isOtherKind(err) {
			break
		}
	}
	if len(tried.errs) == 1 {
		return nil, tried.errs[0]
	}
	return nil, tried
}

func isOtherKind(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if e, ok := err.(OtherTransportError); ok {
			return e.OtherTransport()
		}
	}
	return false
}

// A firstOfError holds the errors of the first transports.
type firstOfError struct {
	op         string // see connectOp
	transports []Transport
	errs       []error
}

func (e *firstOfError) Error() string {
	s := e.op
	for i, err := range e.errs {
		if i == 0 {
			s += ": "
		} else {
			s += "; then "
		}
		if kind := e.transports[i].Features().Kind; kind != "" {
			s += "over " + kind + ": "
		}
		if op, ok := err.(*diag.OpError); ok {
			err = op.Err // without the name of the server, which is in e.op
		}
		s += err.Error()
	}
	if isOtherKind(e.errs[len(e.errs)-1]) {
		s += "; check that this is the URL of an MCP server, path included"
	}
	return s
}

func (e *firstOfError) Unwrap() []error { return e.errs }
