package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

func TestTraceRetryAfterRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := mcptest.New(t)
		server.Tool("any", nil, nil)
		server.Inject("any", mcptest.Refuse(-32020, "header mismatch"))
		var retried []string
		c := server.Connect(&mcp.Options{Trace: &mcp.Trace{Retry: func(_ context.Context, method string, err error) {
			wantError(t, err, nil, "header mismatch")
			retried = append(retried, method)
		}}})
		if _, err := c.CallTool(t.Context(), "any", nil); err != nil {
			t.Fatal(err)
		}
		if len(retried) != 1 || retried[0] != "tools/call" || len(server.Calls("any")) != 2 {
			t.Errorf("Retry reports %q", retried)
		}
	})
}

func TestTraceReconnectAfterProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testserver.New(&testserver.Options{Fault: "discover-dies"})
		var waits []time.Duration
		c := connectTransport(t, streamFunc(s.Pipe), &mcp.Options{Trace: &mcp.Trace{Reconnect: func(_ context.Context, err error, wait time.Duration) {
			wantError(t, err, mcp.ErrClosed, "")
			waits = append(waits, wait)
		}}})
		if err := c.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		if len(waits) != 1 || waits[0] != 0 {
			t.Errorf("Reconnect reports waits of %v, want one of 0", waits)
		}
	})
}

// TestPanicOfTaskCancelsTask checks that the task does not continue when the
// function that observes it has panicked.
func TestPanicOfTaskCancelsTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, rwc := newPeer(t, modern, func(p *peer, m request) {
			switch m.Method {
			case "tools/call":
				p.answer(m, `{"resultType":"task","taskId":"a","status":"working","pollIntervalMs":5000}`)
			default:
				p.answer(m, `{"resultType":"complete"}`)
			}
		})
		c := connectStream(t, rwc, withTasks())
		func() {
			defer func() {
				if v := recover(); v != "oh no" {
					t.Errorf("recovered %v", v)
				}
			}()
			_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "any", Task: func(*mcp.Task) { panic("oh no") }})
			t.Errorf("returned with %v", err)
		}()
		synctest.Wait()
		if got := len(p.messages("tasks/cancel")); got != 1 {
			t.Errorf("the task was cancelled %d times", got)
		}
		if err := c.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A lossTransport is a transport whose connection reports what it has lost.
type lossTransport struct {
	mcp.Transport
	lost *func(error)
}

func (l lossTransport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	*l.lost = h.Lost
	return l.Transport.Open(ctx, h)
}

// TestLossBetweenCalls: the client renews a session that the transport reports as lost,
// without a call. If that is in doubt, it asks the server. It reports a stream that was
// given up.
func TestLossBetweenCalls(t *testing.T) {
	for name, tt := range map[string]struct {
		err           error
		version       string
		session, give int // reported
		initialized   int
	}{
		"lost":       {fmt.Errorf("GET: %w", jsonrpc.ErrNoSession), legacy, 1, 0, 2},
		"in doubt":   {jsonrpc.ErrSessionInDoubt, legacy, 0, 0, 1},
		"given up":   {errors.New("405"), legacy, 0, 1, 1},
		"no session": {jsonrpc.ErrNoSession, modern, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var session, give int
				var lost func(error)
				o := onlyVersion(tt.version)
				s := testserver.New(&o)
				c := connectTransport(t, lossTransport{overStream(s.Pipe()), &lost}, &mcp.Options{Trace: &mcp.Trace{
					SessionLost: func(context.Context, error) { session++ },
					StreamLost: func(_ context.Context, err error) {
						if give++; err != tt.err {
							t.Error(err)
						}
					},
				}})
				lost(tt.err)
				synctest.Wait()
				if n := count(receivedMethods(s), "initialize"); session != tt.session || give != tt.give || n != tt.initialized {
					t.Errorf("%d sessions and %d streams lost, %d initialize", session, give, n)
				}
				if err := c.Ping(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestOddIsReported: a text with half a character is used, and reported once.
func TestOddIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, rwc := newPeer(t, legacy, func(p *peer, m request) {
			if m.Method == "tools/call" {
				p.answer(m, `{"content":[{"type":"text","text":"cut \ud83d"}]}`)
			}
		})
		var odd []string
		c := connectStream(t, rwc, &mcp.Options{Trace: &mcp.Trace{Odd: func(_ context.Context, reason error, data []byte) {
			odd = append(odd, reason.Error()+string(data))
		}}})
		res, err := c.CallTool(t.Context(), "any", nil)
		if err != nil || res.Text() != "cut \ufffd" || len(odd) != 1 || !strings.Contains(odd[0], "half a character") || !strings.Contains(odd[0], `cut \u`) {
			t.Errorf("%v, %v, reported %q", res, err, odd)
		}
	})
}
