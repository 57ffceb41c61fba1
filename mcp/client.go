package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/queue"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A Client is a connection to one server. [Connect] returns it, and the caller
// must close it. Its methods may be called concurrently.
type Client struct {
	*shared
	with func(*request) // sets the options of With; nil if there are none
}

// A shared is what a client has in common with those that its With returns. It has no
// methods, as the linker would keep their names for both types.
type shared struct {
	self          Client // without options
	trace         Trace
	opts          Options
	conn          jsonrpc.Conn
	features      *jsonrpc.Features         // of conn
	streamLate    time.Time                 // ServerInfo.StreamLate, if features.StreamLate is true
	owned         bool                      // results of conn belong to the client alone, and Interceptors get none
	agreed        atomic.Pointer[agreement] // with the server; empty during Connect; another one for each session
	transport     jsonrpc.TransportFeatures
	progress      progressTable
	notifications queue.Queue            // calls the functions that handle notifications
	requests      requestTable           // of the server
	probes        atomic.Uint64          // the ids of the requests server/discover; see probing
	notified      atomic.Int64           // notifications sent, less the errors without an id that came in return
	unmatched     atomic.Pointer[string] // the last response to no call since a call began, for a timeout
	modern        atomic.Bool            // the server has responded to server/discover, possibly late
	budget        queue.Budget           // of what the server sends and the client keeps beyond the message
	cache         resultCache            // may be nil
	tasks         tasker                 // may be nil

	mu             lock.Mutex
	observers      []observer   // replaced, never modified
	renewal        *renewal     // of agreed; nil if there is none
	defaultTimeout timeoutError // of calls with Options.Timeout, to save an allocation

	// The context of handlers. It lives as long as the client and has the
	// values of the context of Connect.
	ctx    context.Context
	cancel context.CancelFunc
}

const (
	// maxNotifications is how many notifications may be queued.
	maxNotifications = 1024

	// handlerWait is how long Close waits for handlers to return.
	handlerWait = 500 * time.Millisecond
)

func newClient(ctx context.Context, opts *Options) *Client {
	s := new(shared)
	s.self.shared = s
	s.opts = opts.withDefaults()
	s.notifications.Max, s.requests.replies.Max = maxNotifications, maxReplies
	s.notifications.Budget, s.progress.budget = &s.budget, &s.budget
	s.requests.budget, s.requests.replies.Budget = &s.budget, &s.budget
	s.agreed.Store(new(agreement))
	s.defaultTimeout.after = s.opts.Timeout
	if s.opts.Trace != nil {
		s.trace = *s.opts.Trace
	}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if s.opts.Cache != nil {
		s.cache = s.opts.Cache.newCache()
		s.observers = []observer{s.cache}
	}
	return &s.self
}

// Server describes the server.
func (c *Client) Server() ServerInfo { return c.agreed.Load().server }

// CachedServer returns the [Options].CachedServer for the next client of this
// server. It is the result of Server, except that ProtocolVersion is modern if
// the server's response to server/discover arrived after Connect had chosen the
// legacy era, and that Probed and StreamLate are set otherwise. As that response may arrive at
// any time, call CachedServer last, before or after Close.
func (c *Client) CachedServer() *ServerInfo {
	a := c.agreed.Load()
	s := a.server
	switch {
	case s.Modern():
	case c.modern.Load():
		s.ProtocolVersion = c.opts.modern(c.opts.ProtocolVersions)
	default:
		s.Probed = a.probed
		if late := c.features.StreamLate; late != nil && late.Load() {
			s.StreamLate = c.streamLate
		}
	}
	return &s
}

// Format implements fmt.Formatter. It reads no state, so that a Client may be
// printed while it is in use.
func (c *Client) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("mcp.Client")) }

// era returns the era of the connection; nil during Connect.
//
//go:noinline
func (c *Client) era() era { return c.agreed.Load().era }

// Done returns a channel that is closed when the connection ends.
func (c *Client) Done() <-chan struct{} { return c.conn.Done() }

// Err returns nil while the connection is open, and then the error that ended
// it, which matches [ErrClosed].
func (c *Client) Err() error { return c.conn.Err() }

// Close ends the connection. Pending calls fail with [ErrClosed], and a
// transport that has started the server process ends it. Close waits for all
// goroutines and processes: milliseconds if the server cooperates, otherwise a
// few seconds, or longer if the transport permits it. It returns an error if one
// of them does not end in time, for example a stream whose Read does not return.
// Close may be called more than once, and closes the clients of With, too.
func (c *Client) Close() error {
	c.cancel()
	err := c.conn.Close()
	c.notifications.Close(handlerWait)
	c.requests.replies.Close(handlerWait)
	c.requests.wait(handlerWait)
	return err
}

