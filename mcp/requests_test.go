package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// connectPeer connects to a new peer with options o.
func connectPeer(t *testing.T, version string, o *mcp.Options) (*peer, *mcp.Client) {
	t.Helper()
	p, rwc := newPeer(t, version, nil)
	return p, connectStream(t, rwc, o)
}

func serverRequest(id, method string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"}`
}

func TestRequestsOfLegacyServer(t *testing.T) {
	for _, tt := range []struct{ name, send, want string }{
		{"ping", serverRequest("7", "ping"), `{"jsonrpc":"2.0","id":7,"result":{}}`},
		{"ping with params", `{"jsonrpc":"2.0","id":"é\"","method":"ping","params":{"_meta":{"x":1}}}`,
			`{"jsonrpc":"2.0","id":"é\"","result":{}}`},
		{"an id as it was written", serverRequest("12345678901234567890", "ping"), `{"jsonrpc":"2.0","id":12345678901234567890,"result":{}}`},
		{"unknown", serverRequest(`"u"`, "echo/invented"),
			`{"jsonrpc":"2.0","id":"u","error":{"code":-32601,"message":"this client does not handle echo/invented"}}`},
		{"a capability that was not declared", serverRequest("1", "sampling/createMessage"),
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"this client does not handle sampling/createMessage"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, _ := connectPeer(t, legacy, nil)
				p.send(tt.send)
				synctest.Wait()
				if got := p.messages(""); len(got) != 1 || got[0].line != tt.want {
					t.Errorf("answered %+v, want %s", got, tt.want)
				}
			})
		})
	}
}

// TestRequestsOfModernServer: they violate the protocol, and so would a response
// (2026-07-28 basic/transports/stdio, Receiving Messages).
func TestRequestsOfModernServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var j dropLog
		p, c := connectPeer(t, modern, &mcp.Options{Trace: j.trace()})
		p.send(serverRequest("1", "ping"), serverRequest(`"x"`, "sampling/createMessage"), `{"jsonrpc":"2.0","id":null,"method":"ping"}`)
		synctest.Wait()
		if got := p.messages(""); len(got) != 0 {
			t.Errorf("answered %+v", got)
		}
		if got := j.all(); len(got) != 3 || !j.contains("a request from the server") {
			t.Errorf("dropped %v, want all three", got)
		}
		if c.Err() != nil {
			t.Error(c.Err())
		}
	})
}

func TestPingWhileHandlerBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p, c := connectPeer(t, legacy, &mcp.Options{Log: func(context.Context, *mcp.LogMessage) { <-release }})
		p.notify("notifications/message", `{"level":"info","data":1}`)
		go func() { // ends when the client is closed
			_, _ = c.Do(t.Context(), &mcp.ToolCall{Name: "any", Progress: func(mcp.Progress) { <-release }})
		}()
		synctest.Wait()
		p.notify("notifications/progress", `{"progressToken":1,"progress":1}`)
		p.send(serverRequest("7", "ping"))
		synctest.Wait()
		if got := p.messages(""); len(got) != 1 {
			t.Errorf("answers are %+v, want one to the ping", got)
		}
		close(release)
		c.Close()
	})
}

// TestTooManyServerRequests: a server that sends requests without reading the responses
// neither exhausts nor blocks the client.
func TestTooManyServerRequests(t *testing.T) {
	const n = 30_000
	synctest.Test(t, func(t *testing.T) {
		var j dropLog
		_, rwc := newPeer(t, legacy, func(p *peer, m request) {
			if m.Method != "tools/call" {
				return
			}
			for i := range n { // it does not read meanwhile
				p.send(serverRequest(fmt.Sprint(i), "roots/list"))
			}
			p.answer(m, done)
		})
		c := connectStream(t, rwc, &mcp.Options{Trace: j.trace()})
		if res, err := c.CallTool(t.Context(), "any", nil); err != nil || res.Text() != "done" {
			t.Errorf("%+v, %v", res, err)
		}
		if got := len(j.all()); got < n/4 || !j.matches(mcp.ErrOverloaded) {
			t.Errorf("dropped %d of %d requests", got, n)
		}
	})
}

func TestServerCancelsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var j dropLog
		p, c := connectPeer(t, legacy, &mcp.Options{Trace: j.trace()})
		for _, params := range []string{
			`{"requestId":7,"reason":"never mind"}`, // unknown or already answered
			`{"requestId":"x"}`,
			`{}`,
		} {
			p.notify("notifications/cancelled", params)
		}
		p.notify("notifications/cancelled", `{"requestId":{}}`)
		p.send(serverRequest("7", "ping"))
		p.notify("notifications/cancelled", `{"requestId":7}`)
		p.send(serverRequest("8", "ping"))
		synctest.Wait()
		answers := p.messages("")
		if len(answers) == 0 || string(answers[len(answers)-1].ID) != "8" && string(answers[0].ID) != "8" {
			t.Errorf("answers are %+v, want one to 8 at least", answers)
		}
		if got := j.all(); len(got) != 1 || !errors.Is(got[0], mcp.ErrMalformed) {
			t.Errorf("dropped %v, want the one that is malformed", got)
		}
		if err := c.Err(); err != nil {
			t.Error(err)
		}
	})
}

