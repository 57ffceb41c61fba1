package jsonrpc

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// maxBatch is the limit of the number of messages in a batch.
const maxBatch = 1000

// A Dispatcher carries out calls and distributes the messages that a connection
// receives: responses to the pending calls, everything else to the Handler. A
// transport has one per connection. Its methods may be used concurrently.
type Dispatcher struct {
	table
	Handler Handler // receives what belongs to no call

	features Features
	batches  atomic.Bool
}

// Features implements [Conn] for a connection that embeds the Dispatcher and sets
// what it has before Open returns.
func (d *Dispatcher) Features() *Features { return &d.features }

// AcceptBatches makes Receive accept batches. Without it, Receive drops them.
func (d *Dispatcher) AcceptBatches() { d.batches.Store(true) }

// Receive handles one message that conn has received, and reports invalid data
// to Handler.Dropped. If only is not zero, Receive accepts only responses to
// that call. Receive keeps data.
func (d *Dispatcher) Receive(conn Conn, data []byte, only ID) {
	if d.Handler.Trace != nil {
		d.Handler.Trace(false, data)
	}
	var err error
	unmarked := bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(unmarked) < len(data) {
		d.odd(errMark, data)
	}
	if text := wire.Trim(unmarked); len(text) > 0 && text[0] == '[' {
		err = d.batch(conn, text, only)
	} else {
		err = d.message(conn, text, only)
	}
	if err != nil && d.Handler.Dropped != nil {
		d.Handler.Dropped(err, data)
	}
}

func (d *Dispatcher) odd(reason error, data []byte) {
	if d.Handler.Odd != nil {
		d.Handler.Odd(reason, data)
	}
}

// Do carries out a call: it gives the call an id, calls write to send the request,
// and waits for the response. If ctx ends or the Timeout of the request expires
// first, the Response is Expired, and the transport cancels the call in its own way.
// At the Timeout, Do calls onTimeout, unless that is nil, with the error; onTimeout
// must not use the Dispatcher.
//
// If write returns an error, that is the outcome, unless the peer has responded
// before. write must not keep the PendingCall.
func (d *Dispatcher) Do(ctx context.Context, req *Request, onTimeout func(error), write func(*PendingCall) error) Response {
	call, err := d.begin(req)
	if err != nil {
		return Response{Err: err}
	}
	defer d.remove(call)
	d.start(call, req, onTimeout)
	return d.outcome(ctx, call, req, write(call))
}

// The parts of Do. A connection over a stream calls them itself.

// begin adds a call, which the caller removes in the end.
func (d *Dispatcher) begin(req *Request) (*PendingCall, error) {
	if err := req.Check(); err != nil {
		return nil, err
	}
	return d.add()
}

// outcome waits for the response of a call that was written, unless err is the error
// of writing.
func (d *Dispatcher) outcome(ctx context.Context, call *PendingCall, req *Request, err error) Response {
	if err != nil {
		if call.Ended() {
			if a := <-call.response; a.received() {
				return a
			}
		}
		return Response{Err: err}
	}
	var a Response
	select {
	case a = <-call.response:
	case <-ctx.Done():
		if call.Ended() { // both have happened; the response is worth more
			a = <-call.response
		} else {
			a = Response{Err: retry.Cause(ctx), Expired: true}
		}
	}
	if a.Expired && req.Cancel != nil {
		a.Cancel = req.Cancel(call.ID())
	}
	return a
}

// remove ends a call. If its response has arrived and the caller has not taken
// it, remove reports its result to Handler.Dropped.
func (d *Dispatcher) remove(s *PendingCall) {
	if result, unread := d.table.remove(s); unread && d.Handler.Dropped != nil {
		d.Handler.Dropped(ErrUnknownID, result)
	}
}

// batch handles a batch. The error is the reason to drop it or a part of it.
func (d *Dispatcher) batch(conn Conn, data []byte, only ID) error {
	accept := d.batches.Load()
	var errs []error
	if !accept {
		errs = append(errs, Malformed(errBatch))
	}
	n, r := 0, wire.NewReader(data)
	r.Mend()
	for r.Array(); r.More(); n++ {
		if n == maxBatch {
			r.Fail(errLongBatch)
			break
		}
		raw := r.Raw()
		switch {
		case raw == nil:
		case accept:
			errs = append(errs, d.message(conn, bytes.Clone(raw), only)) // whose memory a caller may own
		default:
			d.failInvalid(raw, recoverID(raw), only, errs[0])
		}
	}
	if err := r.End(); err != nil {
		errs = append(errs, Malformed(err))
	}
	return errors.Join(errs...)
}

const (
	errMark      = diag.Message("a byte order mark before a message")
	errBatch     = diag.Message("a batch, which this connection does not accept")
	errLongBatch = diag.Message("a batch of too many messages")
)

// message handles one message. The error is the reason to drop it.
func (d *Dispatcher) message(conn Conn, data []byte, only ID) error {
	m, odd, err := parse(data)
	if odd != "" {
		d.odd(diag.Message(odd), data)
	}
	if len(data) >= minHeld {
		m.release(len(data))
	}
	switch {
	case err != nil:
		d.failInvalid(data, m.ID, only, err)
		return err
	case m.Method == "": // a response
		if !only.IsZero() {
			m.ID = resolveCallID(m.ID, only, m.Error != nil)
		}
		a := Response{Result: m.Result}
		if m.Error != nil {
			a = Response{Err: m.Error}
		}
		return d.deliver(m.ID, a)
	case d.Handler.Message != nil:
		kept := m // m itself stays on the stack
		kept.Call = only
		d.Handler.Message(conn, &kept)
	}
	return nil
}

// failInvalid fails the call that an invalid message with the given id responds
// to, which would otherwise wait until it times out. JSON that is correct and has
// no id names no call; it may respond to a notification.
func (d *Dispatcher) failInvalid(data []byte, id, only ID, err error) {
	if id = resolveCallID(id, only, true); id != nullID || wire.Valid(data) != nil {
		_ = d.Fail(id, err)
	}
}

// minHeld is the size of the smallest message that is not kept for a small part of it.
const minHeld = 4 << 10

// release copies the params, result and data of the message that are smaller than
// half of the bytes that they share memory with.
func (m *Message) release(held int) {
	parts := [...]*RawMessage{&m.Params, &m.Result, nil}
	if m.Error != nil {
		parts[2] = &m.Error.Data
	}
	for _, p := range parts {
		if p != nil && len(*p) < held/2 {
			*p = bytes.Clone(*p)
		}
	}
}

// resolveCallID returns the id of the call that a response with the given id
// belongs to. Unless only is zero, that is only or, for any other id, zero. An
// error with the id null belongs to only.
func resolveCallID(id, only ID, failure bool) ID {
	if only.IsZero() {
		return id
	}
	n, ok := id.number()
	m, _ := only.number()
	if ok && n == m || id == nullID && failure {
		return only
	}
	return ID{}
}
