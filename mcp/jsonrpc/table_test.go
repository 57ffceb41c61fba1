package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func add(t *testing.T, table *table) *PendingCall {
	t.Helper()
	s, err := table.add()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func answerTo(id ID, result string) (ID, Response) {
	return id, Response{Result: json.RawMessage(result)}
}

// got returns the answer that has arrived in s, if any.
func got(s *PendingCall) (Response, bool) {
	select {
	case a := <-s.response:
		return a, true
	default:
		return Response{}, false
	}
}

func TestIDsAreSmallAndSequential(t *testing.T) {
	var table table
	for want := int64(1); want <= 100; want++ {
		s := add(t, &table)
		if s.ID() != NumberID(want) {
			t.Fatalf("id %s, want %d", s.ID(), want)
		}
		if want%3 != 0 {
			table.remove(s)
		}
	}
}

func TestIDsWrapAndSkipPendingOnes(t *testing.T) {
	var table table
	add(t, &table)
	add(t, &table)
	table.remove(add(t, &table)) // 3 is free again
	table.last = math.MaxInt32 - 2
	add(t, &table)
	for _, want := range []int64{math.MaxInt32, 3, 4} {
		if s := add(t, &table); s.ID() != NumberID(want) {
			t.Errorf("id %s, want %d", s.ID(), want)
		}
	}
	if n := pendingCalls(&table); n != 6 {
		t.Errorf("%d pending", n)
	}
}

func TestResponseReachesItsCallOnly(t *testing.T) {
	for _, tt := range []struct{ id, to string }{
		{`1`, "first"}, {`2`, "second"},
		{`"1"`, "first"}, {`"2"`, "second"},
		{`1.0`, "first"}, {`20e-1`, "second"},
		{`"01"`, ""}, {`" 1"`, ""}, {`"1.0"`, ""}, {`"one"`, ""}, {`""`, ""}, {`0`, ""}, {`-1`, ""}, {`3`, ""},
		{`"0"`, ""}, {`1.5`, ""}, {`4294967297`, ""}, {`9007199254740993`, ""}, {`null`, ""},
	} {
		var table table
		first, second := add(t, &table), add(t, &table)
		var id ID
		if err := json.Unmarshal([]byte(tt.id), &id); err != nil {
			t.Fatal(err)
		}
		err := table.deliver(answerTo(id, "5"))
		if (err == nil) != (tt.to != "") || err != nil && err != ErrUnknownID {
			t.Errorf("id %s: %v", tt.id, err)
		}
		a, ok := got(first)
		if ok != (tt.to == "first") || ok && string(a.Result) != "5" {
			t.Errorf("id %s: the first call got %v, %t", tt.id, a, ok)
		}
		if _, ok := got(second); ok != (tt.to == "second") {
			t.Errorf("id %s: the second call got an answer: %t", tt.id, ok)
		}
		if err := table.deliver(answerTo(id, "6")); err != ErrUnknownID {
			t.Errorf("id %s, second answer: %v", tt.id, err)
		}
	}
}

func TestErrorWithoutIDGoesToTheOnlyCall(t *testing.T) {
	var table table
	m := Response{Err: &Error{Code: CodeParseError}}
	if err := table.deliver(nullID, m); err != ErrUnknownID {
		t.Errorf("with no call pending: %v", err)
	}
	s, other := add(t, &table), add(t, &table)
	if err := table.deliver(nullID, m); err != ErrUnknownID {
		t.Errorf("with two calls pending: %v", err)
	}
	table.remove(other)
	if err := table.deliver(answerTo(nullID, "{}")); err != ErrUnknownID {
		t.Errorf("a result: %v", err)
	}
	if err := table.deliver(nullID, m); err != nil {
		t.Errorf("with one call pending: %v", err)
	}
	if a, _ := got(s); a.Err != m.Err {
		t.Errorf("answer %v", a)
	}
}

func TestReusedCallIsEmpty(t *testing.T) {
	var table table
	s := add(t, &table)
	if err := table.deliver(answerTo(s.ID(), "1")); err != nil {
		t.Fatal(err)
	}
	table.remove(s) // no caller read the response
	again := add(t, &table)
	if again != s {
		t.Error("the slot is not used again")
	}
	if a, ok := got(again); ok {
		t.Errorf("an old answer: %v", a)
	}
	if err := table.deliver(answerTo(NumberID(1), "late")); err != ErrUnknownID {
		t.Errorf("late answer: %v", err)
	}
	if a, ok := got(again); ok {
		t.Errorf("a late answer: %v", a)
	}
}

func TestBurstLeavesLittleMemory(t *testing.T) {
	var table table
	slots := make([]*PendingCall, 10_000)
	for i := range slots {
		slots[i] = add(t, &table)
	}
	for _, s := range slots {
		table.remove(s)
	}
	if len(table.free) != maxFree || pendingCalls(&table) != 0 {
		t.Errorf("%d free, %d pending", len(table.free), pendingCalls(&table))
	}
}

func TestTableCloseFailsEveryCallOnce(t *testing.T) {
	var table table
	answered, pending := add(t, &table), add(t, &table)
	if err := table.deliver(answerTo(answered.ID(), "1")); err != nil {
		t.Fatal(err)
	}
	table.Close(Closed(io.EOF))
	table.Close(Closed(io.ErrNoProgress))
	if a, _ := got(answered); a.Err != nil || string(a.Result) != "1" {
		t.Errorf("an answer was replaced by %v", a.Err)
	}
	a, _ := got(pending)
	for _, want := range []error{ErrClosed, ErrOutcomeUnknown, io.EOF} {
		if !errors.Is(a.Err, want) {
			t.Errorf("%v doesn't match %v", a.Err, want)
		}
	}
	if err := table.deliver(answerTo(pending.ID(), "1")); err != ErrUnknownID {
		t.Errorf("answer after the end: %v", err)
	}
	table.remove(pending)
	_, err := table.add()
	if !errors.Is(err, io.EOF) || !errors.Is(err, ErrClosed) || errors.Is(err, ErrOutcomeUnknown) {
		t.Errorf("call after the end: %v", err)
	}
}

// Pending calls move between callers while answers, late answers and failures arrive.
func TestTableUnderContention(t *testing.T) {
	var table table
	var callers, peers sync.WaitGroup
	ids := make(chan ID, 64)
	for range 4 {
		peers.Go(func() {
			for id := range ids {
				text := id.String()
				_ = table.deliver(answerTo(id, text))
				_ = table.deliver(answerTo(StringID(text), text)) // a second time
				_ = table.Fail(id, errors.New("late"))
			}
		})
	}
	for i := range 8 {
		callers.Go(func() {
			for j := range 200 {
				s, err := table.add()
				if err != nil {
					t.Error(err)
					return
				}
				id := s.ID()
				ids <- id
				if (i+j)%3 != 0 { // else the caller leaves without its answer
					if a := <-s.response; a.Err != nil || string(a.Result) != id.String() {
						t.Errorf("call %s got %s, %v", id, a.Result, a.Err)
					}
				}
				table.remove(s)
			}
		})
	}
	callers.Wait()
	close(ids)
	peers.Wait()
	if n := pendingCalls(&table); n != 0 || table.last != 1600 {
		t.Errorf("%d calls pending after %s", n, strconv.FormatInt(table.last, 10))
	}
}

// TestUnreadResponseIsReported: it came when the caller had decided to
// go, before the slot was given back.
func TestUnreadResponseIsReported(t *testing.T) {
	var dropped []error
	in := Dispatcher{Handler: Handler{Dropped: func(reason error, _ []byte) { dropped = append(dropped, reason) }}}
	for _, answer := range []string{`"result":{}`, `"error":{"code":1,"message":"no"}`} {
		s := add(t, &in.table)
		in.Receive(nil, []byte(`{"jsonrpc":"2.0","id":`+s.ID().String()+`,`+answer+`}`), ID{})
		in.remove(s)
	}
	if len(dropped) != 2 || dropped[0] != ErrUnknownID || dropped[1] != ErrUnknownID {
		t.Errorf("dropped %v, want both answers", dropped)
	}
	dropped = nil
	s := add(t, &in.table)
	in.remove(s)
	s = add(t, &in.table)
	_ = in.Fail(s.ID(), io.EOF)
	in.remove(s)
	s = add(t, &in.table)
	in.Close(io.EOF)
	in.remove(s)
	if dropped != nil {
		t.Errorf("dropped %v, though the server said nothing", dropped)
	}
}

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var table table
		began := time.Now()
		errLate := errors.New("late")
		var wg sync.WaitGroup
		// A later call may have less time, and some have any time.
		for i, d := range []time.Duration{3 * time.Second, time.Second, 0, 2 * time.Second, time.Second, time.Hour, math.MaxInt64} {
			s := add(t, &table)
			table.start(s, &Request{Timeout: d, TimeoutErr: errLate}, nil)
			wg.Go(func() {
				a := <-s.response
				if took := time.Since(began); d > 0 && d < math.MaxInt64 && (took != d || a.Err != errLate || !a.Expired) || (d == 0 || d == math.MaxInt64) && a.Err != nil {
					t.Errorf("call %d of %v: %+v after %v", i, d, a, took)
				}
				table.remove(s)
			})
		}
		time.Sleep(2 * time.Hour)
		if n := pendingCalls(&table); n != 2 {
			t.Errorf("%d pending", n)
		}
		_ = table.deliver(answerTo(NumberID(7), "{}"))
		_ = table.deliver(answerTo(NumberID(3), "{}"))
		s := add(t, &table)
		table.start(s, &Request{Timeout: time.Second, TimeoutErr: errLate}, nil)
		time.Sleep(time.Second)
		synctest.Wait()
		if a, _ := got(s); a.Err != errLate || !a.Expired {
			t.Errorf("%+v", a)
		}
		table.remove(s)
		// A slot that is used again has any time.
		s = add(t, &table)
		time.Sleep(time.Hour)
		if a, ok := got(s); ok {
			t.Errorf("%+v", a)
		}
		table.start(s, &Request{Timeout: time.Second, TimeoutErr: errLate}, nil)
		table.Close(ErrClosed)
		time.Sleep(time.Hour)
		if a, _ := got(s); !errors.Is(a.Err, ErrClosed) || a.Expired {
			t.Errorf("%+v", a)
		}
		wg.Wait()
	})
}

