package dialers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// newHost returns a host with all dialers. It is shut down when the test ends.
func newHost(t *testing.T, o *dialers.Options) *host.Host {
	t.Helper()
	h := host.New(&host.Options{Dialers: dialers.All(o), Retry: host.Retry{Max: -1}})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := h.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	})
	return h
}

func web(t *testing.T, o *testserver.HTTPOptions) *testserver.HTTPServer {
	t.Helper()
	server := testserver.New(nil)
	w, err := testserver.StartHTTP(server, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.Close()
		if v := server.Violations(); v != nil {
			t.Errorf("violations of the protocol: %q", v)
		}
	})
	return w
}

// program returns the settings of a child process.
func program() *host.Server {
	args, env := childserver.Command(nil)
	return &host.Server{Name: "stdio", Type: config.Stdio, Command: args[0], Args: args[1:], Env: env}
}

func TestEveryTypeOfServer(t *testing.T) {
	w := web(t, nil)
	onlySSE := web(t, &testserver.HTTPOptions{SSEOnly: true})
	inProcess := testserver.New(nil)
	sdk := stdio.Dial(func(context.Context) (io.ReadWriteCloser, error) { return inProcess.Pipe(), nil })
	h := newHost(t, &dialers.Options{InProcess: map[string]mcp.Transport{"calc": sdk}})
	d := h.SetServers(t.Context(), []*host.Server{
		program(),
		{Name: "http", Type: config.HTTP, URL: w.URL},
		{Name: "sse", Type: config.SSE, URL: w.SSE},
		{Name: "sdk", Type: config.SDK, ID: "calc"},
		{Name: "proxy", Type: config.ClaudeAIProxy, URL: w.Base + "/{id}", ID: strings.TrimPrefix(w.URL, w.Base+"/")},
		{Name: "joined", Type: config.ClaudeAIProxy, URL: w.Base, ID: strings.TrimPrefix(w.URL, w.Base+"/")},
		{Name: "either", URL: w.URL},
		{Name: "either-sse", URL: onlySSE.SSE},
	})
	if d.Err() != nil || len(d.Errors) > 0 {
		t.Fatalf("%v, %v", d.Err(), d.Errors)
	}
	transports := map[string]string{"joined": config.ClaudeAIProxy, "proxy": config.ClaudeAIProxy, "either": config.HTTP, "either-sse": config.SSE}
	for _, s := range h.Status() {
		res, err := h.CallTool(t.Context(), s.Name, "echo", map[string]any{"message": "hi"})
		if err != nil || res.Text() != "hi" {
			t.Errorf("%s: %v, %v", s.Name, res, err)
		}
		want := transports[s.Name]
		if want == "" {
			want = s.Name
		}
		if s.Transport != want || s.Config.Type != "" && s.Config.Type != want {
			t.Errorf("%s: the transport is %q, the type %q", s.Name, s.Transport, s.Config.Type)
		}
		text, err := s.MarshalJSON()
		if err != nil || !strings.Contains(string(text), `"transport":"`+want+`"`) {
			t.Errorf("%s: %s, %v", s.Name, text, err)
		}
	}
}

