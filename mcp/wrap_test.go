package mcp_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/testutil/wrapped"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// TestWrappedResultsDoNotChange: a wrapper may keep what Call returns, whether the
// client decodes the results of the same server in place or not. Closing panics
// otherwise.
func TestWrappedResultsDoNotChange(t *testing.T) {
	text := strings.Repeat("a \"line\"\n\u00e9", 20_000)
	for _, tr := range []mcp.Transport{overStream(testserver.New(nil).Pipe()), wrapped.New(overStream(testserver.New(nil).Pipe()))} {
		c, err := mcp.Connect(t.Context(), tr, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.CallTool(t.Context(), "echo", map[string]any{"message": text})
		if err != nil || res.Text() != text {
			t.Errorf("%d bytes, %v", len(res.Text()), err)
		}
		c.Close()
	}
}

// A countingTransport counts the responses of the client. It returns a connection
// after the first message of the server, if it waits.
type countingTransport struct {
	mcp.Transport
	wait    bool
	replies atomic.Int32
}

func (c *countingTransport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	message, received := h.Message, make(chan struct{}, 100)
	h.Message = func(conn jsonrpc.Conn, m *jsonrpc.Message) {
		message(conn, m)
		received <- struct{}{}
	}
	conn, err := c.Transport.Open(ctx, h)
	if c.wait {
		<-received
		synctest.Wait() // for a client that does not wait for Open
	}
	return &countingConn{conn, c}, err
}

type countingConn struct {
	jsonrpc.Conn
	t *countingTransport
}

func (c *countingConn) Reply(ctx context.Context, id jsonrpc.ID, result jsonrpc.RawMessage, err *jsonrpc.Error) error {
	c.t.replies.Add(1)
	return c.Conn.Reply(ctx, id, result, err)
}

// TestRepliesThroughTheConnOfOpen: the client responds through a wrapper, even to a
// request that arrives before Open has returned.
func TestRepliesThroughTheConnOfOpen(t *testing.T) {
	for _, early := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) { testReply(t, early) })
	}
}

func testReply(t *testing.T, early bool) {
	answered := make(chan request, 1)
	p, rwc := newPeer(t, legacy, func(p *peer, r request) {
		switch r.Method {
		case "notifications/initialized":
			if !early {
				p.send(`{"jsonrpc":"2.0","id":"q","method":"ping"}`)
			}
		case "":
			answered <- r
		}
	})
	if early {
		go p.send(`{"jsonrpc":"2.0","id":"q","method":"ping"}`) // ends when it is read
	}
	tr := &countingTransport{Transport: overStream(rwc), wait: early}
	connectTransport(t, tr, &mcp.Options{ProtocolVersions: []string{legacy}})
	select {
	case r := <-answered:
		if string(r.ID) != `"q"` || string(r.Result) != "{}" || tr.replies.Load() != 1 {
			t.Errorf("early %v: the server receives %s, the wrapper sends %d", early, r.line, tr.replies.Load())
		}
	case <-time.After(testutil.Timeout):
		t.Errorf("early %v: no response", early)
	}
}

// TestFirstOfInAWrapper: Connect would lose the wrapper, or the second transport.
func TestFirstOfInAWrapper(t *testing.T) {
	first := mcp.FirstOf(noTransport{}, testserverTransport())
	c := connectTransport(t, first, nil)
	if err := c.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	_, err := mcp.Connect(t.Context(), wrapped.New(first), &mcp.Options{Name: "github"})
	wantError(t, err, nil, `server "github": connect to nowhere: `, "wrap each of its transports")
	connectTransport(t, mcp.FirstOf(wrapped.New(noTransport{}), wrapped.New(testserverTransport())), nil)
	connectTransport(t, mcp.FirstOf(mcp.FirstOf(testserverTransport())), nil)
}

func testserverTransport() mcp.Transport { return overStream(testserver.New(nil).Pipe()) }

// TestWrappedStreamIsOpenedOnce: the client therefore sends initialize first.
func TestWrappedStreamIsOpenedOnce(t *testing.T) {
	s := testserver.New(nil)
	connectTransport(t, wrapped.New(stdio.Stream(s.Pipe())), nil)
	if list := receivedMethods(s); list[0] != "initialize" {
		t.Errorf("the client sends %q", list)
	}
}

// An explainingConn adds to what the connection that it wraps explains.
type explainingConn struct {
	jsonrpc.Conn
	features jsonrpc.Features
}

func explaining(conn jsonrpc.Conn, explain func(error) error) *explainingConn {
	c := &explainingConn{conn, *conn.Features()}
	inner := c.features.Explain
	c.features.Explain = func(err error) error {
		if inner != nil {
			err = cmp.Or(inner(err), err)
		}
		return explain(err)
	}
	return c
}

func (c *explainingConn) Features() *jsonrpc.Features { return &c.features }

// An openFunc is a transport with only the method Open.
type openFunc func(context.Context, jsonrpc.Handler) (jsonrpc.Conn, error)

func (openFunc) Features() jsonrpc.TransportFeatures { return jsonrpc.TransportFeatures{} }

func (f openFunc) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	return f(ctx, h)
}

// TestExplain: the connection explains the error of Connect once, and those of calls
// without a response, before the names of the operation; wrappers chain; a panic is
// reported.
func TestExplain(t *testing.T) {
	add := func(text string) func(error) error {
		return func(err error) error { return fmt.Errorf("%w; %s", err, text) }
	}
	open := func(t *testing.T, answers bool, explain func(error) error) mcp.Transport {
		return openFunc(func(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
			_, rwc := newPeer(t, modern, func(p *peer, r request) {
				if answers && r.Method == "prompts/get" {
					p.send(`{"jsonrpc":"2.0","id":` + string(r.ID) + `,"error":{"code":-32000,"message":"refused"}}`)
				}
			})
			if !answers {
				server, client := net.Pipe()
				go io.Copy(io.Discard, server) // ends when the client closes the pipe
				rwc = client
			}
			conn, err := overStream(rwc).Open(ctx, h)
			return explaining(explaining(conn, add("first")), explain), err
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := mcp.Connect(ctx, open(t, false, add("second")), nil)
		wantError(t, err, context.DeadlineExceeded, "connect: ", "; first; second")
		if text := err.Error(); !strings.HasSuffix(text, "; first; second") || strings.Count(text, "first") > 1 {
			t.Error(text)
		}
	})
	for name, explain := range map[string]func(error) error{
		"more":    add("second"),
		"nothing": func(error) error { return nil },
		"panic":   func(error) error { panic("oops") },
	} {
		synctest.Test(t, func(t *testing.T) {
			var panics atomic.Int32
			c, err := mcp.Connect(t.Context(), open(t, true, explain), &mcp.Options{Name: "x", Timeout: time.Second, Trace: &mcp.Trace{
				HandlerPanic: func(context.Context, any, []byte) { panics.Add(1) },
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, err = c.CallTool(t.Context(), "slow", nil)
			want := `server "x": tools/call "slow": no response within 1s`
			if name == "more" {
				want += "; first; second"
			}
			if err == nil || err.Error() != want || !errors.Is(err, context.DeadlineExceeded) || (panics.Load() == 1) != (name == "panic") {
				t.Errorf("%s: %v, %d panics\nwant %s", name, err, panics.Load(), want)
			}
			if _, err = c.GetPrompt(t.Context(), "p", nil); err == nil || strings.Contains(err.Error(), ";") {
				t.Errorf("a refusal: %v", err)
			}
		})
	}
}