func TestErrorWithoutIDMayBeAboutANotification(t *testing.T) {
	invalid := func(code int64) (ID, Response) { return nullID, Response{Err: &Error{Code: code}} }
	var table table
	s := add(t, &table)
	table.Sent()
	if err := table.deliver(invalid(CodeInvalidRequest)); err != ErrUnknownID {
		t.Errorf("after a notification: %v", err)
	}
	if err := table.Fail(nullID, ErrMalformed); err != ErrUnknownID {
		t.Errorf("a broken line after a notification: %v", err)
	}
	if err := table.deliver(answerTo(s.ID(), "{}")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the first one settles what was sent before it
		s = add(t, &table)
		if err := table.deliver(invalid(CodeMethodNotFound)); err != ErrUnknownID {
			t.Errorf("another code: %v", err)
		}
		err := table.deliver(invalid(CodeInvalidRequest))
		if settled := s.ID() == NumberID(3); settled != (err == nil) {
			t.Errorf("call %v: %v", s.ID(), err)
		}
		_ = table.deliver(answerTo(s.ID(), "{}"))
	}
}

// The time of a call stands still while its user logs in, and only that of this call.
func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var table table
		table.Pause(ID{})
		s, other := add(t, &table), add(t, &table)
		table.Pause(s.ID())() // it has no limit
		table.start(s, &Request{Timeout: 10 * time.Second}, nil)
		table.start(other, &Request{Timeout: time.Minute}, nil)
		time.Sleep(4 * time.Second)
		first, second := table.Pause(s.ID()), table.Pause(s.ID())
		time.Sleep(15 * time.Second)
		first()
		first() // the second login goes on
		time.Sleep(15 * time.Second)
		second()
		second()
		time.Sleep(6*time.Second - 1)
		synctest.Wait()
		if a, ok := got(s); ok {
			t.Errorf("it ended early: %+v", a)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if a, _ := got(s); a.Err != context.DeadlineExceeded || !a.Expired {
			t.Errorf("%+v", a)
		}
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if a, _ := got(other); !a.Expired {
			t.Errorf("the other: %+v", a)
		}
		table.remove(s)
		// A call that is over changes none that uses the same memory.
		s = add(t, &table)
		before := s.ID()
		table.start(s, &Request{Timeout: time.Second}, nil)
		resume := table.Pause(before)
		table.remove(s)
		s = add(t, &table)
		resume()
		time.Sleep(time.Hour)
		if a, ok := got(s); ok {
			t.Errorf("another call: %+v", a)
		}
	})
}