func TestHeadersAndTokens(t *testing.T) {
	var mu sync.Mutex
	seen := make(map[string]http.Header)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.URL.Path] = r.Header.Clone()
		mu.Unlock()
		http.Error(w, "no", http.StatusUnauthorized)
	}))
	defer srv.Close()
	h := newHost(t, nil)
	d := h.SetServers(t.Context(), []*host.Server{
		{Name: "header", Type: config.HTTP, URL: srv.URL + "/header", Headers: map[string]string{"X-Team": "blue"}, Auth: config.Auth{Type: config.AuthNone}},
		{Name: "bearer", Type: config.HTTP, URL: srv.URL + "/bearer", Auth: config.Auth{Type: config.AuthBearer, Token: "s3cret-token"}},
		{Name: "apikey", Type: config.SSE, URL: srv.URL + "/apikey", Auth: config.Auth{Type: config.AuthAPIKey, Token: "s3cret-token", Header: "X-Key"}},
		{Name: "oauth", Type: config.HTTP, URL: srv.URL + "/oauth", Auth: config.Auth{Type: config.AuthOAuth}},
	})
	for name, err := range d.Errors {
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: error with a secret: %v", name, err)
		}
	}
	for _, s := range h.Status() {
		if s.State != host.NeedsAuth || s.Word() != "needs-auth" {
			t.Errorf("%s is %v: %v", s.Name, s.State, s.Err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if seen["/header"].Get("X-Team") != "blue" || seen["/bearer"].Get("Authorization") != "Bearer s3cret-token" ||
		seen["/apikey"].Get("X-Key") != "s3cret-token" || seen["/oauth"] == nil {
		t.Errorf("%v", seen)
	}
}

// TestRefusedConnectionIsConnectionFailed: for a server that was connected, the
// code may be that of the connection that has ended.
func TestRefusedConnectionIsConnectionFailed(t *testing.T) {
	for _, kind := range []string{config.HTTP, config.SSE, ""} {
		for _, connected := range []bool{false, true} {
			w := web(t, nil)
			s := &host.Server{Name: "x", Type: kind, URL: w.URL}
			if kind == config.SSE {
				s.URL = w.SSE
			}
			h := newHost(t, nil)
			if connected {
				if err := h.AddServer(t.Context(), s); err != nil {
					t.Fatal(err)
				}
			}
			w.Close()
			err := error(nil)
			if !connected {
				err = h.AddServer(t.Context(), s)
			} else {
				_, err = h.CallTool(t.Context(), "x", "echo", map[string]any{"message": "hi"})
			}
			e, ok := err.(*host.Error)
			if !ok || e.Category != host.CategoryConnection || e.Code != "CONNECTION_FAILED" && (!connected || e.Code != "CONNECTION_LOST") {
				t.Errorf("type %q, connected: %v: %+v", kind, connected, err)
			}
		}
	}
}

// TestRefusedCallIsConnectionFailed: the host has not noticed yet that the server
// is away.
func TestRefusedCallIsConnectionFailed(t *testing.T) {
	w := web(t, nil)
	refused := &url.Error{Op: "Post", URL: w.URL, Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}
	h := host.New(&host.Options{Dialers: dialers.All(nil), Retry: host.Retry{Max: -1}, Client: &mcp.Options{
		Interceptors: []mcp.Interceptor{func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
			if call.Method == "tools/call" {
				return nil, refused
			}
			return call.Send(ctx)
		}}}})
	defer h.Shutdown(context.Background())
	if err := h.AddServer(t.Context(), &host.Server{Name: "x", URL: w.URL}); err != nil {
		t.Fatal(err)
	}
	_, err := h.CallTool(t.Context(), "x", "add", map[string]any{"a": 1, "b": 2})
	if e, ok := err.(*host.Error); !ok || e.Category != host.CategoryConnection || e.Code != "CONNECTION_FAILED" || !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%+v", err)
	}
}

