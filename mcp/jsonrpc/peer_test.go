package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A fakeStream is a stream whose peer is the test. Nothing is buffered: a
// write waits until the test takes it, so a peer that never reads is a test
// that never does.
type fakeStream struct {
	in                chan []byte
	out               chan string // one element for each call of Write
	readErr, writeErr chan error  // what the next Read or Write fails with
	last              []byte      // returned by Read beside the error
	gone              chan struct{}
	slow              time.Duration // what Close takes, in the time of a bubble
	closes            atomic.Int32
}

func newFakeStream() *fakeStream {
	return &fakeStream{
		in: make(chan []byte), out: make(chan string), gone: make(chan struct{}),
		readErr: make(chan error, 1), writeErr: make(chan error, 1),
	}
}

func (s *fakeStream) Read() ([]byte, error) {
	select {
	case p := <-s.in:
		return p, nil
	case err := <-s.readErr:
		return s.last, err
	case <-s.gone:
		return nil, io.ErrClosedPipe
	}
}

func (s *fakeStream) Write(p []byte) (int, error) {
	select {
	case s.out <- string(p):
		return len(p), nil
	case err := <-s.writeErr:
		return 0, err
	case <-s.gone:
		return 0, io.ErrClosedPipe
	}
}

func (s *fakeStream) Close() error {
	s.closes.Add(1)
	time.Sleep(s.slow)
	close(s.gone)
	return nil
}

// answer has the connection read the given lines.
func (s *fakeStream) answer(lines ...string) {
	for _, line := range lines {
		s.in <- []byte(line)
	}
}

// An outcome is what a call returned.
type outcome struct {
	result string
	err    error
}

// start calls method in the background.
func start(ctx context.Context, c Conn, req *Request) <-chan outcome {
	done := make(chan outcome, 1)
	go func() { // ends when the call does
		result, err := c.Call(ctx, req)
		done <- outcome{string(result), err}
	}()
	return done
}

// A log collects what a handler is called with.
type log struct {
	mu      sync.Mutex
	methods []string
	dropped []error
	traced  []string
}

func (l *log) handler() Handler {
	return Handler{
		Message: func(_ Conn, m *Message) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.methods = append(l.methods, m.Method)
		},
		Dropped: func(err error, _ []byte) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.dropped = append(l.dropped, err)
		},
		Trace: func(sent bool, data []byte) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.traced = append(l.traced, map[bool]string{true: "→ ", false: "← "}[sent]+string(data))
		},
	}
}

// wantDropped checks what was dropped since the last time. It is for bubbles.
func (l *log) wantDropped(t *testing.T, want ...error) {
	t.Helper()
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.dropped) != len(want) {
		t.Errorf("dropped %v, want %v", l.dropped, want)
	} else {
		for i, err := range want {
			if !errors.Is(l.dropped[i], err) {
				t.Errorf("dropped for %v, want %v", l.dropped[i], err)
			}
		}
	}
	l.dropped = nil
}

func want(t *testing.T, done <-chan outcome, result string, errs ...error) {
	t.Helper()
	got := <-done
	if got.result != result || (got.err == nil) != (len(errs) == 0) {
		t.Errorf("call returned %.80q, %v; want %.80q, %v", got.result, got.err, result, errs)
	}
	for _, err := range errs {
		if !errors.Is(got.err, err) {
			t.Errorf("error is %v, which doesn't match %v", got.err, err)
		}
	}
}

// waiting reports whether a call has not returned; for use after synctest.Wait.
func waiting(t *testing.T, done <-chan outcome) {
	t.Helper()
	select {
	case got := <-done:
		t.Errorf("call returned %v, want it to wait", got)
		panic("the next receive would block for ever")
	default:
	}
}

// echo answers every call that arrives at s with its own params, until s is
// closed.
func echo(s Stream) {
	for {
		data, err := s.Read()
		if err != nil {
			return
		}
		m, err := Parse(data)
		if err == nil && m.IsRequest() {
			_, _ = s.Write(AppendResponse(nil, m.ID, m.Params, nil))
		}
	}
}

// idOf returns the id of the message that line holds.
func idOf(t *testing.T, line string) string {
	t.Helper()
	m, err := Parse([]byte(strings.TrimSuffix(line, "\n")))
	if err != nil {
		t.Fatalf("sent %q: %v", line, err)
	}
	return m.ID.String()
}

func cancelNote(id ID) *Request {
	return &Request{Method: "cancel", Params: json.RawMessage(`{"id":` + id.String() + `}`)}
}

// pendingCalls returns the number of calls that wait for a response.
func pendingCalls(t *table) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.pending)
}
