package oauth

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/pause"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// slowUser returns a user who agrees after a time.
func slowUser(e *env, wait time.Duration) *robotUser {
	return &robotUser{e: e, stop: func(ctx context.Context) error {
		if !retry.Sleep(ctx, wait) {
			return context.Cause(ctx)
		}
		return nil
	}}
}

// hostTimeout is the limit of a host for connecting, 15 s.
func hostTimeout(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := pause.AfterFunc(ctx, 15*time.Second, func() { cancel(context.DeadlineExceeded) })
	return timer, func() { timer.Stop(); cancel(nil) }
}

// A login inside Connect, or inside a call, takes longer than every timeout.
func TestLoginTakesItsTime(t *testing.T) {
	for name, v := range map[string]struct {
		path     string
		versions []string // of the server
		open     func(url string, c *http.Client) mcp.Transport
		want     string
	}{
		"modern":    {"/mcp", []string{"2026-07-28"}, stream, "2026-07-28"},
		"legacy":    {"/mcp", []string{"2025-11-25"}, stream, "2025-11-25"},
		"both eras": {"/mcp", []string{"2025-11-25", "2026-07-28"}, stream, "2026-07-28"},
		"HTTP+SSE":  {"/sse", []string{"2024-11-05"}, events, "2024-11-05"},
	} {
		for _, handlers := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					web := testserver.NewHandler(testserver.New(&testserver.Options{ProtocolVersions: v.versions}), nil)
					defer web.Close()
					e, network := newMemoryEnv(t)
					e.inner, e.prm["resource"] = web, e.rs.URL
					robot := slowUser(e, 10*time.Minute)
					auth := New(e.rs.URL+v.path, &Options{Base: e.base, Authorizer: robot})
					auth.fetch.rt.DialContext = network.dial
					defer auth.CloseIdleConnections()
					ctx, cancel := hostTimeout(t.Context())
					defer cancel()
					opts := &mcp.Options{Timeout: 20 * time.Second}
					if handlers {
						opts.Handlers = []mcp.Handler{mcp.Elicitation{Form: func(context.Context, *mcp.ElicitParams) (*mcp.ElicitResult, error) { return nil, nil }}}
					}
					client, err := mcp.Connect(ctx, v.open(e.rs.URL+v.path, auth.Client()), opts)
					if err != nil {
						t.Fatal(err)
					}
					defer client.Close()
					if got := client.Server().ProtocolVersion; got != v.want {
						t.Errorf("version %s", got)
					}
					e.forgetAccess()
					clear(e.refresh)
					if _, err := client.CallTool(t.Context(), "echo", map[string]any{"message": "hi"}); err != nil {
						t.Error(err)
					}
					if robot.times != 2 {
						t.Errorf("the user was asked %d times", robot.times)
					}
				})
			})
		}
	}
}

// After the login, the time goes on; before it as well.
func TestOnlyTheLoginTakesItsTime(t *testing.T) {
	for name, open := range map[string]func(url string, c *http.Client) mcp.Transport{"/mcp": stream, "/sse": events} {
		for _, where := range []string{"/register", "/token", name} {
			synctest.Test(t, func(t *testing.T) {
				e, network := newMemoryEnv(t)
				e.prm["resource"] = e.rs.URL
				e.handle = func(_ http.ResponseWriter, r *http.Request) bool {
					if r.URL.Path == where && (where != name || r.Header.Get("Authorization") != "") {
						_, _ = io.Copy(io.Discard, r.Body) // otherwise the end of the connection is not noticed
						<-r.Context().Done()
						return true
					}
					return false
				}
				auth := New(e.rs.URL+name, &Options{Base: e.base, Authorizer: slowUser(e, time.Hour)})
				auth.fetch.rt.DialContext = network.dial
				defer auth.CloseIdleConnections()
				ctx, cancel := hostTimeout(t.Context())
				defer cancel()
				start := time.Now()
				_, err := mcp.Connect(ctx, open(e.rs.URL+name, auth.Client()), nil)
				limit := time.Hour + 15*time.Second + postTime
				if where == "/register" {
					limit = 15 * time.Second
				}
				if d := time.Since(start); err == nil || d > limit {
					t.Errorf("%s, %s waits: %v after %v", name, where, err, d)
				}
			})
		}
	}
}

// The error of a login that the user did not answer says that it waited for the login, how
// long, and where its page is, whether the caller or the Authorizer gave up.
func TestLoginThatTheUserDoesNotAnswer(t *testing.T) {
	for name, open := range map[string]func(url string, c *http.Client) mcp.Transport{"/mcp": stream, "/sse": events} {
		for _, caller := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				e, network := newMemoryEnv(t)
				e.prm["resource"] = e.rs.URL
				e.inner = http.NotFoundHandler()
				asked := 0
				user := &Loopback{Open: func(context.Context, string) error { asked++; return nil }}
				auth := New(e.rs.URL+name, &Options{Base: e.base})
				auth.opts.Authorizer = quietLoopback{user}
				auth.fetch.rt.DialContext = network.dial
				defer auth.CloseIdleConnections()
				ctx, want := t.Context(), "5m0s"
				if caller {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, 3*time.Minute)
					defer cancel()
					want = "3m0s"
				}
				_, err := mcp.Connect(ctx, open(e.rs.URL+name, auth.Client()), nil)
				if err == nil || errors.Is(err, context.DeadlineExceeded) != caller || asked != 1 {
					t.Fatalf("%v; asked %d times", err, asked)
				}
				for _, s := range []string{"log", want, e.as.URL + "/authorize"} {
					if n := strings.Count(err.Error(), s); n != 1 {
						t.Errorf("%s, the caller gives up: %v: %q has %q %d times", name, caller, err, s, n)
					}
				}
			})
		}
	}
}

// A quietLoopback is a Loopback without a listener, which a bubble cannot have.
type quietLoopback struct{ *Loopback }

func (q quietLoopback) Listen(context.Context, string) (Receiver, error) {
	l := &memoryListener{addr: "127.0.0.1:1", done: make(chan struct{})}
	return &receiver{l: q.Loopback, ln: []net.Listener{l}, uri: &url.URL{Scheme: "http", Host: "127.0.0.1:1", Path: "/callback"}}, nil
}
