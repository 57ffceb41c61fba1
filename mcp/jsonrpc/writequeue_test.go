package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestSendersShareAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStream()
		c := NewConn(s, Handler{})
		defer c.Close()
		for i := range 32 {
			if err := c.Notify(t.Context(), &Request{Method: "n" + strconv.Itoa(i)}); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				synctest.Wait() // the first is being written
			}
		}
		if first := <-s.out; first != `{"jsonrpc":"2.0","method":"n0"}`+"\n" {
			t.Errorf("the first write was %q", first)
		}
		lines := strings.SplitAfter(<-s.out, "\n")
		if len(lines) != 32 { // the last is empty
			t.Fatalf("the second write was %q", lines)
		}
		for i, line := range lines[:31] {
			if want := `{"jsonrpc":"2.0","method":"n` + strconv.Itoa(i+1) + `"}` + "\n"; line != want {
				t.Errorf("message %d is %q", i+1, line)
			}
		}
	})
}

// fill has c send until it takes no more.
func fill(t *testing.T, c Conn) {
	t.Helper()
	synctest.Wait()
	big := &Request{Method: "fill", Params: json.RawMessage(`"` + strings.Repeat("x", maxQueued) + `"`)}
	for range 2 { // one is being written, one waits
		if err := c.Notify(t.Context(), big); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
	}
}

func TestSenderWaitsUntilItsContextEnds(t *testing.T) {
	errGone := errors.New("the user left")
	for name, send := range map[string]func(context.Context, Conn) error{
		"Notify": func(ctx context.Context, c Conn) error { return c.Notify(ctx, &Request{Method: "late"}) },
		"Reply":  func(ctx context.Context, c Conn) error { return c.Reply(ctx, NumberID(1), nil, nil) },
		"Call": func(ctx context.Context, c Conn) error {
			_, err := c.Call(ctx, &Request{Method: "late", Cancel: cancelNote})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFakeStream()
				c := NewConn(s, Handler{})
				defer c.Close()
				fill(t, c)
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errGone)
				defer cancel()
				began := time.Now()
				if err := send(ctx, c); !errors.Is(err, errGone) || time.Since(began) != time.Minute {
					t.Errorf("%v after %v", err, time.Since(began))
				}
				if n := pendingCalls(&c.(*conn).table); n != 0 {
					t.Errorf("%d calls pending", n)
				}
				// Nothing of it is sent later, not even that it was withdrawn.
				if sent := <-s.out + <-s.out; strings.Count(sent, "\n") != 2 || strings.Contains(sent, "late") {
					t.Errorf("sent %.80q …", sent)
				}
				if err := send(ctx, c); !errors.Is(err, errGone) {
					t.Errorf("with a context that had ended: %v", err)
				}
				synctest.Wait()
				select {
				case sent := <-s.out:
					t.Errorf("sent %q for a context that had ended", sent)
				default:
				}
			})
		})
	}
}

func TestSendersContinueWhenThereIsRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStream()
		c := NewConn(s, Handler{})
		defer c.Close()
		fill(t, c)
		var senders sync.WaitGroup
		for i := range 100 {
			senders.Go(func() {
				if err := c.Notify(t.Context(), &Request{Method: "n" + strconv.Itoa(i)}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		<-s.out
		senders.Wait() // the second large message is being written now
		<-s.out
		if n := strings.Count(<-s.out, "\n"); n != 100 {
			t.Errorf("%d messages sent", n)
		}
	})
}

func TestWaitingSendersFailAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStream()
		c := NewConn(s, Handler{})
		fill(t, c)
		done := start(t.Context(), c, &Request{Method: "m"})
		noted := make(chan error, 1)
		go func() { noted <- c.Notify(t.Context(), &Request{Method: "n"}) }()
		synctest.Wait()
		waiting(t, done)
		c.Close()
		got := <-done
		if !errors.Is(got.err, ErrClosed) || errors.Is(got.err, ErrOutcomeUnknown) {
			t.Errorf("a call that was never sent: %v", got.err)
		}
		if err := <-noted; !errors.Is(err, ErrClosed) {
			t.Errorf("Notify: %v", err)
		}
	})
}

func TestWriteQueueKeepsNoLargeBuffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStream()
		o := writeQueue{stream: s, wake: make(chan struct{}, 1)}
		ended := make(chan error)
		go func() { ended <- o.run() }()
		put := func(n int) {
			text := json.RawMessage(`"` + strings.Repeat("x", n-frame) + `"`)
			if err := o.put(t.Context(), nil, &outgoing{id: NumberID(1), result: text}); err != nil {
				t.Fatal(err)
			}
			<-s.out
			synctest.Wait()
		}
		for _, n := range []int{100, 50 << 20, 100, 100, maxKept, 100, maxKept + 1, 100} {
			put(n)
			o.mu.Lock()
			if cap(o.buf) > maxKept {
				t.Errorf("%d bytes kept after a message of %d", cap(o.buf), n)
			}
			o.mu.Unlock()
		}
		o.close(ErrClosed)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestCloseWritesQueuedMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStream()
		c := NewConn(s, Handler{})
		for _, m := range []string{"a", "b"} {
			if err := c.Notify(t.Context(), &Request{Method: m}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		closed := make(chan error)
		go func() { closed <- c.Close() }()
		synctest.Wait()
		if sent := <-s.out + <-s.out; !strings.Contains(sent, `"b"`) {
			t.Errorf("sent %q", sent)
		}
		if err := <-closed; err != nil {
			t.Error(err)
		}
	})
}

func TestReadErrorWinsOverWriteError(t *testing.T) {
	errPipe, errExit := errors.New("broken pipe"), errors.New("exit status 3")
	for _, tt := range []struct {
		after  time.Duration // when the reading side ends
		reason error
		waited time.Duration
	}{
		{0, errExit, 0},
		{failTime / 2, errExit, failTime / 2},
		{failTime * 2, errPipe, failTime},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newFakeStream()
			c := NewConn(s, Handler{})
			done := start(t.Context(), c, &Request{Method: "m"})
			synctest.Wait() // Write waits for the peer
			began := time.Now()
			s.writeErr <- errPipe
			time.AfterFunc(tt.after, func() { s.readErr <- errExit })
			want(t, done, "", tt.reason, ErrClosed, ErrOutcomeUnknown)
			if d := time.Since(began); d != tt.waited {
				t.Errorf("after %v, want %v", d, tt.waited)
			}
			if err := c.Close(); err != nil || !errors.Is(c.Err(), tt.reason) {
				t.Errorf("Close: %v, and the reason is %v", err, c.Err())
			}
			time.Sleep(tt.after)
		})
	}
}

func TestTraceIsInWireOrder(t *testing.T) {
	a, b := Pipe()
	var h Handler
	var sent, received []string // each is appended to by one goroutine
	h.Trace = func(out bool, data []byte) {
		if out {
			sent = append(sent, string(data))
		} else {
			received = append(received, string(data))
		}
	}
	c := NewConn(a, h)
	var wire []string
	peer := make(chan struct{})
	go func() { // ends with the pipe
		defer close(peer)
		for {
			data, err := b.Read()
			if err == io.EOF {
				return
			}
			wire = append(wire, string(data))
			m, _ := Parse(data)
			_, _ = b.Write(AppendResponse(nil, m.ID, m.Params, nil))
		}
	}()
	var callers sync.WaitGroup
	for range 16 {
		callers.Go(func() {
			for range 20 {
				if _, err := c.Call(t.Context(), &Request{Method: "m", Params: json.RawMessage("{}")}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	callers.Wait()
	c.Close()
	<-peer
	if len(wire) != 320 || len(received) != 320 || !slices.Equal(sent, wire) {
		t.Errorf("%d messages arrived, %d were traced, %d answers", len(wire), len(sent), len(received))
	}
}
