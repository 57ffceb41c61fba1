package jsonrpc

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

const (
	// flushTime is how long Close lets a peer take what is still to be sent.
	flushTime = 50 * time.Millisecond

	// closeTime is how long Close waits for Stream.Close, which has a shorter
	// bound of its own, and for both goroutines.
	closeTime = 6 * time.Second

	// failTime is how long a failed write waits for the reading side to say why.
	failTime = time.Second

	// maxBatch is how many messages a batch may hold.
	maxBatch = 1000
)

// A Batcher is a connection that can be told to read batches, which JSON-RPC
// has and one revision of MCP allows. Without that it drops them.
type Batcher interface{ AcceptBatches() }

// NewConn returns a connection over s, which it owns from now on. One
// goroutine reads and one writes; both end when the connection does.
func NewConn(s Stream, h Handler) Conn {
	c := &conn{stream: s, h: h, out: newOutbox()}
	c.done, c.written, c.gone = make(chan struct{}), make(chan struct{}), make(chan struct{})
	c.loops.Add(2)
	go c.read()  // ends when the stream is closed or fails
	go c.write() // likewise, or when the connection is closed
	return c
}

type conn struct {
	stream  Stream
	h       Handler
	table   Table
	out     *outbox
	batches atomic.Bool

	ending  sync.Once
	done    chan struct{} // closed when the connection has ended
	err     error         // what ended it; set before done is closed
	closing sync.Once     // closes the stream
	written chan struct{} // closed when nothing is written any more
	loops   sync.WaitGroup
	gone    chan struct{} // closed when the stream is closed and loops have ended
}

func (c *conn) AcceptBatches() { c.batches.Store(true) }

func (c *conn) Call(ctx context.Context, req *Request) (RawMessage, error) {
	slot, err := c.table.Add()
	if err != nil {
		return nil, err
	}
	defer c.table.Remove(slot)
	if req.Started != nil {
		req.Started(slot.ID())
	}
	err = c.out.put(ctx, func(b []byte) []byte { return appendRequest(b, slot.ID(), req) })
	if err != nil {
		return nil, err
	}
	select {
	case a := <-slot.Answer():
		return a.Result, a.Err
	case <-ctx.Done():
	}
	select {
	case a := <-slot.Answer(): // both happened; the answer is worth more
		return a.Result, a.Err
	default:
	}
	if req.Cancel != nil {
		// A courtesy, and the caller is on its way out: it doesn't wait for room.
		if note := req.Cancel(slot.ID()); note != nil {
			_, _ = c.out.offer(func(b []byte) []byte { return appendRequest(b, ID{}, note) })
		}
	}
	return nil, context.Cause(ctx)
}

func (c *conn) Notify(ctx context.Context, req *Request) error {
	return c.out.put(ctx, func(b []byte) []byte { return appendRequest(b, ID{}, req) })
}

func (c *conn) Reply(ctx context.Context, id ID, result RawMessage, err *Error) error {
	return c.out.put(ctx, func(b []byte) []byte { return appendAnswer(b, id, result, err) })
}

func (c *conn) Done() <-chan struct{} { return c.done }

func (c *conn) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

func (c *conn) Close() error {
	c.end(ErrClosed)
	t := time.NewTimer(flushTime)
	defer t.Stop()
	select {
	case <-c.written:
	case <-t.C:
	}
	c.closeStream()
	t.Reset(closeTime)
	select {
	case <-c.gone:
		return nil
	case <-t.C:
		return errStuck
	}
}

var errStuck = errors.New("the connection was closed, but its stream or a handler has not returned")

// end makes err the reason why the connection is closed, unless it is already.
func (c *conn) end(err error) {
	c.ending.Do(func() {
		c.err = err
		close(c.done)
		c.table.Close(err)
		c.out.close(err)
	})
}

// closeStream starts to close the stream, unless somebody has.
func (c *conn) closeStream() {
	c.closing.Do(func() {
		go func() { // ends when the stream is closed and lets go of both loops
			defer close(c.gone)
			_ = c.stream.Close()
			c.loops.Wait()
		}()
	})
}

func (c *conn) write() {
	defer c.loops.Done()
	defer close(c.written)
	if err := c.out.run(c.stream, c.h.Trace); err != nil {
		// A peer that stops reading mostly has died, and the reading side knows
		// more of that: an exit status, say. Give it the time to say so.
		select {
		case <-c.done:
		case <-time.After(failTime):
			c.end(Closed(err))
		}
		c.closeStream()
	}
}

func (c *conn) read() {
	defer c.loops.Done()
	for {
		data, err := c.stream.Read()
		if err != nil {
			c.end(Closed(err))
			c.closeStream()
			return
		}
		if c.h.Trace != nil {
			c.h.Trace(false, data)
		}
		if err := c.receive(data); err != nil && c.h.Dropped != nil {
			c.h.Dropped(err, data)
		}
	}
}

// receive handles one message or batch. The error says why it is dropped.
func (c *conn) receive(data []byte) error {
	r := wire.NewReader(data)
	if r.Kind() != wire.Array {
		return c.message(data)
	}
	if !c.batches.Load() {
		return &malformedError{errBatch}
	}
	var errs []error
	n := 0
	for r.Array(); r.More(); n++ {
		if n == maxBatch {
			r.Fail(errLongBatch)
			break
		}
		if raw := r.Raw(); raw != nil {
			errs = append(errs, c.message(raw))
		}
	}
	if err := r.End(); err != nil {
		errs = append(errs, &malformedError{err})
	}
	return errors.Join(errs...)
}

const (
	errBatch     = malformed("a batch, which this protocol revision does not allow")
	errLongBatch = malformed("a batch of too many messages")
)

func (c *conn) message(data []byte) error {
	m, err := Parse(data)
	switch {
	case err != nil:
		// The call that this is meant for would wait in vain.
		_ = c.table.Fail(m.ID, err)
		return err
	case m.isAnswer():
		return c.table.Deliver(&m)
	case c.h.Message != nil:
		kept := m // m itself stays on the stack
		c.h.Message(c, &kept)
	}
	return nil
}