func TestCategoriesOfHTTPErrors(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/busy":
			http.Error(w, "later", http.StatusServiceUnavailable)
		case "/away":
			http.Redirect(w, r, "http://elsewhere.invalid/", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	defer srv.Close()
	h := newHost(t, nil)
	d := h.SetServers(t.Context(), []*host.Server{
		{Name: "busy", Type: config.HTTP, URL: srv.URL + "/busy"},
		{Name: "away", Type: config.HTTP, URL: srv.URL + "/away"},
		{Name: "wrong", Type: config.HTTP, URL: srv.URL + "/wrong"},
		{Name: "odd", Type: config.HTTP, URL: "ftp://h/"},
	})
	for name, want := range map[string]host.Category{"busy": host.CategoryConnection, "away": host.CategoryConfiguration, "wrong": host.CategoryConfiguration} {
		if e, ok := d.Errors[name].(*host.Error); !ok || e.Category != want {
			t.Errorf("%s: %v", name, d.Errors[name])
		}
	}
	if d.Errors["odd"] == nil || d.Err() == nil {
		t.Errorf("%v", d.Errors)
	}
}

// Servers are stopped and started again at the same address.
func TestReconnectToRestartedServers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	serve := func(l net.Listener) *http.Server {
		srv := &http.Server{Handler: testserver.NewHandler(testserver.New(nil), nil)}
		go srv.Serve(l) // ends with Close
		return srv
	}
	srv := serve(l)
	h := host.New(&host.Options{Dialers: dialers.All(nil), Retry: host.Retry{Max: 1000, Initial: time.Millisecond, Cap: 20 * time.Millisecond}})
	defer h.Shutdown(context.Background())
	events := h.Events(t.Context())
	d := h.SetServers(t.Context(), []*host.Server{
		{Name: "sse", Type: config.SSE, URL: "http://" + addr + "/sse"}, {Name: "http", Type: config.HTTP, URL: "http://" + addr + "/mcp"},
	})
	if d.Err() != nil || len(d.Errors) > 0 {
		t.Fatal(d.Errors)
	}
	srv.Close()
	await := func(what string, want func(host.Event) bool) {
		t.Helper()
		for e := range events {
			if want(e) {
				return
			}
		}
		t.Fatal("no event: " + what)
	}
	await("tools are removed", func(e host.Event) bool { return e.Server == "sse" && len(e.Removed) > 0 })
	for timeout := 100 * time.Millisecond; ; timeout *= 4 { // the machine may be busy
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		_, err = h.CallTool(ctx, "http", "echo", map[string]any{"message": "hi"})
		cancel()
		// The call may use a connection that the client does not yet know is closed.
		if e, ok := err.(*host.Error); ok && e.Category == host.CategoryConnection && (strings.Contains(e.Error(), "refused") || strings.Contains(e.Error(), "closed idle")) {
			break
		}
		if timeout > testutil.Timeout {
			t.Fatalf("a call of a stopped server: %v", err)
		}
	}
	if l, err = net.Listen("tcp", addr); err != nil {
		t.Skip("the port is in use:", err)
	}
	srv = serve(l)
	defer srv.Close()
	await("tools are added", func(e host.Event) bool { return e.Server == "sse" && len(e.Added) > 0 })
	for _, name := range []string{"sse", "http"} {
		if res, err := h.CallTool(t.Context(), name, "echo", map[string]any{"message": "hi"}); err != nil || res.Text() != "hi" {
			t.Errorf("%s: %v, %v", name, res, err)
		}
	}
}

func Example() {
	h := host.New(&host.Options{Dialers: dialers.All(nil)})
	defer h.Shutdown(context.Background())
	d := h.SetServers(context.Background(), []*host.Server{{Name: "docs", URL: "https://example.com/mcp", Lazy: true}})
	fmt.Print(d.Added, "\n", h.Overview())
	// Output:
	// [docs]
	// docs  pending (disconnected)
}

func TestOptionsOfTransports(t *testing.T) {
	for _, kind := range []string{config.HTTP, config.SSE} {
		o := &dialers.Options{Client: &http.Client{}}
		header := http.Header{"X-Common": {"common"}, "X-Server": {"common"}}
		o.HTTP = &streamhttp.Options{Header: header, HeaderTimeout: time.Second, NoStream: true}
		o.SSE = &sse.Options{Header: header, IdleTimeout: time.Minute, Client: &http.Client{}}
		to := &host.DialParams{Server: &host.Server{Name: "x", Type: kind, URL: "https://example.com/mcp", Headers: map[string]string{"x-server": "server"}}}
		transport, err := dialers.All(o)[kind](context.Background(), to)
		if err != nil {
			t.Fatal(err)
		}
		var got http.Header
		switch tr := transport.(type) {
		case *streamhttp.Transport:
			got = tr.Header
			if tr.Client != o.Client || tr.HeaderTimeout != time.Second || !tr.NoStream {
				t.Errorf("%+v", tr)
			}
		case *sse.Transport:
			got = tr.Header
			if tr.Client != o.SSE.Client || tr.IdleTimeout != time.Minute {
				t.Errorf("%+v", tr)
			}
		}
		if got.Get("X-Common") != "common" || got.Get("X-Server") != "server" || header.Get("X-Server") != "common" {
			t.Errorf("%s: %v", kind, got)
		}
	}
}

func TestNilDialParams(t *testing.T) {
	for kind, dial := range dialers.All(nil) {
		for _, to := range []*host.DialParams{nil, {}} {
			if tr, err := dial(context.Background(), to); tr != nil || err == nil {
				t.Errorf("%s: %v, %v", kind, tr, err)
			}
		}
	}
}
