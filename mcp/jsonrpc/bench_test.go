package jsonrpc

import (
	"io"
	"sync"
	"testing"
)

// A mirrorStream answers what is written to it, with one allocation for each
// answer, as a stream that reads lines needs.
type mirrorStream struct {
	answers chan []byte
	gone    chan struct{}
}

func (s *mirrorStream) Read() ([]byte, error) {
	select {
	case p := <-s.answers:
		return p, nil
	case <-s.gone:
		return nil, io.EOF
	}
}

func (s *mirrorStream) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		// A request is {"jsonrpc":"2.0","id":…,"method":…}.
		const start = len(`{"jsonrpc":"2.0","id":`)
		end := start
		for p[end] != ',' {
			end++
		}
		answer := make([]byte, 0, 112)
		answer = append(answer, p[:end]...)
		s.answers <- append(answer, `,"result":{"content":[{"type":"text","text":"hello"}]}}`...)
		for p[end] != '\n' {
			end++
		}
		p = p[end+1:]
	}
	return n, nil
}

func (s *mirrorStream) Close() error { close(s.gone); return nil }

func newMirror() Conn {
	return NewConn(&mirrorStream{answers: make(chan []byte, 64), gone: make(chan struct{})}, Handler{})
}

var benchRequest = Request{Method: "tools/call", Params: []byte(`{"name":"echo","arguments":{"message":"hello"}}`)}

// BenchmarkCall is the connection's own cost: the peer answers inside Write.
func BenchmarkCall(b *testing.B) {
	c := newMirror()
	defer c.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Call(b.Context(), &benchRequest); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCall32Callers(b *testing.B) {
	c := newMirror()
	defer c.Close()
	b.ReportAllocs()
	calls := make(chan struct{}, 1024)
	var callers sync.WaitGroup
	for range 32 {
		callers.Go(func() {
			for range calls {
				if _, err := c.Call(b.Context(), &benchRequest); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for b.Loop() {
		calls <- struct{}{}
	}
	close(calls)
	callers.Wait()
}

// BenchmarkCallOverPipe has a second goroutine as the peer, which reads each
// request and writes each answer.
func BenchmarkCallOverPipe(b *testing.B) {
	here, there := Pipe()
	c := NewConn(here, Handler{})
	defer c.Close()
	go echo(there) // ends with the pipe
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Call(b.Context(), &benchRequest); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	answer := []byte(`{"jsonrpc":"2.0","id":12345,"result":{"content":[{"type":"text","text":"hello"}]}}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(answer)))
	for b.Loop() {
		if _, err := Parse(answer); err != nil {
			b.Fatal(err)
		}
	}
}

// A call allocates nothing but what the stream does for its answer.
func TestCallAllocatesOnlyTheResponse(t *testing.T) {
	c := newMirror()
	defer c.Close()
	n := testing.AllocsPerRun(1000, func() {
		if _, err := c.Call(t.Context(), &benchRequest); err != nil {
			t.Fatal(err)
		}
	})
	if n > 3 {
		t.Errorf("%v allocations a call", n)
	}
}
