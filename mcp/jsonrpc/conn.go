package jsonrpc

import (
	"context"
	"sync"
	"time"
)

const (
	// flushTime is how long Close lets a peer take what is still to be sent.
	flushTime = 50 * time.Millisecond

	// closeTime is how long Close waits for Stream.Close, which has a shorter
	// bound of its own, and for both goroutines.
	closeTime = 6 * time.Second

	// failTime is how long a failed write waits for the reading side to say why.
	failTime = time.Second
)

// NewConn returns a connection over s, which it owns from now on. One
// goroutine reads and one writes; both end when the connection does.
func NewConn(s Stream, h Handler) Conn {
	c := &conn{Dispatcher: Dispatcher{Handler: h}, stream: s}
	c.out.stream, c.out.trace, c.out.wake = s, h.Trace, make(chan struct{}, 1)
	c.out.now, _ = s.(TryWriter)
	c.done, c.written, c.gone = make(chan struct{}), make(chan struct{}), make(chan struct{})
	c.loops.Add(2)
	go c.read()  // ends when the stream is closed or fails
	go c.write() // likewise, or when the connection is closed
	return c
}

type conn struct {
	Dispatcher

	stream Stream
	out    outbox

	ending  sync.Once
	done    chan struct{} // closed when the connection has ended
	err     error         // what ended it; set before done is closed
	closing sync.Once     // closes the stream
	written chan struct{} // closed when nothing is written any more
	loops   sync.WaitGroup
	gone    chan struct{} // closed when the stream is closed and loops have ended
}

func (c *conn) Call(ctx context.Context, req *Request) (RawMessage, error) {
	slot, err := c.Table.Add()
	if err != nil {
		return nil, err
	}
	defer c.Remove(slot)
	if req.Started != nil {
		req.Started(slot.ID())
	}
	c.Table.Limit(slot, req)
	err = c.out.put(ctx, slot, func(b []byte) []byte { return AppendRequest(b, slot.ID(), req) })
	if err != nil {
		return nil, err
	}
	a := slot.Wait(ctx)
	if !a.Late {
		return a.Result, a.Err
	}
	if req.Cancel != nil {
		// A courtesy, and the caller is on its way out: it doesn't wait for room.
		if note := req.Cancel(slot.ID()); note != nil {
			_, _ = c.out.offer(func(b []byte) []byte { return AppendRequest(b, ID{}, note) })
			c.out.signal()
		}
	}
	return nil, a.Err
}

func (c *conn) Notify(ctx context.Context, req *Request) error {
	return c.out.put(ctx, nil, func(b []byte) []byte { return AppendRequest(b, ID{}, req) })
}

func (c *conn) Reply(ctx context.Context, id ID, result RawMessage, err *Error) error {
	return c.out.put(ctx, nil, func(b []byte) []byte { return AppendResponse(b, id, result, err) })
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
		return ErrStuck
	}
}

// end makes err the reason why the connection is closed, unless it is already.
func (c *conn) end(err error) {
	c.ending.Do(func() {
		c.err = err
		close(c.done)
		c.out.close(err)
		c.Table.Close(err)
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
	if err := c.out.run(); err != nil {
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
		c.Receive(c, data, ID{})
	}
}
