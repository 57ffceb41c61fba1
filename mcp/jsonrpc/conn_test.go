package jsonrpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestCallReturnsResultOrError(t *testing.T) {
	for _, tt := range []struct {
		answer, result, err string
	}{
		{`{"jsonrpc":"2.0","id":1,"result":{"n": 9007199254740993, "e":1e400}}`, `{"n": 9007199254740993, "e":1e400}`, ""},
		{`{"jsonrpc":"2.0","id":1,"result":null}`, `null`, ""},
		{`{"jsonrpc":"2.0","id":"1","result":1,"error":null}`, `1`, ""},
		{`{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":-32602,"message":"no"}}`, ``, "no (code -32602)"},
		{`{"jsonrpc":"2.0","id":1,"error":"no"}`, ``, "no"},
		{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`, ``, "what? (code -32700)"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStream()
			c := NewConn(s, Handler{})
			defer c.Close()
			done := start(t.Context(), c, &Request{Method: "m", Params: json.RawMessage(`{"a":[1]}`)})
			if sent := <-s.out; sent != `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[1]}}`+"\n" {
				t.Errorf("sent %q", sent)
			}
			s.answer(tt.answer)
			got := <-done
			var e *Error
			if errors.As(got.err, &e) != (tt.err != "") || got.result != tt.result || e != nil && e.Error() != tt.err {
				t.Errorf("%s: %q, %v", tt.answer, got.result, got.err)
			}
		})
	}
}

func TestNilArgumentsAreErrors(t *testing.T) {
	c := NewConn(nil, Handler{})
	defer c.Close()
	<-c.Done()
	_, nilRequest := c.Call(t.Context(), nil)
	for want, err := range map[string]error{
		"the Stream is nil":         c.Err(),
		"the *Request is nil":       nilRequest,
		"the Request has no method": c.Notify(t.Context(), &Request{}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not contain %q", err, want)
		}
	}
}

func TestNilTimeoutErrIsDeadlineExceeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStream()
		c := NewConn(s, Handler{})
		defer c.Close()
		done := start(t.Context(), c, &Request{Method: "m", Timeout: time.Second})
		<-s.out
		if got := <-done; got.err != context.DeadlineExceeded {
			t.Errorf("got %v", got.err)
		}
	})
}

func TestMalformedResponseFailsItsCallOnly(t *testing.T) {
	for _, answer := range []string{
		`{"jsonrpc":"2.0","id":2}`,
		`{"jsonrpc":"2.0","id":2,"result":1,"error":{"code":1,"message":"both"}}`,
		`{"jsonrpc":"2.0","id":2,"result":"` + "\xc3\x28" + `"}`,
		`{"jsonrpc":"2.0","id":2,"result":1,"result":2}`,
		`{"jsonrpc":"2.0","id":2,"RESULT":1}`,
		`{"jsonrpc":"2.0","id":2,"result\u0000":1}`,
		`{"jsonrpc":"2.0","id":2,"re` + "\u017f" + `ult":1}`,
		`{"jsonrpc":"2.0","id":2,"result":` + strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_001),
		`{"jsonrpc":"2.0","id":2,"result":{"a":1`,
	} {
		synctest.Test(t, func(t *testing.T) {
			var l log
			s := newFakeStream()
			c := NewConn(s, l.handler())
			defer c.Close()
			first, second := start(t.Context(), c, &Request{Method: "m"}), (<-chan outcome)(nil)
			<-s.out
			second = start(t.Context(), c, &Request{Method: "m"})
			<-s.out
			s.answer(answer)
			want(t, second, "", ErrMalformed)
			l.wantDropped(t, ErrMalformed)
			synctest.Wait()
			waiting(t, first)
			s.answer(`{"jsonrpc":"2.0","id":1,"result":7}`)
			want(t, first, "7")
		})
	}
}

func TestUnexpectedResponsesAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		s := newFakeStream()
		c := NewConn(s, l.handler())
		defer c.Close()
		s.answer(`{"jsonrpc":"2.0","id":1,"result":"too early"}`)
		synctest.Wait()
		first := start(t.Context(), c, &Request{Method: "m"})
		<-s.out
		second := start(t.Context(), c, &Request{Method: "m"})
		<-s.out
		s.answer(
			`{"jsonrpc":"2.0","id":77,"result":1}`,
			`{"jsonrpc":"2.0","id":"x","result":1}`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"two calls are pending"}}`,
			`{"jsonrpc":"2.0","error":{"code":1,"message":"two calls are pending"}}`,
			`{"jsonrpc":"2.0","id":2,"result":"second"}`,
			`{"jsonrpc":"2.0","id":2,"result":"again"}`,
			`{"level":"error","error":"a line of a log"}`,
			`starting up …`,
			`{"jsonrpc":"2.0","id":1,"result":"first"}`,
		)
		want(t, first, `"first"`)
		want(t, second, `"second"`)
		l.wantDropped(t, ErrUnknownID, ErrUnknownID, ErrUnknownID, ErrUnknownID, ErrUnknownID, ErrUnknownID, ErrMalformed, ErrMalformed)
	})
}

