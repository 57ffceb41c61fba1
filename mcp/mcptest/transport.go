package mcptest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// TransportServer adds the tools that [TestTransport] calls.
func TransportServer(s *Server) {
	if s == nil {
		return // then TestTransport finds no tools
	}
	s.Tool("echo", nil, func(c *Call) (any, error) { return c.Text("text"), nil })
	s.Tool("wait", nil, func(c *Call) (any, error) {
		c.Progress(1, 0, "waiting")
		<-c.Context().Done()
		return nil, c.Context().Err()
	})
	s.Tool("count", nil, func(c *Call) (any, error) {
		for i := range 10 {
			c.Progress(float64(i+1), 10, fmt.Sprint(i+1))
		}
		return "counted", nil
	})
	s.Tool("ask", nil, func(c *Call) (any, error) { return c.Ask("Who is there?") })
	s.Tool("refuse", nil, func(*Call) (any, error) { return nil, &jsonrpc.Error{Code: 1234, Message: "refused"} })
}

// Serve serves one connection over a stream of lines until the connection ends,
// for streams that no other method provides.
func (s *Server) Serve(rwc io.ReadWriteCloser) error {
	if rwc == nil {
		return errors.New("mcptest: Serve: the stream is nil")
	}
	return s.begin().Serve(rwc, rwc)
}

// bound is how long TestTransport waits for what a transport must do at once.
const bound = 30 * time.Second

// TestTransport tests a transport. open returns one, new or used before, to a
// server with the features that [TransportServer] adds; one server may serve all
// connections. The subtests check that
//
//   - a connection can be opened, closed twice, and opened again,
//   - Open fails if its context is canceled; a later cancellation does not end
//     the connection,
//   - messages of 1 MiB and of every character arrive unchanged,
//   - concurrent calls get their own responses,
//   - the end of a context ends a call, and other calls go on,
//   - notifications arrive before the response that follows them,
//   - the server's requests are answered, an error of the server is a
//     *jsonrpc.Error, and Close fails pending calls with jsonrpc.ErrClosed.
func TestTransport(t *testing.T, open func() mcp.Transport) {
	if open == nil {
		t.Fatal("mcptest: TestTransport: open is nil")
	}
	for _, test := range []struct {
		name string
		run  func(*testing.T, func() mcp.Transport)
	}{
		{"OpensAgain", testOpensAgain},
		{"OpenContext", testOpenContext},
		{"Messages", testMessages},
		{"Concurrency", testConcurrency},
		{"Cancellation", testCancellation},
		{"Notifications", testNotifications},
		{"ServerRequests", testServerRequests},
		{"Errors", testErrors},
		{"CloseDuringCall", testCloseDuringCall},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open) })
	}
}

// transportClient connects until the end of the test.
func transportClient(t *testing.T, tr mcp.Transport) *mcp.Client {
	t.Helper()
	client, err := mcp.Connect(t.Context(), tr, &mcp.Options{Timeout: bound, Handlers: []mcp.Handler{
		mcp.Sampling{CreateMessage: func(context.Context, *mcp.CreateMessageParams) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Model: "none", Content: []mcp.Content{mcp.TextContent("a client")}}, nil
		}},
	}})
	if err != nil {
		t.Fatalf("Connect: %v", err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return client
}

func wantEcho(t *testing.T, client *mcp.Client, text string) {
	t.Helper()
	res, err := client.CallTool(t.Context(), "echo", map[string]any{"text": text})
	if err != nil {
		t.Errorf("a call with %d bytes: %v", len(text), err)
	} else if res.Text() != text {
		t.Errorf("a text of %d bytes returns as one of %d, or changed: %.60q is %.60q", len(text), len(res.Text()), text, res.Text())
	}
}

func testOpensAgain(t *testing.T, open func() mcp.Transport) {
	tr := open()
	for range 3 {
		conn, err := tr.Open(t.Context(), jsonrpc.Handler{})
		if err != nil {
			t.Fatalf("Open: %v", err)
		}
		select {
		case <-conn.Done():
			t.Fatalf("the connection has ended at once: %v", conn.Err())
		default:
		}
		for range 2 {
			if err := conn.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}
		select {
		case <-conn.Done():
		case <-time.After(bound):
			t.Fatal("Done is not closed after Close")
		}
		if !errors.Is(conn.Err(), jsonrpc.ErrClosed) {
			t.Errorf("Err is %v after Close, want ErrClosed", conn.Err())
		}
		if _, err := conn.Call(t.Context(), &jsonrpc.Request{Method: "ping"}); !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("Call after Close: %v, want ErrClosed", err)
		}
	}
	wantEcho(t, transportClient(t, tr), "again")
}

