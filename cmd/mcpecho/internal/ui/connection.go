package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// States of the connection.
const (
	statusConnecting = "connecting"
	statusConnected  = "connected"
	statusFailed     = "failed" // until the user tries again or a file changes
	statusWaiting    = "waiting"
)

// A connection describes the connection for the page.
type connection struct {
	Target   string
	Status   string
	Reason   string   // why it failed or is opened again
	Version  string   // the chosen protocol version; empty means any
	Versions []string // that can be chosen
	Server   *server  // nil unless connected
	Modern   bool     // the era
	Opened   int      // how often it has been connected
	Took     float64  // milliseconds to connect
	Watched  string   // files
	Previous string   // the protocol version of the previous connection
	Refused  []string // protocol versions that the server has refused
	Ended    float64  // when the server last ended the connection
	EndCause string   // how
}

// A server describes the server for the page.
type server struct {
	Name            string
	Title           string
	Version         string
	Description     string
	ProtocolVersion string
	Capabilities    mcp.RawMessage
	Instructions    string
}

const (
	firstWait = 250 * time.Millisecond // before a connection is opened again
	maxWait   = 5 * time.Second
	longLife  = 5 * time.Second // after which a connection that ends is opened again at once
)

// Run keeps the bench connected until ctx ends.
func (b *Bench) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() { // ends with ctx
		defer close(watched)
		if b.config.Watch != nil {
			b.config.Watch(ctx, func(files string) { b.reconnect(files + " changed") })
		}
	}()
	defer func() {
		cancel()
		b.cancel()
		<-watched
	}()
	wait := retry.Backoff{First: firstWait, Max: maxWait}
	for ctx.Err() == nil {
		began := time.Now()
		reason, again := b.session(ctx)
		if ctx.Err() != nil {
			return
		}
		if !again {
			continue // for a reason of the user
		}
		if time.Since(began) > longLife {
			wait.Reset()
		}
		if !b.pause(ctx, reason, wait.Next()) {
			return
		}
	}
}

// reconnect asks for a new connection.
func (b *Bench) reconnect(reason string) {
	select {
	case b.again <- reason:
	default: // has been asked for
	}
}

// pause waits before a connection that has ended is opened again. It reports whether
// ctx lasts.
func (b *Bench) pause(ctx context.Context, reason string, d time.Duration) bool {
	b.update(partConnection, func() {
		b.connection.Status, b.connection.Reason, b.connection.Server = statusWaiting, reason, nil
	})
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
	case <-b.again:
	}
	return true
}

// session opens a connection and returns when it has ended: with the reason, and
// whether to wait before the next one.
func (b *Bench) session(ctx context.Context) (reason string, retry bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var version string
	var opened int
	b.update(partConnection, func() {
		b.connection.Status, b.connection.Server = statusConnecting, nil
		version, opened = b.connection.Version, b.connection.Opened
	})
	type outcome struct {
		client *mcp.Client
		end    func()
		err    error
	}
	connected := make(chan outcome, 1)
	began := time.Now()
	go func() { // ends with ctx
		client, end, err := b.config.Connect(ctx, b.setup(version, append(b.answers(), b.changes())))
		connected <- outcome{client, end, err}
	}()
	var o outcome
	select {
	case o = <-connected:
	case reason = <-b.again:
		cancel()
		if o = <-connected; o.err == nil {
			o.end()
		}
		b.update(partConnection, func() { b.connection.Reason = reason })
		return reason, false
	}
	if o.err != nil {
		if ctx.Err() != nil {
			return "", false
		}
		return b.failed(ctx, o.err, version, opened > 0)
	}
	defer o.end()
	b.connected(o.client, float64(time.Since(began).Microseconds())/1000)
	defer b.update(partConnection, func() { b.client = nil })
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	group.Go(func() { b.follow(ctx, o.client) }) // ends with ctx
	for {
		b.list(ctx, o.client)
		select {
		case <-ctx.Done():
			return "", false
		case <-o.client.Done():
			reason = "the server has ended the connection"
			if err := o.client.Err(); err != nil {
				reason = b.config.Explain(err)
			}
			b.update(partConnection, func() {
				b.connection.Status, b.connection.Server = statusWaiting, nil
				b.connection.Reason, b.connection.Ended, b.connection.EndCause = reason, now(), reason
			})
			return reason, true
		case reason = <-b.again:
			b.note("reconnecting", reason)
			b.update(partConnection, func() { b.connection.Reason = reason })
			return reason, false
		case <-b.relist:
		}
	}
}

// connected records a new connection.
func (b *Bench) connected(client *mcp.Client, took float64) {
	info := client.Server()
	capabilities, _ := info.Capabilities.MarshalJSON() // they came as JSON
	b.update(partConnection, func() {
		b.client = client
		c := &b.connection
		c.Server = &server{info.Name, info.Title, info.Version, info.Description, info.ProtocolVersion, capabilities, info.Instructions}
		c.Status, c.Reason, c.Modern, c.Took = statusConnected, "", info.Modern(), took
		c.Opened++
		b.lists.fresh = true
	})
}