func TestCallEndsWithItsContext(t *testing.T) {
	errUser := errors.New("the user pressed Escape")
	synctest.Test(t, func(t *testing.T) {
		var l log
		s := newFakeStream()
		c := NewConn(s, l.handler())
		defer c.Close()
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errUser)
		defer cancel()
		var started ID
		began := time.Now()
		done := start(ctx, c, &Request{Method: "slow", Cancel: cancelNote, Started: func(id ID) { started = id }})
		if sent := <-s.out; idOf(t, sent) != "1" || started != NumberID(1) {
			t.Errorf("sent %q with the id %s", sent, started)
		}
		other := start(t.Context(), c, &Request{Method: "other"})
		<-s.out
		// The peer does not read now, and no call waits for the cancel notice.
		want(t, done, "", errUser)
		if d := time.Since(began); d != time.Minute {
			t.Errorf("after %v", d)
		}
		s.answer(`{"jsonrpc":"2.0","id":1,"result":"late"}`, `{"jsonrpc":"2.0","id":2,"result":5}`)
		want(t, other, "5")
		l.wantDropped(t, ErrUnknownID)
		if sent := <-s.out; sent != `{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}`+"\n" {
			t.Errorf("sent %q", sent)
		}
	})
}

func TestCancelWithoutNotification(t *testing.T) {
	for _, cancel := range []func(ID) *Request{nil, func(ID) *Request { return nil }} {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStream()
			c := NewConn(s, Handler{})
			ctx, stop := context.WithCancel(t.Context())
			done := start(ctx, c, &Request{Method: "m", Cancel: cancel})
			<-s.out
			stop()
			want(t, done, "", context.Canceled)
			c.Close()
			select {
			case sent := <-s.out:
				t.Errorf("sent %q", sent)
			default:
			}
		})
	}
}

func TestResponseWinsOverEndOfContext(t *testing.T) {
	s := newFakeStream()
	c := NewConn(s, Handler{})
	defer c.Close()
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		ids := make(chan ID, 1)
		done := start(ctx, c, &Request{Method: "m", Cancel: cancelNote, Started: func(id ID) { ids <- id }})
		<-s.out // sent, and the caller may wait or not yet
		if err := c.(*conn).table.deliver(answerTo(<-ids, "5")); err != nil {
			t.Error(err)
		}
		cancel()
		want(t, done, "5")
	}
}

func TestShuffledResponses(t *testing.T) {
	const n = 10_000
	a, b := Pipe()
	c := NewConn(a, Handler{Dropped: func(err error, data []byte) { t.Errorf("dropped %s: %v", data, err) }})
	go func() { // ends when all have been answered
		calls := make([]Message, n)
		for i := range calls {
			data, err := b.Read()
			if err != nil {
				t.Error(err)
				return
			}
			if calls[i], err = Parse(data); err != nil {
				t.Error(err)
			}
		}
		rand.Shuffle(n, func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
		for _, m := range calls {
			_, _ = b.Write(AppendResponse(nil, m.ID, m.Params, nil))
		}
	}()
	var callers sync.WaitGroup
	for i := range n {
		callers.Go(func() {
			params := `{"n":` + strconv.Itoa(i) + `}`
			result, err := c.Call(t.Context(), &Request{Method: "m", Params: json.RawMessage(params)})
			if err != nil || string(result) != params {
				t.Errorf("call %d returned %s, %v", i, result, err)
			}
		})
	}
	callers.Wait()
	c.Close()
	if last := c.(*conn).table.last; last != n {
		t.Errorf("the last id is %d", last)
	}
}

func TestRequestsArriveInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		s := newFakeStream()
		c := NewConn(s, l.handler())
		s.answer(
			`{"jsonrpc":"2.0","method":"a"}`,
			`{"jsonrpc":"2.0","id":1,"method":"b","params":{}}`,
			`{"jsonrpc":"2.0","id":"1","method":"c"}`,
		)
		synctest.Wait()
		if !slices.Equal(l.methods, []string{"a", "b", "c"}) {
			t.Errorf("got %v", l.methods)
		}
		for _, tt := range []struct {
			id   ID
			err  *Error
			sent string
		}{
			{NumberID(1), nil, `{"jsonrpc":"2.0","id":1,"result":{}}`},
			{StringID("1"), &Error{Code: CodeMethodNotFound, Message: "c"}, `{"jsonrpc":"2.0","id":"1","error":{"code":-32601,"message":"c"}}`},
		} {
			if err := c.Reply(t.Context(), tt.id, nil, tt.err); err != nil {
				t.Error(err)
			}
			if sent := <-s.out; sent != tt.sent+"\n" {
				t.Errorf("sent %q", sent)
			}
		}
		c.Close()
		l.wantDropped(t)
		if len(l.traced) != 5 {
			t.Errorf("traced %v", l.traced)
		}
	})
}

