package mcp_test

import (
	"context"
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
