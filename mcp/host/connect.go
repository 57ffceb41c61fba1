package host

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// tryConnect is connect, which calls functions of the program. A panic fails the
// attempt.
func (h *Host) tryConnect(ctx context.Context, s *server, r *run) (m *monitor, away *liveness, failure *Error) {
	if err := h.guard(func() { m, away, failure = h.connect(ctx, s, r) }); err != nil {
		h.lock()
		defer h.unlock()
		return nil, nil, configurationError(s.cfg, err)
	}
	return m, away, failure
}

// connect makes one connection attempt. away is not nil if it failed because a server
// at a URL is unreachable for now.
func (h *Host) connect(ctx context.Context, s *server, r *run) (m *monitor, away *liveness, failure *Error) {
	h.lock()
	cfg, cached := s.cfg, s.cached
	h.unlock()
	started, err := h.opts.expand(ctx, cfg) // may ask the user, so it comes before the semaphore
	if err != nil {
		return nil, nil, configurationError(cfg, err)
	}
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, connectError(s.name, ctx.Err(), &DialParams{Server: started})
	}
	defer func() { <-h.slots }()
	started.InheritEnv = started.InheritEnv || h.opts.InheritEnv // Expand returned a copy
	limit, _ := h.opts.timeouts(cfg)
	bound, cancel := within(&serverContext{ctx, s.name}, limit, diag.Error("no response within "+limit.String(), context.DeadlineExceeded, nil))
	defer cancel()
	client, d, err := h.dialAny(bound, s, started, cached)
	if d == nil {
		e := configurationError(cfg, err)
		e.text = started.Hide(e.text)
		return nil, nil, e
	}
	if err != nil {
		if errors.Is(err, context.Canceled) && ctx.Err() == nil {
			err = context.Cause(bound) // the timeout
		}
		// After an earlier connection, the network may have changed, or may not
		// be available yet.
		if live := d.live; live != nil && (live.isUnreachable(err) || s.info != nil && errors.Is(err, context.DeadlineExceeded)) {
			away = live
		} else {
			h.lock()
			s.cached = nil // the server may have been replaced
			h.unlock()
		}
		return nil, away, connectError(s.name, err, d)
	}
	opened := &monitor{h: h, s: s, client: client, params: d, retryDelay: minTTL}
	m = opened
	connected := false
	defer func() {
		if !connected { // lost, or a panic of Intercept
			opened.end()
		}
	}()
	m.subscribe(bound) // before listing, so that no change is missed
	tools, listErr := listTools(bound, client)
	if client.Err() != nil || ctx.Err() != nil {
		lost := client.Err()
		if lost == nil {
			lost = ctx.Err()
		}
		return nil, nil, connectError(s.name, lost, d)
	}
	h.setConnected(s, r, client, d, tools, listErr)
	m.scheduleRefresh(listErr)
	if d.live != nil {
		d.live.schedulePing(m)
	}
	connected = true
	return m, nil, nil
}

// dialAny connects to a server with the transport of its type. For a URL without a
// type, it tries Streamable HTTP, then HTTP+SSE. If a server with a type uses the
// other of the two, the error says so. The parameters are those of the last
// transport, or nil if the settings are invalid.
func (h *Host) dialAny(ctx context.Context, s *server, started *Server, cached *mcp.ServerInfo) (*mcp.Client, *DialParams, error) {
	kind, dialers := started.Type, h.opts.Dialers
	switch {
	case kind != "":
	case started.Command == "" && started.URL == "":
		return nil, nil, errors.New("the server has neither a command nor a URL")
	case started.URL == "":
		kind = config.Stdio
	case started.Command != "" || dialers[config.HTTP] != nil:
		kind = config.HTTP
	case dialers[config.SSE] != nil:
		kind = config.SSE
	default:
		return nil, nil, errors.New("no dialer for servers with a URL; see package dialers")
	}
	client, d, err := h.dial(ctx, s, started, kind, cached)
	other := ""
	switch kind {
	case config.HTTP:
		other = config.SSE
	case config.SSE:
		other = config.HTTP
	}
	if err == nil || d == nil || other == "" || dialers[other] == nil || started.Command != "" || !wantsOther(err) {
		return client, d, err
	}
	limit := time.Duration(0)
	if started.Type != "" {
		limit = otherTypeTimeout
	}
	bound, cancel := within(ctx, limit, nil)
	defer cancel()
	client, second, failed := h.dial(bound, s, started, other, cached)
	switch {
	case started.Type == "" && (failed == nil || second == nil):
		return client, second, failed
	case started.Type == "":
		what := "over " + kind + ", then " + other
		if wantsOther(failed) {
			what += " (check that this is the URL of an MCP server, path included)"
		}
		return nil, second, &startError{what, []error{withoutOp(err), withoutOp(failed)}}
	case failed == nil:
		_ = client.Close()
		second.end()
		err = diag.Error(withoutOp(err).Error()+"; the server speaks the transport "+wire.Quote(other)+": set its type to that, or leave the type out", nil, err)
	}
	return nil, d, err
}

