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

// TestOddIsReported: what breaks the protocol and does no harm is used, and reported once.
func TestOddIsReported(t *testing.T) {
	result := func(text string) string { return `{"jsonrpc":"2.0","id":$id,"result":` + text + `}` }
	note := func(params string) string {
		return `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"` + params + "}\n" + result("{}")
	}
	form := func(field string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{"a":` + field + `}}}}` + "\n" + result("{}")
	}
	initialized := func(tools string) string {
		return result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":` + tools + `},"serverInfo":{"name":"s","version":"1"}}`)
	}
	tool := func(members string) string {
		return result(`{"tools":[{"name":"t","inputSchema":{},` + members + `}]}`)
	}
	for _, tt := range []struct{ method, reply, want string }{
		{"ping", result("{}"), ""},
		{"ping", `{"jsonrpc":"2.0","id":$id,"result":{"a":"cut \ud83d"}}`, "half a character"},
		{"ping", `{"jsonrpc":"2.0","id":$id,"method":null,"result":{}}`, "that is null"},
		{"ping", `{"jsonrpc":"2.0","id":$id,"result":{},"error":null}`, "that is null"},
		{"ping", `{"jsonrpc":"2.0","id":$id,"result":null,"error":{"code":-32603,"message":"m"}}`, "that is null"},
		{"ping", `{"jsonrpc":"2.0","id":$id,"error":{"code":"-32603","message":"m"}}`, "a code of an error that is a string"},
		{"ping", `{"jsonrpc":"2.0","id":$id,"error":"m"}`, "an error that is a string"},
		{"ping", note(`,"params":null`), "that is null"},
		{"ping", note(`,"params":[]`), "an empty array in place of an object"},
		{"ping", note(""), ""},
		{"initialize", initialized("true"), "initialize: a capability that is not an object"},
		{"initialize", initialized("[]"), "a capability that is not an object"},
		{"initialize", initialized(`{"listChanged":"true"}`), "a boolean that is a string"},
		{"tools/list", tool(`"annotations":{"readOnlyHint":"true"}`), "tools/list: a boolean that is a string"},
		{"tools/list", tool(`"annotations":[]`), "an empty array in place of an object"},
		{"tools/list", tool(`"description":["a"]`), "a member of another type, which was skipped"},
		{"tools/list", tool(`"icons":"a.png"`), "a member of another type, which was skipped"},
		{"tools/list", tool(`"icons":[{"src":"a","sizes":"48x48"}]`), "a string in place of a list of strings"},
		{"tools/list", tool(`"description":["a"],"annotations":{"readOnlyHint":"true"}`), "a member of another type, which was skipped"},
		{"tools/list", result(`{"tools":[],"nextCursor":""}`), "an empty nextCursor"},
		{"tools/list", result(`{"tools":[],"nextCursor":null}`), "tools/list: a member that is null"},
		{"tools/list", tool(`"annotations":{"title":null}`), "a member that is null"},
		{"tools/call", result(`{"content":[{"type":"text","text":"a","annotations":null}]}`), "a member that is null"},
		{"tools/list", result(`{"tools":[],"ttlMs":1.5}`), "a number that is not an integer"},
		{"tools/call", result(`{"content":[],"isError":"false"}`), `tools/call "t": a boolean that is a string`},
		{"tools/call", result(`{"content":[{"type":"text","text":1}]}`), "content without the members of its type"},
		{"ping", form(`{"type":["string","null"]}`), "a field that may be null"},
		{"ping", form(`{"type":"string","enum":["b"],"default":"c"}`), "a default that does not match its schema"},
		{"ping", form(`{"type":"string","enum":["b"],"default":"b"}`), ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			replies := map[string]string{"initialize": initialized("{}"), tt.method: tt.reply}
			var odd []string
			c := connectStream(t, testserver.Script(testserver.Replies(replies)).Pipe(), &mcp.Options{
				ProtocolVersions: []string{legacy},
				Handlers: []mcp.Handler{mcp.Elicitation{Form: func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) {
					return &mcp.ElicitResult{Action: mcp.ElicitAccept}, nil
				}}},
				Trace: &mcp.Trace{
					Odd: func(_ context.Context, reason error, data []byte) { odd = append(odd, reason.Error()) },
					Discarded: func(_ context.Context, reason error, data []byte) {
						t.Errorf("%s: discarded %s: %v", tt.reply, data, reason)
					},
				},
			})
			var err error
			switch tt.method {
			case "tools/list":
				_, err = c.ListTools(t.Context())
			case "tools/call":
				_, err = c.CallTool(t.Context(), "t", nil)
			case "ping":
				_, err = c.Call(t.Context(), "ping", nil)
			}
			synctest.Wait()
			if failed := strings.Contains(tt.reply, `"error":{`) || strings.Contains(tt.reply, `"error":"`); failed != (err != nil) {
				t.Errorf("%s: %v", tt.reply, err)
			}
			if n := len(odd); n > 1 || (n == 1) != (tt.want != "") || n == 1 && !strings.Contains(odd[0], tt.want) {
				t.Errorf("%s: reported %q, want %q", tt.reply, odd, tt.want)
			}
		})
	}
}
