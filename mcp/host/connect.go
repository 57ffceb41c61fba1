package host

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/pause"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/internal/settings"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A Dialer creates the transport for a server. It does not connect: Open does.
type Dialer func(context.Context, *DialParams) (mcp.Transport, error)

// Dialers maps the types of servers, such as config.HTTP, to dialers.
type Dialers map[string]Dialer

// DialParams are the parameters of a Dialer for one connection attempt.
type DialParams struct {
	// Server holds the settings after expansion: variables are replaced and the
	// token is in a header. It must not be modified.
	*Server

	// Stderr receives the standard error of a child process.
	Stderr io.Writer

	// Classify may be set by the dialer to assign a Category to errors of its
	// transport. It returns "" for other errors.
	Classify func(error) Category

	// Start, if not nil, starts the prepared command of a child process; see
	// Options.Start.
	Start func(cmd *exec.Cmd) error

	// Cleanup may be set by the dialer. The host calls it when the connection has
	// ended, or if the attempt has failed.
	Cleanup func()

	transport string // the type whose transport was opened last; empty if unknown

	live *liveness    // of a server at a URL; else nil
	ttl  atomic.Int64 // TTL of the list of tools in nanoseconds; 0 if the server sent none
}

// SetUnreachable is called by the dialer of a server at a URL, which can become
// unreachable and return. f reports whether an error means that the server is
// unreachable for now: the connection was refused or broke, or a gateway responded
// with status 502 to 504. The host then checks without limit until the server is
// reachable, and pings the server while it is idle; see Options.KeepAlive. Nil
// undoes an earlier call.
func (d *DialParams) SetUnreachable(f func(error) bool) {
	d.live = nil
	if f != nil {
		d.live = &liveness{unreachable: f}
		d.live.ping, d.live.confirm = d.live.checkAlive, d.live.confirmLost
	}
}

// end calls Cleanup.
func (d *DialParams) end() {
	if d.Cleanup != nil {
		d.Cleanup()
	}
}

var errNoServer = errors.New("DialParams.Server is nil")

// Stdio is the Dialer for child processes.
func Stdio(_ context.Context, d *DialParams) (mcp.Transport, error) {
	if d == nil || d.Server == nil {
		return nil, errNoServer
	}
	t := stdio.Command(d.Command, d.Args...)
	t.Env, t.InheritEnv, t.Dir, t.Stderr, t.Start = d.Env, d.InheritEnv, d.Dir, d.Stderr, d.Start
	return t, nil
}

// InProcess returns a Dialer for servers in this process, which have the type
// config.SDK. servers is indexed by Server.ID, or by Server.Name if ID is
// empty.
func InProcess(servers map[string]mcp.Transport) Dialer {
	return func(_ context.Context, d *DialParams) (mcp.Transport, error) {
		if d == nil || d.Server == nil {
			return nil, errNoServer
		}
		id := d.ID
		if id == "" {
			id = d.Name
		}
		t := servers[id]
		if t == nil {
			return nil, errors.New("InProcess has no server " + wire.Quote(id))
		}
		return t, nil
	}
}

// An attempt is the outcome of connecting to a server.
type attempt struct {
	monitor *monitor  // of the connection; nil if the attempt failed
	failure *Error    // nil if it did not
	away    *liveness // not nil if it failed because a server at a URL is unreachable for now
}

// tryConnect is connect, but a panic of a function of the program fails the attempt.
func (h *Host) tryConnect(ctx context.Context, s *server, r *run) (a attempt) {
	if err := h.guard(s.name, func() { a = h.connect(ctx, s, r) }); err != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		return attempt{failure: configurationError(s.cfg, err)}
	}
	return a
}