func TestUnknownNotificationsAreIgnored(t *testing.T) {
	for _, version := range eras {
		synctest.Test(t, func(t *testing.T) {
			p, c := connectPeer(t, version, nil)
			p.notify("notifications/tools/list_changed", `{}`)
			p.notify("notifications/invented", `[]`)
			p.notify("notifications/message", `{"level":"info","data":1}`)
			p.send(`{"jsonrpc":"2.0","method":"ping"}`)
			synctest.Wait()
			if c.Err() != nil || len(p.messages("")) != 0 {
				t.Errorf("%v, answered %+v", c.Err(), p.messages(""))
			}
		})
	}
}

func TestLogMessagesInOrder(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		var got []string // the race detector checks that calls are sequential
		c := p.open(t, p.server(testserver.Options{}), &mcp.Options{
			LogLevel: mcp.LevelDebug,
			Log: func(_ context.Context, m *mcp.LogMessage) {
				time.Sleep(time.Millisecond)
				if m.Logger != "echo" || !strings.Contains(string(m.Data), string(m.Level)) {
					t.Errorf("message is %+v", m)
				}
				got = append(got, string(m.Level))
			},
		})
		all := []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
		for least, level := range all {
			if err := c.SetLogLevel(t.Context(), mcp.LoggingLevel(level)); err != nil {
				t.Fatal(err)
			}
			got = nil
			if _, err := c.CallTool(t.Context(), "log", nil); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			if want := all[least:]; !slices.Equal(got, want) {
				t.Errorf("levels are %q, want %q", got, want)
			}
		}
	})
}

func TestLogFlood(t *testing.T) {
	const n = 5000
	synctest.Test(t, func(t *testing.T) {
		var j dropLog
		release := make(chan struct{})
		got := 0
		p, c := connectPeer(t, legacy, &mcp.Options{Trace: j.trace(), Log: func(context.Context, *mcp.LogMessage) {
			<-release
			got++
		}})
		for i := range n {
			p.notify("notifications/message", fmt.Sprintf(`{"level":"info","data":%d}`, i))
		}
		synctest.Wait()
		floods := len(j.all())
		if !j.matches(mcp.ErrOverloaded) || floods < n/2 {
			t.Errorf("%d dropped of %d", floods, n)
		}
		close(release)
		synctest.Wait()
		if got+floods != n {
			t.Errorf("%d delivered and %d dropped of %d", got, floods, n)
		}
		c.Close()
	})
}

// TestHandlersUseClient: handlers do not run on the goroutine that reads.
func TestHandlersUseClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c *mcp.Client
		ready := make(chan struct{})
		results := make(chan error, 100)
		c = connect(t, testserver.New(nil), &mcp.Options{
			LogLevel: mcp.LevelEmergency,
			Log: func(ctx context.Context, _ *mcp.LogMessage) {
				<-ready
				_, err := c.ListTools(ctx)
				results <- err
			},
		})
		close(ready)
		_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "slow", Arguments: map[string]any{"steps": 1}, Progress: func(mcp.Progress) {
			results <- c.Ping(t.Context())
		}})
		if err != nil {
			t.Error(err)
		}
		if _, err := c.CallTool(t.Context(), "log", nil); err != nil {
			t.Error(err)
		}
		for range 2 {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
	})
}

// TestTrace sees every message, and a call before its answer.
func TestTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var j dropLog
		o := onlyVersion(legacy)
		c := connect(t, testserver.New(&o), &mcp.Options{Trace: &mcp.Trace{Message: func(_ context.Context, sent bool, data []byte) {
			j.record(fmt.Errorf("%v %s", sent, data), nil)
		}}})
		if err := c.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, line := range j.all() {
			got = append(got, line.Error()[:min(40, len(line.Error()))])
		}
		for i, want := range []string{`true {"jsonrpc":"2.0","id":1,`, `false {"jsonrpc":"2.0","id":1,`, `true {"jsonrpc":"2.0","id":2,`,
			`false {"jsonrpc":"2.0","id":2,`, `true {"jsonrpc":"2.0","method":`, `true {"jsonrpc":"2.0","id":3,`, `false {"jsonrpc":"2.0","id":3,`} {
			if i >= len(got) || !strings.HasPrefix(got[i], want) {
				t.Fatalf("traced %q, want %q at %d", got, want, i)
			}
		}
	})
}

