package stdio

import (
	"context"
	"errors"
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
