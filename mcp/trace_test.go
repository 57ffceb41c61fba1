package mcp_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
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
