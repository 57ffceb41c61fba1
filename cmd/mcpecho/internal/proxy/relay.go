package proxy

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// maxPending is how many requests of a client a relay remembers, to respond to them
// when the server ends.
const maxPending = 100_000

// maxID is how long the id of such a request may be, in bytes.
const maxID = 200

// A relay passes messages between a client and one connection to the server.
type relay struct {
	server jsonrpc.Stream
	client func(message []byte) error // sends a message; only run calls it
	tap    *Tap
	eras   eras
	moved  atomic.Int64 // messages in both directions

	writing lock.Mutex // held while writing to server
	ending  sync.Once
	closing atomic.Bool   // the proxy ends the connection
	done    chan struct{} // closed when run has returned
	err     error         // why the server's stream ended; set before done is closed

	mu      lock.Mutex
	pending map[jsonrpc.ID]int // how often a request with the id waits; guarded by mu
	idle    chan struct{}      // signaled when no request is pending
}

// newRelay opens a connection to the server. client sends a message to the client.
func (o *Options) newRelay(ctx context.Context, tap *Tap, client func(message []byte) error) (*relay, error) {
	r := &relay{client: client, tap: tap, done: make(chan struct{}), pending: make(map[jsonrpc.ID]int), idle: make(chan struct{}, 1)}
	var err error
	r.server, err = o.Open(ctx, tap, func(line []byte, reason string) {
		if reason == "" {
			_ = r.client(line)
			return
		}
		tap.text(line)
		o.Note(reason)
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// fromClient passes a line of the client, without its end, to the server.
func (r *relay) fromClient(line []byte) error {
	r.tap.message(true, line)
	r.moved.Add(1)
	for _, m := range parse(line) {
		if m.Method == "notifications/cancelled" { // there may be no response
			var id jsonrpc.ID
			if id.UnmarshalJSON(wire.Lookup(m.Params, "requestId")) == nil {
				r.answered(id)
			}
		}
		if m.IsRequest() {
			r.eras.request(&m)
			r.mu.Lock()
			if len(r.pending) < maxPending && len(m.ID.String()) <= maxID {
				r.pending[m.ID]++
			}
			r.mu.Unlock()
		}
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	_, err := r.server.Write(append(line, '\n'))
	return err
}

// run passes the messages of the server to the client until either of them is gone.
// Then it responds to the requests that the server has left, with the reason.
func (r *relay) run() {
	defer close(r.done)
	for {
		message, err := r.server.Read()
		if err != nil {
			r.err = err
			if !r.closing.Load() || !r.isIdle() && !errors.Is(err, jsonrpc.ErrClosed) {
				r.tap.end(err.Error())
			}
			r.refusePending(err)
			return
		}
		r.moved.Add(1)
		for _, m := range parse(message) {
			if m.Method == "" {
				r.eras.response(&m)
				r.answered(m.ID)
			}
		}
		if err := r.client(message); err != nil {
			r.err = &clientError{err}
			return
		}
	}
}

// A clientError means that the client is gone.
type clientError struct{ err error }

func (e *clientError) Error() string { return "the client is gone: " + e.err.Error() }
func (e *clientError) Unwrap() error { return e.err }

// answered removes a request.
func (r *relay) answered(id jsonrpc.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pending[id]--; r.pending[id] <= 0 {
		delete(r.pending, id)
	}
	if len(r.pending) == 0 {
		select {
		case r.idle <- struct{}{}:
		default:
		}
	}
}

// isIdle reports whether no request is pending.
func (r *relay) isIdle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.pending) == 0
}

// refusePending responds to all pending requests with an error.
func (r *relay) refusePending(reason error) {
	r.mu.Lock()
	pending := r.pending
	r.pending = make(map[jsonrpc.ID]int)
	r.mu.Unlock()
	for id, n := range pending {
		for range n {
			if r.client(refusal(id, codeProxy, reason.Error())) != nil {
				return
			}
		}
	}
}

// A closeWriter is a stream whose writing end can be closed alone. Those of the
// programs of package stdio are: the program learns that there are no more requests,
// and its last responses can still be read.
type closeWriter interface{ CloseWrite() error }

// drainTime is how long there may be no message after the last one of the client,
// before its responses.
const drainTime = 10 * time.Second

// drain ends the connection after the last message of the client, when the server has
// responded to all requests, or when there was no message for drainTime. written is
// closed when everything that the client has sent is with the server.
func (r *relay) drain(ctx context.Context, written <-chan struct{}) {
	defer r.close()
	t := time.NewTicker(drainTime)
	defer t.Stop()
	moved := r.moved.Load()
	for {
		idle := r.idle
		if written != nil {
			idle = nil
		} else if r.isIdle() {
			return
		}
		select {
		case <-written:
			written = nil
			r.closing.Store(true)
			if s, ok := r.server.(closeWriter); ok {
				_ = s.CloseWrite()
			}
		case <-idle:
		case <-t.C:
			now := r.moved.Load()
			if now == moved {
				return
			}
			moved = now
		case <-r.done:
			return
		case <-ctx.Done():
			return
		}
	}
}

// close ends the connection to the server.
func (r *relay) close() {
	r.closing.Store(true)
	r.ending.Do(func() { _ = r.server.Close() })
}
