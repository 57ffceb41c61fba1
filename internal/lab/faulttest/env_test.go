package faulttest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/testutil/process"
	"github.com/stdmcp/stdmcp/internal/testutil/wrapped"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

const (
	modern  = mcp.ProtocolVersion20260728
	legacy  = mcp.ProtocolVersion20251125
	batches = mcp.ProtocolVersion20250326 // the one that has them
	oldest  = mcp.ProtocolVersion20241105 // that of HTTP+SSE
)

// A location is where servers run.
type location int

const (
	memory  location = iota // in a bubble, on pipes
	system                  // a process, or behind a socket
	secured                 // behind a socket, with TLS (not in a bubble: HTTP/2 of Go 1.25 panics there)
)

func (p location) inMemory() bool { return p == memory }

// machineTimeout is the limit of what other programs on the machine may delay. It
// finds what hangs, and is not a measure of speed.
const machineTimeout = 30 * time.Second

// within returns the limit of something: exact in a bubble, where time is exact.
func (w *env) within(exact time.Duration) time.Duration {
	if w.location.inMemory() {
		return exact
	}
	return machineTimeout
}

// secret is sent with every HTTP request. The servers check that no other origin
// receives it.
const secret = "Bearer of-this-cell"

// maxMessage is the longest message that clients take in cells.
const maxMessage = testserver.TrialMessage

// An env is a server, perhaps with a fault, and how a client reaches it.
type env struct {
	transport        byte // S, E or H
	version          string
	location         location
	engine           testserver.Options
	web              testserver.HTTPOptions // of E and H
	idle             time.Duration          // IdleTimeout, of E and H
	allowedViolation string                 // a violation that the servers may report

	tamper       func(*http.Response) // changes what comes back, in memory
	injector     *faultInjector       // in the connections of the client, in memory
	anyViolation bool                 // the servers may report any violation

	servers []*testserver.Server // those in this process
	running *testserver.HTTPServer
	pipe    io.Closer    // the last connection to a server in memory; ends it
	client  *http.Client // nil when the transports have their own
	stderr  lockedBuffer // of a process
	mark    string       // in the environment of a process, and of those that it starts
	calls   callTracker
	dropLog dropLog
	listed  lockedBuffer // the messages with tools that the client has received
}

// start starts the server, returns a transport to it, and checks for leaks and
// violations when the test ends. In a bubble it must be called there.
func (w *env) start(t testing.TB) mcp.Transport {
	t.Helper()
	if w.engine.ProtocolVersions == nil {
		w.engine.ProtocolVersions = []string{w.version}
	}
	switch w.transport {
	case 'S':
		t.Cleanup(func() { w.checkViolations(t) })
		return w.calls.wrap(wrapped.Again(w.stream()))
	case 'E':
		w.web.SSEOnly = true
	case 'H':
		w.web.StreamableOnly = true
	}
	w.listen(t)
	header := http.Header{"Authorization": {secret}}
	if w.transport == 'E' {
		return w.calls.wrap(wrapped.Again(sse.New(w.running.SSE, &sse.Options{
			Client: w.client, Header: header, MaxMessage: maxMessage, IdleTimeout: w.idle,
		})))
	}
	return w.calls.wrap(wrapped.Again(streamhttp.New(w.running.URL, &streamhttp.Options{
		Client: w.client, Header: header, MaxMessage: maxMessage, IdleTimeout: w.idle,
	})))
}

// stream returns a transport to a process, or to a server in memory.
func (w *env) stream() mcp.Transport {
	if w.location == system {
		args, env := childserver.Command(&w.engine)
		tr := stdio.Command(args[0], args[1:]...)
		w.mark = fmt.Sprintf("STDMCP_MATRIX_MARK=%d-%d", os.Getpid(), marks.Add(1))
		tr.Env, tr.Stderr, tr.MaxMessage = append(env, w.mark), &w.stderr, maxMessage
		tr.CloseWait = 50 * time.Millisecond
		return tr
	}
	pipe := func() io.ReadWriteCloser {
		s := testserver.New(&w.engine)
		w.servers = append(w.servers, s)
		rwc := s.Pipe()
		w.pipe = rwc
		return rwc
	}
	if w.injector != nil {
		return w.injector.transport(pipe)
	}
	return opener(func(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
		tr := stdio.Stream(pipe())
		tr.MaxMessage = maxMessage
		return tr.Open(ctx, h)
	})
}

var marks atomic.Int64 // how many there are