// connect makes one connection attempt.
func (h *Host) connect(ctx context.Context, s *server, r *run) attempt {
	h.mu.Lock()
	cfg, cached, known := s.cfg, s.cached, s.info != nil
	h.mu.Unlock()
	started, err := h.opts.expand(ctx, cfg) // may ask the user, so it comes before the semaphore
	if err != nil {
		return attempt{failure: configurationError(cfg, err)}
	}
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return attempt{failure: connectError(s.name, ctx.Err(), &DialParams{Server: started})}
	}
	free := sync.OnceFunc(func() { <-h.slots })
	defer free()
	defer time.AfterFunc(slotTime, free).Stop()
	limit, _ := h.opts.timeouts(cfg)
	bound, cancel := withoutLogins(ctx, limit, diag.Error("no response within "+limit.String(), context.DeadlineExceeded, nil))
	defer cancel()
	opened := h.dialAny(bound, s, started, cached)
	client, d, err := opened.client, opened.params, opened.err
	if d == nil {
		e := configurationError(cfg, err)
		e.text = started.Hide(e.text)
		return attempt{failure: e}
	}
	if errors.Is(err, diag.ErrEndedByProbe) {
		h.mu.Lock()
		if s.deaths++; s.deaths > 1 { // for a day, the client sends initialize first
			s.cached = &mcp.ServerInfo{ProtocolVersion: mcp.ProtocolVersion20251125, Probed: time.Now()}
		}
		h.mu.Unlock()
	}
	if err != nil {
		if timeout := context.Cause(bound); timeout != nil && ctx.Err() == nil && !errors.Is(err, timeout) && errors.Is(err, context.Canceled) {
			err = timeout
		}
		var away *liveness
		// After an earlier connection, the network may have changed or be down.
		if live := d.live; live != nil && (live.unreachable(err) || known && errors.Is(err, context.DeadlineExceeded)) {
			away = live
		} else {
			h.mu.Lock()
			s.cached = nil // the server may have been replaced
			h.mu.Unlock()
		}
		return attempt{away: away, failure: connectError(s.name, err, d)}
	}
	m := &monitor{h: h, s: s, client: client, params: d,
		relist: retry.Backoff{First: minTTL, Max: maxTTL}, resubscribe: retry.Backoff{First: firstReopen, Max: lastReopen}}
	connected := false
	defer func() {
		if !connected { // lost, or a panic of an Interceptor
			m.end()
		}
	}()
	m.subscribe(bound) // before listing, so that no change is missed
	tools, listErr := listTools(bound, client)
	if client.Err() != nil || ctx.Err() != nil {
		lost := client.Err()
		if lost == nil {
			lost = ctx.Err()
		}
		return attempt{failure: connectError(s.name, lost, d)}
	}
	h.setConnected(r, m, tools, listErr)
	m.scheduleRefresh(listErr)
	if d.live != nil {
		d.live.schedulePing(m)
	}
	connected = true
	return attempt{monitor: m}
}

// slotTime is how long an attempt to connect takes one of Options.Parallel places:
// servers that hang leave them to others.
const slotTime = 300 * time.Millisecond

// withoutLogins returns a context that ends after limit, if that is positive, with
// cause. The time of logins does not count.
func withoutLogins(ctx context.Context, limit time.Duration, cause error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if limit <= 0 {
		return ctx, func() { cancel(nil) }
	}
	t := pause.AfterFunc(ctx, limit, func() { cancel(cause) })
	return t, func() { t.Stop(); cancel(nil) }
}

// A dialed is the outcome of opening a connection with a transport.
type dialed struct {
	client *mcp.Client
	params *DialParams // nil if the settings are invalid
	err    error
}