// failed shows why a connection with the chosen version, if any, could not be opened. If
// there was one before, the server may be about to return; otherwise the user decides.
func (b *Bench) failed(ctx context.Context, err error, version string, before bool) (reason string, retry bool) {
	reason = b.config.Explain(err)
	b.note("failed", reason)
	var answer *jsonrpc.Error
	refused := version != "" && errors.As(err, &answer) || errors.Is(err, mcp.ErrUnsupportedVersion)
	if before && !refused {
		return reason, true
	}
	b.update(partConnection, func() {
		c := &b.connection
		c.Status, c.Reason = statusFailed, reason
		if refused && version != "" && !slices.Contains(c.Refused, version) {
			c.Refused = append(c.Refused, version)
		}
	})
	select {
	case <-ctx.Done():
	case reason = <-b.again:
	}
	return reason, false
}

// choose selects the protocol version and connects again.
func (b *Bench) choose(version string) error {
	reason := "the user chose any protocol version"
	if version != "" {
		if err := known(version); err != nil {
			return err
		}
		reason = "the user chose protocol version " + version
	}
	b.update(partConnection, func() {
		b.connection.Version = version
		if s := b.connection.Server; s != nil {
			b.connection.Previous = s.ProtocolVersion
		}
	})
	b.reconnect(reason)
	return nil
}

// known returns an error for a protocol version that the client does not speak.
func known(version string) error {
	if all := mcp.ProtocolVersions(); !slices.Contains(all, version) {
		return fmt.Errorf("unknown protocol version %q; use one of %s", cut(version, maxName), strings.Join(all, ", "))
	}
	return nil
}

// setup returns how to connect with handlers.
func (b *Bench) setup(version string, handlers []mcp.Handler) *Setup {
	return &Setup{
		Version:  version,
		Handlers: handlers,
		Wrap:     func(t mcp.Transport) mcp.Transport { return &observed{t, b} },
		Stderr:   func(line string) { b.update("", func() { b.ring.text(kindStderr, "", line) }) },
		HTTP: func(line string, failed bool) {
			b.update("", func() { b.ring.text(kindTrace, "HTTP", line).Failed = failed })
		},
		Trace: &mcp.Trace{
			Discarded: func(_ context.Context, reason error, data []byte) {
				if errors.Is(reason, stdio.ErrNotJSON) {
					return // the traffic shows the line
				}
				text := reason.Error()
				if len(data) > 0 {
					text += ": " + cut(string(data), maxEntryText)
				}
				b.note("discarded", text)
			},
			Retry:       func(_ context.Context, method string, err error) { b.note("retry", method+": "+err.Error()) },
			SessionLost: func(_ context.Context, err error) { b.note("session lost", err.Error()); b.newLists() },
			Reconnect: func(_ context.Context, err error, wait time.Duration) {
				b.note("stream ended", fmt.Sprintf("%v; the client opens it again in %v", err, wait))
			},
			EraChosen: func(_ context.Context, info mcp.ServerInfo) {
				era := "legacy"
				if info.Modern() {
					era = "modern"
				}
				b.note("era chosen", era+", protocol version "+info.ProtocolVersion)
			},
			HandlerPanic: func(_ context.Context, value any, stack []byte) { b.note("panic", fmt.Sprintf("%v\n%s", value, stack)) },
		},
	}
}

// An observed transport adds the messages of its connections to the traffic.
type observed struct {
	mcp.Transport
	bench *Bench
}

func (o *observed) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	b := o.bench
	var conn int
	b.mu.Lock()
	b.conns++
	conn = b.conns
	b.mu.Unlock()
	trace, dropped := h.Trace, h.Dropped
	h.Trace = func(sent bool, data []byte) {
		b.update("", func() { b.ring.message(conn, sent, data) })
		if trace != nil {
			trace(sent, data)
		}
	}
	h.Dropped = func(reason error, data []byte) {
		if errors.Is(reason, stdio.ErrNotJSON) || reason == io.ErrUnexpectedEOF { // which Trace does not show
			b.update("", func() {
				b.ring.add(&entry{Conn: conn, Kind: kindInvalid, Text: cut(string(data), maxEntryText)}, data)
			})
		}
		if dropped != nil {
			dropped(reason, data)
		}
	}
	opened, err := o.Transport.Open(ctx, h)
	if err == nil {
		go func() { // ends with the connection
			<-opened.Done()
			if err := opened.Err(); err != jsonrpc.ErrClosed {
				b.update("", func() { b.ring.text(kindTrace, "connection ended", err.Error()).Conn = conn })
			}
		}()
	}
	return opened, err
}

var errNotConnected = errors.New("the server is not connected; wait, or try again")

func (b *Bench) connectedClient() (*mcp.Client, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.client == nil {
		return nil, errNotConnected
	}
	return b.client, nil
}