func testOpenContext(t *testing.T, open func() mcp.Transport) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if conn, err := open().Open(ended, jsonrpc.Handler{}); err == nil {
		if _, err := conn.Call(ended, &jsonrpc.Request{Method: "ping"}); err == nil {
			t.Error("a call whose context has ended succeeds")
		}
		conn.Close()
	}
	ctx, cancel := context.WithCancel(t.Context())
	client, err := mcp.Connect(ctx, open(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	cancel()
	wantEcho(t, client, "after the context of Open has ended")
}

func testMessages(t *testing.T, open func() mcp.Transport) {
	client := transportClient(t, open())
	for _, text := range []string{"", "plain", "line\nbreaks\r\n\u2028\u2029", "\x00\x1f\"\\/", "Grüße, 世界 🙂", "data: event: id:",
		strings.Repeat("x", 1<<20), strings.Repeat("ü🙂\n", 1<<16)} {
		wantEcho(t, client, text)
	}
}

func testConcurrency(t *testing.T, open func() mcp.Transport) {
	client := transportClient(t, open())
	var calls sync.WaitGroup
	for i := range 50 {
		calls.Go(func() { wantEcho(t, client, fmt.Sprint("call ", i)) })
	}
	calls.Wait()
}

func testCancellation(t *testing.T, open func() mcp.Transport) {
	client := transportClient(t, open())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun := time.Now()
	_, err := client.Do(ctx, &mcp.ToolCall{Name: "wait", Progress: func(mcp.Progress) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled call: %v, want context.Canceled", err)
	}
	if took := time.Since(begun); took > bound/2 {
		t.Errorf("a canceled call took %v", took)
	}
	wantEcho(t, client, "after a cancellation")
}

func testNotifications(t *testing.T, open func() mcp.Transport) {
	client := transportClient(t, open())
	var seen []string
	if _, err := client.Do(t.Context(), &mcp.ToolCall{Name: "count",
		Progress: func(p mcp.Progress) { seen = append(seen, p.Message) }}); err != nil {
		t.Fatal(err)
	}
	if want := "1 2 3 4 5 6 7 8 9 10"; strings.Join(seen, " ") != want {
		t.Errorf("progress %q, want %s", seen, want)
	}
}

func testServerRequests(t *testing.T, open func() mcp.Transport) {
	res, err := transportClient(t, open()).CallTool(t.Context(), "ask", nil)
	if err != nil || res.Text() != "a client" {
		t.Errorf("a tool that asks the client: %v, %v", res, err)
	}
}

func testErrors(t *testing.T, open func() mcp.Transport) {
	var refused *jsonrpc.Error
	if _, err := transportClient(t, open()).CallTool(t.Context(), "refuse", nil); !errors.As(err, &refused) || refused.Code != 1234 {
		t.Errorf("an error of the server: %v, want a *jsonrpc.Error with the code 1234", err)
	}
}

func testCloseDuringCall(t *testing.T, open func() mcp.Transport) {
	client := transportClient(t, open())
	pending, begun := make(chan error, 1), make(chan struct{}, 1)
	go func() { // ends with Close
		_, err := client.Do(context.WithoutCancel(t.Context()), &mcp.ToolCall{Name: "wait", Progress: func(mcp.Progress) { begun <- struct{}{} }})
		pending <- err
	}()
	select {
	case <-begun:
	case err := <-pending:
		t.Fatalf("the call ends early: %v", err)
	}
	if err := client.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	select {
	case err := <-pending:
		if !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("a call during Close: %v, want ErrClosed", err)
		}
	case <-time.After(bound):
		t.Error("Close does not end a call")
	}
}