// dialAny connects to a server with the transport of its type; for a URL without a
// type that is Streamable HTTP. If the error suggests that the server uses the other
// transport for URLs, dialAny tries that one. The parameters are those of the
// transport that explains the error best.
func (h *Host) dialAny(ctx context.Context, s *server, started *Server, cached *mcp.ServerInfo) dialed {
	kind, dialers := started.Type, h.opts.Dialers
	switch {
	case kind != "":
	case started.Command == "" && started.URL == "":
		return dialed{err: errors.New("the server has neither a command nor a URL")}
	case started.URL == "":
		kind = config.Stdio
	case started.Command != "" || dialers[config.HTTP] != nil:
		kind = config.HTTP
	case dialers[config.SSE] != nil:
		kind = config.SSE
	default:
		return dialed{err: errors.New("no dialer for servers with a URL; see package dialers")}
	}
	first := h.dial(ctx, s, started, kind, cached)
	other, typed := "", started.Type != ""
	switch kind {
	case config.HTTP:
		other = config.SSE
	case config.SSE:
		other = config.HTTP
	}
	if first.err == nil || first.params == nil || other == "" || dialers[other] == nil || started.Command != "" || !wantsOther(first.err, typed) {
		return first
	}
	limit := time.Duration(0)
	if typed {
		if h.opts.StrictTypes {
			return dialed{nil, first.params, diag.Error(withoutOp(first.err).Error()+"; StrictTypes excludes the transport "+other, nil, first.err)}
		}
		limit = otherTypeTimeout
	}
	bound, cancel := within(ctx, limit)
	defer cancel()
	second := h.dial(bound, s, started, other, cached)
	switch {
	case second.params == nil:
		return second
	case second.err == nil:
		if typed {
			e := connectError(s.name, first.err, first.params)
			e.Message = "connected over " + other + " instead of " + kind
			h.bus.emit(&Event{Kind: TransportChanged, Server: s.name, Err: e})
		}
		return second
	}
	what := "over " + kind + ", then " + other
	if wantsOther(second.err, typed) {
		what += " (check that this is the URL of an MCP server, path included)"
	}
	both := &startError{what, []error{withoutOp(first.err), withoutOp(second.err)}}
	if d := second.params; d.Classify != nil && d.Classify(second.err) == CategoryAuthentication {
		return dialed{nil, d, diag.Error(both.Error(), nil, second.err)}
	}
	return dialed{nil, second.params, both} // the first error decides about a retry
}

// otherTypeTimeout limits the attempt to connect with another type than the declared
// one.
const otherTypeTimeout = 5 * time.Second

// wantsOther reports whether an error suggests that a server uses another
// transport. Some servers of Streamable HTTP respond to the GET of HTTP+SSE with a
// web page; without a declared type, a page means that the URL is wrong.
func wantsOther(err error, typed bool) bool {
	e, ok := diag.Find[mcp.OtherTransportError](err)
	return ok && (e.OtherTransport() || typed && errors.Is(e, jsonrpc.ErrMalformed))
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

// dial connects to a server with the transport of a type.
func (h *Host) dial(ctx context.Context, s *server, started *Server, kind string, cached *mcp.ServerInfo) dialed {
	dial := h.opts.Dialers[kind]
	if dial == nil {
		what := "of type " + wire.Quote(kind)
		if s.cfg.Type == "" {
			what = "with a command"
		}
		return dialed{err: errors.New("no dialer for servers " + what + "; see package dialers")}
	}
	d := &DialParams{Server: started, transport: kind}
	if start := h.opts.Start; start != nil {
		d.Start = func(cmd *exec.Cmd) error { return start(s.name, cmd) }
	}
	d.Stderr = &tailWriter{onLine: func(line string) { h.stderrLine(s, d, line) }}
	t, err := dial(ctx, d)
	if err != nil {
		return dialed{err: err}
	}
	client, err := mcp.Connect(ctx, t, h.clientOptions(s, d, cached))
	if err != nil {
		d.end()
	}
	return dialed{client, d, err}
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
	o.Interceptors = append([]mcp.Interceptor{d.recordTTL(s.name)}, o.Interceptors...)
	if d.live != nil {
		o.Trace = d.live.traceStreams(o.Trace)
	}
	if key := o.CacheKey; key != nil {
		o.CacheKey = func(ctx context.Context) string { return key(settings.ForServer(ctx, s.name)) }
	}
	log := o.Log
	o.Log = func(ctx context.Context, m *mcp.LogMessage) {
		h.bus.emit(&Event{Kind: Logged, Server: s.name, Log: copyOf(m)})
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
func (h *Host) setConnected(r *run, m *monitor, tools []*mcp.Tool, listErr error) {
	s, client, d := m.s, m.client, m.params
	s.metrics.count(&s.metrics.m.Connects)
	info := client.Server()
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.run != r {
		return // replaced in the meantime; supervise closes the client
	}
	s.params, s.info, s.monitor = d, &info, m
	s.rememberLocked(client, d)
	s.listing++
	next := connState{stage: connected, client: client}
	if listErr != nil {
		next.err = connectError(s.name, listErr, d)
		next.err.Message = "failed to list tools"
	}
	h.enterLocked(s, next, h.updateToolsLocked(s, tools, s.listing)...)
	h.recordLocked(s)
}
