package jsonrpc

import (
	"bytes"
	"errors"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// maxBatch is how many messages a batch may hold.
const maxBatch = 1000

// An Dispatcher sorts what comes over a connection: answers go to the calls that
// wait for them, anything else to the handler. Every transport has one per
// connection. It may be used by several goroutines at once.
type Dispatcher struct {
	Table
	Handler Handler

	batches atomic.Bool
}

// AcceptBatches makes the inbox take batches apart.
func (in *Dispatcher) AcceptBatches() { in.batches.Store(true) }

// Receive handles one message that came over conn, and reports to
// Handler.Dropped what cannot be used. Unless only is zero, no other call than
// that one is answered. What the message holds is kept.
func (in *Dispatcher) Receive(conn Conn, data []byte, only ID) {
	if in.Handler.Trace != nil {
		in.Handler.Trace(false, data)
	}
	if err := in.receive(conn, data, only); err != nil && in.Handler.Dropped != nil {
		in.Handler.Dropped(err, data)
	}
}

// Remove ends the use of a slot, and reports an answer that came when the
// caller was about to go.
func (in *Dispatcher) Remove(s *PendingCall) {
	if in.Table.Remove(s) && in.Handler.Dropped != nil {
		in.Handler.Dropped(ErrUnknownID, nil)
	}
}

// receive handles one message or batch. The error says why it is dropped.
func (in *Dispatcher) receive(conn Conn, data []byte, only ID) error {
	if data = bytes.TrimLeft(data, " \t\r\n"); len(data) == 0 || data[0] != '[' {
		return in.message(conn, data, only)
	}
	return in.batch(conn, data, only)
}

func (in *Dispatcher) batch(conn Conn, data []byte, only ID) error {
	accept := in.batches.Load()
	var errs []error
	if !accept {
		errs = append(errs, &malformedError{errBatch})
	}
	n, r := 0, wire.NewReader(data)
	for r.Array(); r.More(); n++ {
		if n == maxBatch {
			r.Fail(errLongBatch)
			break
		}
		raw := r.Raw()
		switch {
		case raw == nil:
		case accept:
			errs = append(errs, in.message(conn, raw, only))
		default:
			_ = in.Fail(addressee(salvageID(raw), only, true), errs[0])
		}
	}
	if err := r.End(); err != nil {
		errs = append(errs, &malformedError{err})
	}
	return errors.Join(errs...)
}

const (
	errBatch     = malformed("a batch, which this connection does not accept")
	errLongBatch = malformed("a batch of too many messages")
)

func (in *Dispatcher) message(conn Conn, data []byte, only ID) error {
	m, err := Parse(data)
	switch {
	case err != nil:
		// The call that this is meant for would wait in vain.
		_ = in.Fail(addressee(m.ID, only, true), err)
		return err
	case m.isAnswer():
		m.ID = addressee(m.ID, only, m.Error != nil)
		return in.Deliver(&m)
	case in.Handler.Message != nil:
		kept := m // m itself stays on the stack
		in.Handler.Message(conn, &kept)
	}
	return nil
}

// addressee returns the id of the call that a message with the given id is
// for, or the zero ID for none, where only one call may be answered. An error
// whose id is null is for that one.
func addressee(id, only ID, failure bool) ID {
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
