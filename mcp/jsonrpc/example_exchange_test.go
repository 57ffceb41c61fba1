package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A post sends one message with the headers that about describes, and returns the
// messages that the server sends back.
type post func(ctx context.Context, about *jsonrpc.HTTP, message []byte) ([][]byte, error)

// An exchangeConn is a Conn for which each message is an exchange of its own,
// as over HTTP. It uses the engine that NewConn uses.
type exchangeConn struct {
	in    jsonrpc.Dispatcher
	post  post
	done  chan struct{}
	close sync.Once
}

var _ jsonrpc.Conn = (*exchangeConn)(nil)

func newExchangeConn(p post, h jsonrpc.Handler) *exchangeConn {
	c := &exchangeConn{post: p, done: make(chan struct{})}
	c.in.Handler = h
	return c
}

func (c *exchangeConn) Call(ctx context.Context, req *jsonrpc.Request) (jsonrpc.RawMessage, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	resp := c.in.Do(ctx, req, cancel, func(call *jsonrpc.PendingCall) error {
		err := c.exchange(ctx, call, req)
		if ctx.Err() != nil {
			return nil // Do returns the cause
		}
		return err
	})
	if resp.Cancel != nil {
		resp.Cancel.HTTP.ProtocolVersion = req.HTTP.ProtocolVersion
		_ = c.Notify(context.WithoutCancel(ctx), resp.Cancel)
	}
	return resp.Result, resp.Err
}

// exchange sends a request. What comes back must be the response to it.
func (c *exchangeConn) exchange(ctx context.Context, call *jsonrpc.PendingCall, req *jsonrpc.Request) error {
	received, err := c.post(ctx, &req.HTTP, jsonrpc.AppendRequest(nil, call.ID(), req))
	for _, m := range received {
		c.in.Receive(c, m, call.ID())
	}
	switch {
	case call.Ended():
		return nil
	case err != nil:
		return jsonrpc.OutcomeUnknown(err)
	}
	return jsonrpc.Malformed(errors.New("no response to the request"))
}

func (c *exchangeConn) Notify(ctx context.Context, req *jsonrpc.Request) error {
	_, err := c.post(ctx, &req.HTTP, jsonrpc.AppendRequest(nil, jsonrpc.ID{}, req))
	return err
}

func (c *exchangeConn) Reply(ctx context.Context, id jsonrpc.ID, result jsonrpc.RawMessage, err *jsonrpc.Error) error {
	_, failure := c.post(ctx, new(jsonrpc.HTTP), jsonrpc.AppendResponse(nil, id, result, err))
	return failure
}

func (c *exchangeConn) Features() *jsonrpc.Features { return c.in.Features() }

func (c *exchangeConn) Done() <-chan struct{} { return c.done }

func (c *exchangeConn) Err() error {
	select {
	case <-c.done:
		return jsonrpc.ErrClosed
	default:
		return nil
	}
}

// Close fails pending calls. A transport that owns goroutines or sockets waits
// for them here, and returns ErrStuck after a few seconds.
func (c *exchangeConn) Close() error {
	c.close.Do(func() {
		close(c.done)
		c.in.Close(jsonrpc.ErrClosed)
	})
	return nil
}

// A transport whose calls are exchanges implements Conn, with a Dispatcher.
func ExampleDispatcher() {
	server := func(_ context.Context, about *jsonrpc.HTTP, message []byte) ([][]byte, error) {
		m, err := jsonrpc.Parse(message)
		switch {
		case err != nil:
			return nil, err
		case about.ProtocolVersion != "2025-11-25":
			return nil, errors.New("400 Bad Request: no header Mcp-Protocol-Version")
		case m.Method == "lose":
			return nil, jsonrpc.Closed(io.ErrUnexpectedEOF)
		case m.Method == "ignore":
			return nil, nil
		}
		return [][]byte{
			jsonrpc.AppendRequest(nil, jsonrpc.ID{}, &jsonrpc.Request{Method: "notifications/progress"}),
			jsonrpc.AppendResponse(nil, m.ID, m.Params, nil),
		}, nil
	}
	conn := newExchangeConn(server, jsonrpc.Handler{Message: func(_ jsonrpc.Conn, m *jsonrpc.Message) {
		fmt.Println("received", m.Method)
	}})
	defer conn.Close()

	ctx := context.Background()
	about := jsonrpc.HTTP{ProtocolVersion: "2025-11-25"} // package mcp sets it
	result, err := conn.Call(ctx, &jsonrpc.Request{Method: "echo", Params: []byte(`{"message":"hi"}`), HTTP: about})
	fmt.Println(string(result), err)
	_, err = conn.Call(ctx, &jsonrpc.Request{Method: "lose", HTTP: about})
	fmt.Println(errors.Is(err, jsonrpc.ErrClosed), errors.Is(err, jsonrpc.ErrOutcomeUnknown))
	_, err = conn.Call(ctx, &jsonrpc.Request{Method: "ignore", HTTP: about})
	fmt.Println(err)
	// Output:
	// received notifications/progress
	// {"message":"hi"} <nil>
	// true true
	// malformed message: no response to the request
}
