package jsonrpc

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestEndOfConnectionFailsPendingCalls(t *testing.T) {
	cause := errors.New("exit status 1")
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStream()
		c := NewConn(s, Handler{})
		var calls []<-chan outcome
		for range 10 {
			calls = append(calls, start(t.Context(), c, &Request{Method: "m", Cancel: cancelNote}))
		}
		synctest.Wait()
		if c.Err() != nil {
			t.Errorf("Err is %v while the connection is open", c.Err())
		}
		began := time.Now()
		s.readErr <- cause
		for _, done := range calls {
			want(t, done, "", ErrClosed, ErrOutcomeUnknown, cause)
		}
		<-c.Done()
		for _, err := range []error{
			c.Err(),
			c.Notify(t.Context(), &Request{Method: "m"}),
			c.Reply(t.Context(), NumberID(1), nil, nil),
			(<-start(t.Context(), c, &Request{Method: "m"})).err,
		} {
			if !errors.Is(err, ErrClosed) || !errors.Is(err, cause) || errors.Is(err, ErrOutcomeUnknown) {
				t.Errorf("after the end: %v", err)
			}
		}
		if err := c.Close(); err != nil || !errors.Is(c.Err(), cause) {
			t.Errorf("Close: %v, and the cause is %v", err, c.Err())
		}
		if d := time.Since(began); d != 0 || s.closes.Load() != 1 {
			t.Errorf("took %v, stream closed %d times", d, s.closes.Load())
		}
	})
}

func TestTooLongMessageEndsConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStream()
		c := NewConn(s, Handler{})
		done := start(t.Context(), c, &Request{Method: "m"})
		<-s.out
		s.readErr <- ErrTooLarge
		want(t, done, "", ErrClosed, ErrTooLarge, ErrOutcomeUnknown)
		c.Close()
	})
}

func TestCloseIsBounded(t *testing.T) {
	for _, tt := range []struct {
		name        string
		full, stuck bool          // the peer reads nothing; a handler doesn't return
		slow        time.Duration // what Stream.Close takes
		announced   time.Duration // the limit of a SlowCloser
		want        time.Duration
		err         bool
	}{
		{name: "idle"},
		{name: "a peer that never reads", full: true, want: flushTime},
		{name: "a stream slow to close", slow: 4 * time.Second, want: 4 * time.Second},
		{name: "both", full: true, slow: 4 * time.Second, want: flushTime + 4*time.Second},
		{name: "a stream that announces to be slow", slow: 9 * time.Second, announced: 10 * time.Second, want: 9 * time.Second},
		{name: "a stream slower than announced", slow: time.Hour, announced: 10 * time.Second, want: 11 * time.Second, err: true},
		{name: "a stream that announces to be quick", slow: 4 * time.Second, announced: time.Second, want: 4 * time.Second},
		{name: "a stream that does not close", slow: time.Hour, want: closeTime, err: true},
		{name: "a handler that waits", stuck: true, want: closeTime, err: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFakeStream()
				s.slow = tt.slow
				free := make(chan struct{})
				var stream Stream = s
				if tt.announced > 0 {
					stream = slowCloser{s, tt.announced}
				}
				c := NewConn(stream, Handler{Message: func(Conn, *Message) { <-free }})
				if tt.full {
					fill(t, c)
				}
				if tt.stuck {
					s.answer(`{"jsonrpc":"2.0","method":"n"}`)
				}
				began := time.Now()
				var closers sync.WaitGroup
				for range 10 {
					closers.Go(func() {
						err := c.Close()
						if d := time.Since(began); d != tt.want || (err != nil) != tt.err {
							t.Errorf("Close returned after %v, want %v: %v", d, tt.want, err)
						}
					})
				}
				closers.Wait()
				close(free)
				if s.closes.Load() != 1 || c.Err() != ErrClosed {
					t.Errorf("stream closed %d times, Err is %v", s.closes.Load(), c.Err())
				}
				time.Sleep(tt.slow)
				if err := c.Close(); err != nil {
					t.Errorf("Close at last: %v", err)
				}
			})
		})
	}
}

// A slowCloser announces how long its Close takes at most.
type slowCloser struct {
	Stream
	limit time.Duration
}

func (s slowCloser) CloseTime() time.Duration { return s.limit }

func TestCloseInHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStream()
		closed := make(chan error, 1)
		c := NewConn(s, Handler{Message: func(c Conn, _ *Message) { closed <- c.Close() }})
		s.answer(`{"jsonrpc":"2.0","method":"n"}`)
		if err := <-closed; err == nil { // Close returns an error to it
			t.Error("Close could not end the goroutine it was called on, but returned no error")
		}
		if err := c.Close(); err != nil {
			t.Errorf("Close after that: %v", err)
		}
	})
}

func TestCloseDuringCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		for i := range 1000 {
			a, b := Pipe()
			c := NewConn(a, Handler{})
			switch i % 4 {
			case 0: // b never reads
			case 3:
				b.Close()
			default:
				go echo(b) // ends with the pipe
			}
			var all sync.WaitGroup
			for j := range 6 {
				all.Go(func() {
					if j >= 3 {
						if err := c.Close(); err != nil {
							t.Error(err)
						}
						return
					}
					for range 1 + i%3 {
						result, err := c.Call(t.Context(), &Request{Method: "m", Params: []byte(`{"a":1}`)})
						if err == nil && string(result) != `{"a":1}` || err != nil && !errors.Is(err, ErrClosed) {
							t.Errorf("%s, %v", result, err)
						}
					}
				})
			}
			all.Wait()
			if n := pendingCalls(&c.(*conn).table); n != 0 || !errors.Is(c.Err(), ErrClosed) {
				t.Errorf("%d pending, %v", n, c.Err())
			}
		}
		if d := time.Since(began); d > 1000*flushTime {
			t.Errorf("took %v", d)
		}
	})
}

func TestResponsesBeforeTheEndAreDelivered(t *testing.T) {
	for range 200 {
		a, b := Pipe()
		c := NewConn(a, Handler{})
		go func() { // ends after one message
			data, err := b.Read()
			if err != nil {
				t.Error(err)
			}
			m, _ := Parse(data)
			_, _ = b.Write(AppendResponse(nil, m.ID, m.Params, nil))
			b.Close()
		}()
		if result, err := c.Call(t.Context(), &Request{Method: "m", Params: []byte("[]")}); err != nil || string(result) != "[]" {
			t.Fatalf("%s, %v", result, err)
		}
		<-c.Done()
		if err := c.Close(); err != nil || !errors.Is(c.Err(), io.EOF) {
			t.Fatalf("%v, %v", err, c.Err())
		}
	}
}

func TestPipe(t *testing.T) {
	a, b := Pipe()
	if n, err := a.Write([]byte("one\ntwo\n\nfour")); n != 13 || err != nil {
		t.Fatal(n, err)
	}
	if _, err := b.Write([]byte("back\n")); err != nil {
		t.Fatal(err)
	}
	a.Close()
	a.Close()
	b.Close()
	var all []string
	for {
		p, err := b.Read()
		if err == io.EOF {
			break
		}
		all = append(all, string(p))
	}
	if s := strings.Join(all, "|"); s != "one|two||four" {
		t.Errorf("read %q", s)
	}
	if p, err := a.Read(); string(p) != "back" || err != nil {
		t.Errorf("what was written before Close: %q, %v", p, err)
	}
	if _, err := a.Read(); err != io.EOF {
		t.Errorf("Read: %v", err)
	}
	for _, s := range []Stream{a, b} {
		if n, err := s.Write([]byte("late\n")); n != 0 || err != io.ErrClosedPipe {
			t.Errorf("Write: %d, %v", n, err)
		}
	}
}

func TestClosePipeEndsReadAndWrite(t *testing.T) {
	for _, local := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			a, b := Pipe()
			wrote, read := make(chan error), make(chan error)
			go func() { _, err := a.Write([]byte(strings.Repeat("x\n", pipeDepth+1))); wrote <- err }()
			go func() { _, err := a.Read(); read <- err }()
			synctest.Wait()
			if local {
				a.Close()
			} else {
				b.Close()
			}
			if err := <-wrote; err != io.ErrClosedPipe {
				t.Errorf("Write: %v", err)
			}
			if err := <-read; err != io.EOF {
				t.Errorf("Read: %v", err)
			}
		})
	}
}

func TestPipeCopiesMessages(t *testing.T) {
	a, b := Pipe()
	p := []byte("one\n")
	if _, err := a.Write(p); err != nil {
		t.Fatal(err)
	}
	clear(p)
	if got, _ := b.Read(); string(got) != "one" {
		t.Errorf("read %q", got)
	}
	a.Close()
}
