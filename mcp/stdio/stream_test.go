package stdio

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

func TestStreamOpensOnce(t *testing.T) {
	ours, theirs := net.Pipe()
	tr := Stream(ours)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := tr.Open(ended, jsonrpc.Handler{}); !errors.Is(err, context.Canceled) {
		t.Error("with an ended context:", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c, err := tr.Open(ctx, jsonrpc.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	cancel() // bounds the opening only
	if _, err := tr.Open(context.Background(), jsonrpc.Handler{}); !errors.Is(err, ErrOpened) {
		t.Error("second Open:", err)
	}
	go answerLines(theirs, theirs) // ends when the pipe is closed
	if _, err := c.Call(context.Background(), &jsonrpc.Request{Method: "m"}); err != nil {
		t.Error(err)
	}
	c.Close()
	if _, err := theirs.Write([]byte("{}\n")); err == nil {
		t.Error("the stream is still open")
	}
}

func TestStreamEndsWithItsPeer(t *testing.T) {
	ours, theirs := net.Pipe()
	c, err := Stream(ours).Open(context.Background(), jsonrpc.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	theirs.Close()
	if _, err := c.Call(context.Background(), &jsonrpc.Request{Method: "m"}); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Error(err)
	}
}

func TestDialOpensAgain(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(context.Background(), key{}, "value")
	tr := Dial(func(ctx context.Context) (io.ReadWriteCloser, error) {
		if ctx.Value(key{}) == nil {
			t.Error("not the context of Open")
		}
		ours, theirs := net.Pipe()
		go answerLines(theirs, theirs) // ends when the pipe is closed
		return ours, nil
	})
	for range 2 {
		c, err := tr.Open(ctx, jsonrpc.Handler{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Call(ctx, &jsonrpc.Request{Method: "m"}); err != nil {
			t.Error(err)
		}
		c.Close()
	}
}

func TestStreamThatCannotBeOpened(t *testing.T) {
	refused := errors.New("refused")
	for want, tr := range map[error]*StreamTransport{
		refused:     Dial(func(context.Context) (io.ReadWriteCloser, error) { return nil, refused }),
		errNoStream: Dial(func(context.Context) (io.ReadWriteCloser, error) { return nil, nil }),
		errNoDial:   Dial(nil),
	} {
		if _, err := tr.Open(t.Context(), jsonrpc.Handler{}); err != want {
			t.Errorf("%v, want %v", err, want)
		}
	}
	if _, err := Stream(nil).Open(t.Context(), jsonrpc.Handler{}); err != errNoStream {
		t.Error(err)
	}
	if _, err := new(StreamTransport).Open(t.Context(), jsonrpc.Handler{}); err != errNoDial {
		t.Error(err)
	}
}

// TestOpenStream: a stream fails as a connection does, and says what it is able to do.
func TestOpenStream(t *testing.T) {
	if _, err := new(StreamTransport).OpenStream(t.Context(), jsonrpc.Handler{}); err != errNoDial {
		t.Errorf("%v", err)
	}
	if s, err := new(Transport).OpenStream(t.Context(), jsonrpc.Handler{}); err != errNoName || s != nil {
		t.Errorf("%v, %v", s, err)
	}
	ours, theirs := net.Pipe()
	tr := Stream(ours)
	tr.MaxMessage = 100
	s, err := tr.OpenStream(t.Context(), jsonrpc.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if l, ok := s.(jsonrpc.MessageLimiter); !ok || l.MaxMessage() != 100 {
		t.Errorf("a stream %T without its limit", s)
	}
	go io.WriteString(theirs, "\n{}\n") // ends with the stream
	if m, err := s.Read(); string(m) != "{}" || err != nil {
		t.Errorf("%q, %v", m, err)
	}
	if _, err := tr.OpenStream(t.Context(), jsonrpc.Handler{}); err != ErrOpened {
		t.Errorf("opened again: %v", err)
	}
}