// otherTypeTimeout limits the attempt to connect with the other type.
const otherTypeTimeout = 5 * time.Second

// wantsOther reports whether an error suggests that a server uses another
// transport.
//
//go:noinline
func wantsOther(err error) bool {
	if e, ok := diag.Find[*jsonrpc.Error](err); ok && mcp.CodeUnsupportedVersion <= e.Code && e.Code <= mcp.CodeHeaderMismatch {
		return false // only modern servers use these codes (Streamable HTTP, backward compatibility)
	}
	e, ok := diag.Find[mcp.OtherTransportError](err)
	return ok && e.OtherTransport()
}

// withoutOp returns an error of a connection without the name of the operation.
//
//go:noinline
func withoutOp(err error) error {
	if op, ok := err.(*diag.OpError); ok && (op.Op == "connect" || strings.HasSuffix(op.Op, ": connect")) {
		return op.Err
	}
	return err
}

// dial connects to a server with the transport of a type. The parameters are nil if
// there is no such transport.
func (h *Host) dial(ctx context.Context, s *server, started *Server, kind string, cached *mcp.ServerInfo) (*mcp.Client, *DialParams, error) {
	dial := h.opts.Dialers[kind]
	if dial == nil {
		return nil, nil, errors.New("no dialer for servers of type " + wire.Quote(kind) + "; see package dialers")
	}
	d := &DialParams{Server: started, transport: kind}
	if start := h.opts.Start; start != nil {
		d.Start = func(cmd *exec.Cmd) error { return start(s.name, cmd) }
	}
	d.Stderr = &tailWriter{onLine: func(line string) { h.stderrLine(s, d, line) }}
	t, err := dial(d)
	if err != nil {
		return nil, nil, err
	}
	client, err := mcp.Connect(ctx, t, h.clientOptions(s, d, cached))
	if err != nil {
		d.end()
	}
	return client, d, err
}

func (h *Host) stderrLine(s *server, d *DialParams, line string) {
	line = d.Hide(line)
	s.stderr.add(line)
	h.bus.emit(&Event{Kind: Logged, Server: s.name, Line: line})
}

// clientOptions returns the options of a server's client. cached is from the
// last connection; it may be nil.
func (h *Host) clientOptions(s *server, d *DialParams, cached *mcp.ServerInfo) *mcp.Options {
	var o mcp.Options
	if h.opts.Client != nil {
		o = *h.opts.Client
	}
	o.Name = s.name
	_, o.Timeout = h.opts.timeouts(d.Server)
	o.MaxTimeout = h.opts.MaxTimeout
	if cached != nil {
		o.CachedServer = cached
	}
	o.Intercept = d.recordTTL(o.Intercept)
	if d.live != nil {
		o.Trace = d.live.traceReconnects(o.Trace)
	}
	log := o.Log
	o.Log = func(ctx context.Context, m *mcp.LogMessage) {
		h.bus.emit(&Event{Kind: Logged, Server: s.name, Log: m})
		if log != nil {
			log(ctx, m)
		}
	}
	return &o
}

// listTools lists the tools of a server. It returns none if the server has no
// tools.
func listTools(ctx context.Context, client *mcp.Client) ([]*mcp.Tool, error) {
	tools, err := client.ListTools(ctx)
	if err != nil && client.Server().Capabilities.Tools == nil {
		return nil, nil // early servers may have tools without the capability; this one has none
	}
	return tools, err
}

// setConnected stores a new connection of a server and its tools.
func (h *Host) setConnected(s *server, r *run, client *mcp.Client, d *DialParams, tools []*mcp.Tool, listErr error) {
	s.metrics.count(&s.metrics.m.Connects)
	info := client.Server()
	h.lock()
	defer h.unlock()
	if s.run != r {
		return // replaced in the meantime; supervise closes the client
	}
	s.client, s.params, s.info, s.offered = client, d, &info, false
	s.remember(client, d)
	s.attempts = 0
	s.listing++
	var warning *Error
	if listErr != nil {
		warning = connectError(s.name, listErr, d)
		warning.Message = "failed to list tools"
	}
	h.installTools(s, tools, s.listing)
	h.setState(s, Connected, warning)
}