// TestManyServerRequestsAtOnce: each of them gets a response, those beyond what
// the client handles at once an error.
func TestManyServerRequestsAtOnce(t *testing.T) {
	const n = 500
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p, c := connectPeer(t, legacy, &mcp.Options{Handlers: []mcp.Handler{mcp.Roots{List: func(context.Context) ([]mcp.Root, error) {
			<-release
			return nil, nil
		}}}})
		for i := range n {
			p.send(serverRequest(fmt.Sprint(i), "ping"), serverRequest(fmt.Sprint(n+i), "roots/list"), serverRequest(fmt.Sprint(2*n+i), "invented"))
		}
		synctest.Wait()
		close(release)
		synctest.Wait()
		answered, pongs, refused := make(map[string]int), 0, 0
		for _, m := range p.messages("") {
			answered[string(m.ID)]++
			switch {
			case strings.Contains(m.line, `"result":{}`):
				pongs++
			case strings.Contains(m.line, "too many requests at once"):
				refused++
			}
		}
		if len(answered) != 3*n || pongs != n || refused < n {
			t.Errorf("%d of %d requests are answered, %d of %d pings; %d are refused", len(answered), 3*n, pongs, n, refused)
		}
		for id, times := range answered {
			if times != 1 {
				t.Errorf("request %s has %d responses", id, times)
			}
		}
		if c.Err() != nil {
			t.Error(c.Err())
		}
	})
}

// TestRequestIDInUse: a response to the second request would be taken for that
// to the first.
func TestRequestIDInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var j dropLog
		release := make(chan struct{})
		p, _ := connectPeer(t, legacy, &mcp.Options{Trace: j.trace(), Handlers: []mcp.Handler{mcp.Roots{List: func(context.Context) ([]mcp.Root, error) {
			<-release
			return nil, nil
		}}}})
		p.send(serverRequest("7", "roots/list"), serverRequest("7", "roots/list"), serverRequest("7", "ping"))
		synctest.Wait()
		if got := p.messages(""); len(got) != 0 {
			t.Errorf("answered %+v", got)
		}
		close(release)
		synctest.Wait()
		p.send(serverRequest("7", "ping")) // the id is free again
		synctest.Wait()
		if got := p.messages(""); len(got) != 2 || !strings.Contains(got[0].line, `"roots":[]`) || !strings.Contains(got[1].line, `"result":{}`) {
			t.Errorf("answered %+v", got)
		}
		if got := j.all(); len(got) != 2 || !j.contains("the id of the request is in use") {
			t.Errorf("dropped %v", got)
		}
	})
}

// TestOnlyRunningHandlersPauseTimers: a server cannot keep a call alive with
// requests that no function of the program handles, or that one handles at once.
func TestOnlyRunningHandlersPauseTimers(t *testing.T) {
	for name, send := range map[string]string{
		"ping":             serverRequest("%d", "ping"),
		"unknown":          serverRequest("%d", "invented"),
		"refused":          `{"jsonrpc":"2.0","id":%d,"method":"elicitation/create","params":{"mode":"invented"}}`,
		"quick":            serverRequest("%d", "roots/list"),
		"page is complete": `{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"%d"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, c := connectPeer(t, legacy, &mcp.Options{Handlers: []mcp.Handler{
					mcp.Roots{List: func(context.Context) ([]mcp.Root, error) { return nil, nil }},
					mcp.Elicitation{Form: func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) { return nil, nil },
						OpenURL: func(context.Context, *mcp.URLRequest) (mcp.ElicitAction, error) { return mcp.ElicitDecline, nil }}}})
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				go func() { // ends with ctx
					for i := 0; ctx.Err() == nil; i++ {
						p.send(fmt.Sprintf(send, i))
						time.Sleep(100 * time.Millisecond)
					}
				}()
				began := time.Now()
				_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "any", Timeout: 300 * time.Millisecond})
				if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 310*time.Millisecond {
					t.Errorf("%v after %v", err, took)
				}
				stop()
				time.Sleep(time.Second)
			})
		})
	}
}

// TestHandlerThatRunsNowAndThen: a server gains nothing by requests whose handlers
// run whenever the client looks whether the time of the call is up.
func TestHandlerThatRunsNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, c := connectPeer(t, legacy, &mcp.Options{Handlers: []mcp.Handler{mcp.Roots{List: func(context.Context) ([]mcp.Root, error) {
			time.Sleep(50 * time.Millisecond)
			return nil, nil
		}}}})
		for i := range 100 {
			time.AfterFunc(90*time.Millisecond+time.Duration(i)*100*time.Millisecond, func() { p.send(serverRequest(fmt.Sprint(i), "roots/list")) })
		}
		began := time.Now()
		_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "any", Timeout: 300 * time.Millisecond})
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > time.Second {
			t.Errorf("%v after %v", err, took)
		}
		time.Sleep(11 * time.Second)
	})
}

// TestHandlerPausesTimer: the time in which a handler runs does not count, the
// time before and after it does.
func TestHandlerPausesTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, c := connectPeer(t, legacy, &mcp.Options{Handlers: []mcp.Handler{mcp.Roots{List: func(context.Context) ([]mcp.Root, error) {
			time.Sleep(time.Hour / 2)
			return nil, nil
		}}}})
		time.AfterFunc(50*time.Second, func() { p.send(serverRequest("7", "roots/list")) })
		began := time.Now()
		_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "any", Timeout: time.Minute})
		took := time.Since(began) - time.Hour/2
		if !errors.Is(err, context.DeadlineExceeded) || took < time.Minute || took > 2*time.Minute {
			t.Errorf("%v after %v and half an hour", err, took)
		}
	})
}