func TestBatchesNeedAcceptBatches(t *testing.T) {
	batch := `[{"jsonrpc":"2.0","id":1,"result":5}, {"jsonrpc":"2.0","method":"a"}, 7, [], {"jsonrpc":"2.0","id":9,"method":"b"}]`
	synctest.Test(t, func(t *testing.T) {
		var l log
		s := newFakeStream()
		c := NewConn(s, l.handler())
		defer c.Close()
		done := start(t.Context(), c, &Request{Method: "m"})
		<-s.out
		s.answer(batch)
		synctest.Wait()
		if a := <-done; !errors.Is(a.err, ErrMalformed) {
			t.Errorf("the call that a batch answers ended with %v", a)
		}
		l.wantDropped(t, ErrMalformed)
		c.Features().AcceptBatches()
		done = start(t.Context(), c, &Request{Method: "m"})
		<-s.out
		s.answer(strings.Replace(batch, `"id":1`, `"id":2`, 1))
		want(t, done, "5")
		synctest.Wait()
		l.wantDropped(t, ErrMalformed) // one report for both
		if !slices.Equal(l.methods, []string{"a", "b"}) {
			t.Errorf("got %v", l.methods)
		}
	})
}

// TestResultsOfBatchesBelongToTheCaller: the connection reads a batch to its end
// after it has delivered the first result.
func TestResultsOfBatchesBelongToTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStream()
		c := NewConn(s, Handler{})
		defer c.Close()
		c.Features().AcceptBatches()
		batch := []byte(`[{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat("a", 3*minHeld) + `"}]`)
		before := bytes.Clone(batch)
		go func() { // ends with the request
			<-s.out
			s.in <- batch
		}()
		res, err := c.Call(t.Context(), &Request{Method: "m"})
		if err != nil {
			t.Fatal(err)
		}
		clear(res)
		if !bytes.Equal(batch, before) {
			t.Error("the result is a part of the batch")
		}
	})
}

func TestBatchesAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		s := newFakeStream()
		c := NewConn(s, l.handler())
		defer c.Close()
		c.Features().AcceptBatches()
		one := `{"jsonrpc":"2.0","method":"n"},`
		s.answer(`[` + strings.Repeat(one, maxBatch-1) + one[:len(one)-1] + `]`)
		synctest.Wait()
		l.wantDropped(t)
		s.answer(`[` + strings.Repeat(one, 5*maxBatch) + `1]`)
		synctest.Wait()
		l.wantDropped(t, ErrMalformed)
		if len(l.methods) != 2*maxBatch {
			t.Errorf("%d messages", len(l.methods))
		}
		s.answer(`[{"jsonrpc":"2.0","method":"n"}`, `[`, `[]`, `[] x`, `[,]`)
		synctest.Wait()
		l.wantDropped(t, ErrMalformed, ErrMalformed, ErrMalformed, ErrMalformed)
	})
}

func TestIncompleteMessageIsDiscarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		s := newFakeStream()
		s.last = []byte(`{"jsonrpc":"2.0","id":1,"result":5}`) // looks whole, but isn't known to be
		c := NewConn(s, l.handler())
		done := start(t.Context(), c, &Request{Method: "m"})
		<-s.out
		s.readErr <- io.ErrUnexpectedEOF
		want(t, done, "", ErrClosed, ErrOutcomeUnknown, io.ErrUnexpectedEOF)
		c.Close()
		l.wantDropped(t)
		if len(l.traced) != 1 {
			t.Errorf("traced %v", l.traced)
		}
	})
}

// TestResponsesToNotificationsFailNoCall: some servers respond to everything.
func TestResponsesToNotificationsFailNoCall(t *testing.T) {
	for _, answer := range []string{
		`{"jsonrpc":"2.0","result":null}`,
		`{"jsonrpc":"2.0","id":null,"result":null}`,
		`{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`,
		`{"jsonrpc":"2.0","id":null,"result":1,"error":{"code":-32600,"message":"both"}}`,
		`[{"jsonrpc":"2.0","result":null}]`,
	} {
		synctest.Test(t, func(t *testing.T) {
			var l log
			s := newFakeStream()
			c := NewConn(s, l.handler())
			defer c.Close()
			if err := c.Notify(t.Context(), &Request{Method: "note"}); err != nil {
				t.Fatal(err)
			}
			<-s.out
			call := start(t.Context(), c, &Request{Method: "m"})
			<-s.out
			s.answer(answer)
			synctest.Wait()
			waiting(t, call)
			s.answer(`{"jsonrpc":"2.0","id":1,"result":7}`)
			want(t, call, "7")
			l.mu.Lock()
			defer l.mu.Unlock()
			if len(l.dropped) == 0 {
				t.Errorf("%s was not reported", answer)
			}
		})
	}
}
