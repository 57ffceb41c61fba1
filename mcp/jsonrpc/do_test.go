package jsonrpc

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The response of the peer is worth more than the error of write, and that more than
// the end of the connection: a call that was never sent is not in doubt.
func TestOutcomeOfDo(t *testing.T) {
	answer := func(d *Dispatcher, call *PendingCall) {
		d.Receive(nil, []byte(`{"jsonrpc":"2.0","id":`+call.ID().String()+`,"result":{}}`), ID{})
	}
	refuse := func(d *Dispatcher, call *PendingCall) {
		d.Receive(nil, []byte(`{"jsonrpc":"2.0","id":`+call.ID().String()+`,"error":{"code":1,"message":"no"}}`), ID{})
	}
	closeIt := func(d *Dispatcher, _ *PendingCall) { d.Close(ErrClosed) }
	fail := func(d *Dispatcher, call *PendingCall) { _ = d.Fail(call.ID(), io.EOF) }
	for _, test := range []struct {
		name  string
		event func(*Dispatcher, *PendingCall)
		write error
		check func(Response) bool
	}{
		{"response", answer, nil, func(a Response) bool { return a.Err == nil && string(a.Result) == "{}" }},
		{"response, failed write", answer, io.ErrShortWrite, func(a Response) bool { return a.Err == nil && string(a.Result) == "{}" }},
		{"refusal, failed write", refuse, io.ErrShortWrite, func(a Response) bool { var e *Error; return errors.As(a.Err, &e) }},
		{"closed", closeIt, nil, func(a Response) bool { return errors.Is(a.Err, ErrOutcomeUnknown) }},
		{"closed, failed write", closeIt, io.ErrShortWrite, func(a Response) bool { return a.Err == io.ErrShortWrite }},
		{"failed", fail, nil, func(a Response) bool { return a.Err == io.EOF }},
		{"failed, failed write", fail, io.ErrShortWrite, func(a Response) bool { return a.Err == io.ErrShortWrite }},
	} {
		t.Run(test.name, func(t *testing.T) {
			var d Dispatcher
			a := d.Do(t.Context(), &Request{Method: "m"}, nil, func(call *PendingCall) error {
				test.event(&d, call)
				return test.write
			})
			if !test.check(a) || a.Expired || a.Cancel != nil || pendingCalls(&d.table) != 0 {
				t.Errorf("%+v, %d pending", a, pendingCalls(&d.table))
			}
		})
	}
}

func TestDoExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		errLate, errStop := errors.New("late"), errors.New("stop")
		cancel := func(id ID) *Request { return &Request{Method: "cancel " + id.String()} }
		var d Dispatcher
		var told error
		a := d.Do(t.Context(), &Request{Method: "m", Timeout: time.Second, TimeoutErr: errLate, Cancel: cancel},
			func(err error) { told = err }, func(*PendingCall) error { return nil })
		if !a.Expired || a.Err != errLate || told != errLate || a.Cancel == nil || a.Cancel.Method != "cancel 1" {
			t.Errorf("%+v, onTimeout got %v", a, told)
		}
		ctx, stop := context.WithCancelCause(t.Context())
		a = d.Do(ctx, &Request{Method: "m", Cancel: cancel}, nil, func(*PendingCall) error { stop(errStop); return nil })
		if !a.Expired || !errors.Is(a.Err, errStop) || !errors.Is(a.Err, context.Canceled) || a.Cancel == nil {
			t.Errorf("%+v", a)
		}
		if n := pendingCalls(&d.table); n != 0 {
			t.Errorf("%d pending", n)
		}
	})
}

func TestDoChecksTheRequest(t *testing.T) {
	var d Dispatcher
	write := func(*PendingCall) error { t.Error("written"); return nil }
	for _, req := range []*Request{nil, {}} {
		if a := d.Do(t.Context(), req, nil, write); a.Err == nil {
			t.Errorf("%v is accepted", req)
		}
	}
	d.Close(io.EOF)
	if a := d.Do(t.Context(), &Request{Method: "m"}, nil, write); a.Err != io.EOF {
		t.Errorf("after Close: %v", a.Err)
	}
}

// TestResponseBeatsTheContext: both have happened when Do looks.
func TestResponseBeatsTheContext(t *testing.T) {
	var d Dispatcher
	for range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		a := d.Do(ctx, &Request{Method: "m"}, nil, func(call *PendingCall) error {
			d.Receive(nil, []byte(`{"jsonrpc":"2.0","id":`+call.ID().String()+`,"result":{}}`), ID{})
			cancel()
			return nil
		})
		if a.Err != nil || a.Expired || string(a.Result) != "{}" {
			t.Fatalf("%+v", a)
		}
	}
}

// TestSmallPartsOfLongMessagesAreCopied: a long message is not kept for them.
func TestSmallPartsOfLongMessagesAreCopied(t *testing.T) {
	rest := `,"x":"` + strings.Repeat("x", 2*minHeld) + `"}`
	for _, part := range []string{`"result":{"a":1}`, `"error":{"code":1,"message":"no","data":{"a":1}}`} {
		var d Dispatcher
		var text []byte
		a := d.Do(t.Context(), &Request{Method: "m"}, nil, func(call *PendingCall) error {
			text = []byte(`{"jsonrpc":"2.0","id":` + call.ID().String() + `,` + part + rest)
			d.Receive(nil, text, ID{})
			return nil
		})
		clear(text)
		got := a.Result
		if e, ok := a.Err.(*Error); ok {
			got = e.Data
		}
		if string(got) != `{"a":1}` {
			t.Errorf("%s: %q, which shares memory with the message", part, got)
		}
	}
}