// An opener is a transport that is a function.
type opener func(context.Context, jsonrpc.Handler) (jsonrpc.Conn, error)

func (opener) Features() jsonrpc.TransportFeatures { return jsonrpc.TransportFeatures{} }

func (f opener) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) { return f(ctx, h) }

// listen starts a server of HTTP.
func (w *env) listen(t testing.TB) {
	w.web.InMemory, w.web.TLS = w.location.inMemory(), w.location == secured
	s := testserver.New(&w.engine)
	w.servers = append(w.servers, s)
	var err error
	if w.running, err = testserver.StartHTTP(s, &w.web); err != nil {
		t.Fatal(err)
	}
	if w.location != system { // where the client has an http.Transport of its own
		w.client = w.running.Client()
		w.client.Jar = httpx.OwnCookies
	}
	if w.injector != nil {
		w.injector.wrapTransport(w.client.Transport.(*http.Transport))
	}
	if w.location.inMemory() {
		w.client.Transport = testserver.Interrupting{Transport: w.client.Transport.(*http.Transport)}
	}
	if w.tamper != nil {
		w.client.Transport = tampering{w.client.Transport, w.tamper}
	}
	t.Cleanup(func() {
		if leaks := w.running.Leaks(); leaks != nil {
			t.Errorf("requests that the client has not ended: %q", leaks)
		}
		w.checkViolations(t)
		if w.client != nil {
			w.client.CloseIdleConnections()
		}
		w.running.Close()
	})
}

// tampering is a RoundTripper that changes responses.
type tampering struct {
	http.RoundTripper
	change func(*http.Response)
}

func (t tampering) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.RoundTripper.RoundTrip(req)
	if err == nil {
		t.change(resp)
	}
	return resp, err
}

// checkViolations fails the test if the client violated the protocol or leaked.
func (w *env) checkViolations(t testing.TB) {
	t.Helper()
	for _, problem := range w.calls.problems() {
		t.Error(problem)
	}
	if w.mark != "" && !testutil.Eventually(func() bool { return len(process.Marked(w.mark)) == 0 }) {
		t.Errorf("processes are left: %v", process.Marked(w.mark))
	}
	if w.anyViolation {
		return
	}
	w.checkServers(t, w.servers)
	for line := range strings.Lines(w.stderr.String()) {
		if strings.Contains(line, "violation") {
			t.Errorf("the server reports a violation: %s", line)
		}
	}
	if w.running != nil {
		if requests := w.running.Elsewhere(); requests != nil {
			t.Errorf("another origin received requests: %+v", requests)
		}
	}
}

func (w *env) checkServers(t testing.TB, servers []*testserver.Server) {
	t.Helper()
	for _, s := range servers {
		for _, v := range s.Violations() {
			if w.allowedViolation == "" || !strings.Contains(v, w.allowedViolation) {
				t.Errorf("the server reports a violation: %q", v)
			}
		}
	}
}

// restart ends the server in memory, which forgets its sessions. Over HTTP it is
// unreachable for a minute.
func (w *env) restart(t testing.TB) {
	t.Helper()
	if w.running == nil {
		ended := w.servers
		w.servers = nil
		_ = w.pipe.Close()
		w.checkServers(t, ended)
		return
	}
	w.running.Down()
	time.Sleep(time.Minute)
	w.running.Up()
}

// received returns how often the servers were sent a method.
func (w *env) received(method string) (n int) {
	for _, s := range w.servers {
		for _, m := range s.Received() {
			if m.Method == method {
				n++
			}
		}
	}
	return n
}

// options are those of the client.
func (w *env) options() *mcp.Options {
	record := func(sent bool, data []byte) {
		if !sent && bytes.Contains(data, []byte(`"inputSchema":`)) {
			_, _ = w.listed.Write(data)
		}
	}
	o := &mcp.Options{Trace: &mcp.Trace{Discarded: func(_ context.Context, a error, b []byte) { w.dropLog.dropped(a, b) }, HandlerPanic: func(_ context.Context, a any, b []byte) { w.dropLog.panicked(a, b) }, Message: func(_ context.Context, a bool, b []byte) { record(a, b) }}, MaxPages: 20}
	if !w.location.inMemory() {
		o.ProbeTimeout = connectTime // a busy machine may take long to start a process
	}
	return o
}

// A lockedBuffer collects text from any goroutine.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

var _ io.Writer = (*lockedBuffer)(nil)

func (n *lockedBuffer) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.buf.Write(p)
}

func (n *lockedBuffer) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.buf.String()
}