// Ping returns nil if the server responds, even with an error. It sends ping,
// or server/discover from 2026-07-28 on.
func (c *Client) Ping(ctx context.Context) error {
	err := c.verify(ctx)
	if err == nil {
		_, err = c.roundTrip(ctx, newRequest(c.era().ping(), "", nil))
	}
	if serverError(err) != nil || errors.Is(err, ErrMalformed) {
		return nil // not all servers implement it, and some gateways answer {}
	}
	return err
}

// KeepAlive calls Ping at the given interval, which is also the timeout of each
// ping and must be positive. It returns when ctx ends, when the connection
// ends, or when misses consecutive pings have failed (1 if misses is less), with
// the error of the last one. KeepAlive does not close the client.
func (c *Client) KeepAlive(ctx context.Context, every time.Duration, misses int) error {
	if every <= 0 {
		return errors.New("KeepAlive: the interval is " + every.String() + ", not positive")
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for failures := 0; ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return retry.Cause(ctx)
		case <-c.conn.Done():
			return c.conn.Err()
		}
		ping, cancel := retry.WithTimeout(ctx, every, c.timeoutErr(every))
		err := c.Ping(ping)
		cancel()
		switch failures++; {
		case err == nil:
			failures = 0
		case failures >= misses:
			return err
		}
	}
}

// Call sends a request and returns the result as received. It is for methods of
// the protocol or an extension for which Client has no Go method.
//
// params may have the types of [ToolCall].Arguments. The client adds the
// members of _meta that the protocol version requires. Errors are as for
// CallTool. Call uses the [Cache] only for skills/get.
func (c *Client) Call(ctx context.Context, method string, params any) (RawMessage, error) {
	q := newRequest(method, "", nil)
	if err := q.setParams(params); err != nil {
		return nil, c.failed(q, err)
	}
	if method != getSkill {
		q.traits &^= cacheable
	}
	raw, err := c.roundTrip(ctx, q)
	if err == nil && q.slot != nil {
		err = c.decode(q, raw, new(Page)) // which stores it
	}
	return raw, err
}

// Notify sends a notification, with params as for Call. It does not wait for
// the server to read it.
func (c *Client) Notify(ctx context.Context, method string, params any) error {
	q := newRequest(method, "", nil)
	if err := q.setParams(params); err != nil {
		return c.failed(q, err)
	}
	if c.with != nil {
		c.with(q)
	}
	return c.sendNotification(ctx, q)
}

// message handles a request or notification of the server. The goroutines that
// read call it, so it never blocks.
func (c *Client) message(l link, m *jsonrpc.Message) {
	if string(m.Params) == "[]" {
		c.odd(diag.Message(emptyArray), m.Params)
		m.Params = nil // PHP servers write an empty object so
	}
	if m.IsRequest() {
		c.request(l, m)
		return
	}
	if err := c.notification(m); err != nil {
		c.discarded(err, m.Params)
	}
}

func (c *Client) notification(m *jsonrpc.Message) error {
	switch m.Method {
	case "notifications/progress":
		return c.progress.deliver(m.Params)
	case "notifications/cancelled":
		if !c.requests.refuse.Load() {
			return c.requests.cancel(m.Params)
		}
		if !m.Call.IsZero() && string(wire.Lookup(m.Params, "requestId")) != m.Call.String() {
			return nil // over HTTP, a server cancels a call on its own stream
		}
	case "notifications/message":
		return c.log(m.Params)
	}
	for _, o := range c.allObservers() {
		if err := o.observe(m.Method, m.Params); err != nil {
			return err
		}
	}
	return nil
}

// observerOf returns the client's observer of type T, which add creates if there is
// none.
func observerOf[T observer](c *Client, add func() T) T {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.observers {
		if o, ok := o.(T); ok {
			return o
		}
	}
	o := add()
	c.addObserver(o)
	return o
}

// addObserver adds an observer. c.mu is held, or Connect has not sent anything yet.
func (c *Client) addObserver(o observer) {
	c.observers = append(c.observers[:len(c.observers):len(c.observers)], o)
}

func (c *Client) allObservers() []observer {
	c.mu.Lock()
	all := c.observers
	c.mu.Unlock()
	return all
}
