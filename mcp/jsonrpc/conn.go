package jsonrpc

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/retry"
)

const (
	// flushTime is the time that Close allows for writing queued messages.
	flushTime = 50 * time.Millisecond

	// closeTime is the time that Close waits for Stream.Close, which has a
	// shorter limit of its own, and for both goroutines. For a SlowCloser it is
	// the time of Stream.Close and a second.
	closeTime = 6 * time.Second

	// failTime is the time that a failed write waits for the error of the reader,
	// which is more specific.
	failTime = time.Second
)

// NewConn returns a connection over s, and takes ownership of s. One goroutine
// reads and one writes; both end with the connection. If s is nil, the
// connection ends at once, with an error.
func NewConn(s Stream, h Handler) Conn {
	if s == nil {
		s = noStream{}
	}
	c := &conn{Dispatcher: Dispatcher{Handler: h}, stream: s}
	c.setFeatures()
	c.out.stream, c.out.trace, c.out.wake = s, h.Trace, make(chan struct{}, 1)
	c.out.try, _ = s.(TryWriter)
	c.done, c.written, c.released = make(chan struct{}), make(chan struct{}), make(chan struct{})
	c.loops.Go(c.read)  // ends when the stream is closed or fails
	c.loops.Go(c.write) // ends then, too, and when the connection is closed
	return c
}

func (c *conn) setFeatures() {
	f := c.Features()
	f.AcceptBatches = c.AcceptBatches
	if s, ok := c.stream.(MessageLimiter); ok {
		f.MaxMessage = s.MaxMessage()
	}
	if s, ok := c.stream.(Explainer); ok {
		f.Explain = s.Explain
	}
	// Only streams of package stdio have it.
	if s, ok := c.stream.(interface{ Unshared() bool }); ok && s.Unshared() {
		f.Owner = c
	}
}

type conn struct {
	Dispatcher

	stream Stream
	out    writeQueue

	ending   sync.Once
	done     chan struct{} // closed when the connection has ended
	err      error         // the error that ended it; set before done is closed
	closing  atomic.Bool   // whether the stream is being closed
	written  chan struct{} // closed when write has returned
	loops    lock.Group
	released chan struct{} // closed when the stream is closed and loops have ended
}

func (c *conn) Call(ctx context.Context, req *Request) (RawMessage, error) {
	call, err := c.begin(req)
	if err != nil {
		return nil, err
	}
	defer c.remove(call)
	c.start(call, req, nil)
	err = c.out.put(ctx, call, &outgoing{id: call.ID(), req: req})
	if err == nil && call.alone {
		c.out.flush()
	}
	a := c.outcome(ctx, call, req, err)
	if a.Cancel != nil {
		// The caller does not wait for room in the queue.
		c.Sent()
		_, _ = c.out.offer(&outgoing{req: a.Cancel})
		c.out.signal()
	}
	return a.Result, a.Err
}

func (c *conn) Notify(ctx context.Context, req *Request) error {
	if err := req.Check(); err != nil {
		return err
	}
	c.Sent()
	return c.out.put(ctx, nil, &outgoing{req: req})
}

func (c *conn) Reply(ctx context.Context, id ID, result RawMessage, err *Error) error {
	c.Sent()
	return c.out.put(ctx, nil, &outgoing{id: id, result: result, err: err})
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
	retry.Await(c.written, flushTime)
	c.closeStream()
	limit := closeTime
	if s, ok := c.stream.(SlowCloser); ok {
		limit = max(limit, s.CloseTime()+time.Second)
	}
	if !retry.Await(c.released, limit) {
		return ErrStuck
	}
	return nil
}

func (c *conn) end(err error) {
	c.ending.Do(func() {
		c.err = err
		close(c.done)
		c.out.close(err)
		c.Dispatcher.Close(err)
	})
}

func (c *conn) closeStream() {
	if !c.closing.Swap(true) {
		go c.release() // ends when the stream is closed and both loops have returned
	}
}

func (c *conn) release() {
	_ = diag.Guard(c.Handler.Panic, func() { _ = c.stream.Close() })
	c.loops.Wait()
	close(c.released)
}

func (c *conn) endOnPanic() {
	if v := recover(); v != nil {
		diag.ReportPanic(c.Handler.Panic, v)
		c.end(Closed(&diag.PanicError{Value: v}))
		c.closeStream()
	}
}

func (c *conn) write() {
	defer close(c.written)
	defer c.endOnPanic()
	if err := c.out.run(); err != nil {
		// A peer that stops reading has usually exited. The reader knows more
		// about that, such as the exit status.
		if !retry.Await(c.done, failTime) {
			c.end(Closed(err))
		}
		c.closeStream()
	}
}

func (c *conn) read() {
	defer c.endOnPanic()
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
