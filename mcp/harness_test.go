package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/internal/testutil/wrapped"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

const (
	modern = mcp.ProtocolVersion20260728
	legacy = mcp.ProtocolVersion20251125
)

// eras has a protocol version of each era.
var eras = []string{modern, legacy}

// onlyVersion returns the options of a server with one protocol version.
func onlyVersion(version string) testserver.Options {
	return testserver.Options{ProtocolVersions: []string{version}}
}

// connect connects to s in memory until the end of the test, when s must not have
// recorded a violation of the protocol.
func connect(t *testing.T, s *testserver.Server, o *mcp.Options) *mcp.Client {
	t.Helper()
	c := connectStream(t, s.Pipe(), o)
	t.Cleanup(func() {
		c.Close()
		if v := s.Violations(); v != nil {
			t.Errorf("protocol violations: %q", v)
		}
	})
	return c
}

// connectStream connects over a stream until the end of the test.
func connectStream(t *testing.T, rwc io.ReadWriteCloser, o *mcp.Options) *mcp.Client {
	t.Helper()
	return connectTransport(t, overStream(rwc), o)
}

// overStream returns a transport over rwc that claims to be reusable, so that
// Connect sends server/discover first.
func overStream(rwc io.ReadWriteCloser) *stdio.StreamTransport {
	return stdio.Dial(func(context.Context) (io.ReadWriteCloser, error) { return rwc, nil })
}

func connectTransport(t *testing.T, tr mcp.Transport, o *mcp.Options) *mcp.Client {
	t.Helper()
	c, err := mcp.Connect(t.Context(), wrapped.Again(tr), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// A streamFunc is a transport that opens a new stream for each connection.
type streamFunc func() io.ReadWriteCloser

func (streamFunc) Features() jsonrpc.TransportFeatures { return jsonrpc.TransportFeatures{} }

func (f streamFunc) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	return overStream(f()).Open(ctx, h)
}

// process returns a transport that starts a server, and the standard error of the
// process, which is complete after Close.
func process(o *testserver.Options) (*stdio.Transport, *syncBuffer) {
	args, env := childserver.Command(o)
	tr := stdio.Command(args[0], args[1:]...)
	tr.Env = env
	tr.CloseWait = 50 * time.Millisecond
	stderr := &syncBuffer{}
	tr.Stderr = stderr
	return tr, stderr
}

// A syncBuffer is a buffer that goroutines can share.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (n *syncBuffer) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.buf.Write(p)
}

func (n *syncBuffer) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.buf.String()
}

// receivedMethods returns the methods of the messages that s has received; a
// response has none.
func receivedMethods(s *testserver.Server) (list []string) {
	for _, m := range s.Received() {
		list = append(list, m.Method)
	}
	return list
}

func count(list []string, s string) (n int) {
	for _, v := range list {
		if v == s {
			n++
		}
	}
	return n
}

// A dropLog records the errors passed to Dropped.
type dropLog struct {
	mu      sync.Mutex
	reasons []error
}

func (j *dropLog) record(reason error, _ []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.reasons = append(j.reasons, reason)
}

// trace returns a Trace that records what is discarded, and panics.
func (j *dropLog) trace() *mcp.Trace {
	return &mcp.Trace{Discarded: func(_ context.Context, a error, b []byte) { j.record(a, b) }, HandlerPanic: func(_ context.Context, v any, _ []byte) { j.record(panicOf(v), nil) }}
}

func panicOf(v any) error {
	if err, ok := v.(error); ok {
		return fmt.Errorf("panic: %w", err)
	}
	return fmt.Errorf("panic: %v", v)
}

func (j *dropLog) all() []error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.reasons)
}

// matches reports whether an error matches target.
func (j *dropLog) matches(target error) bool {
	return slices.ContainsFunc(j.all(), func(err error) bool { return errors.Is(err, target) })
}

// contains reports whether an error contains text.
func (j *dropLog) contains(text string) bool {
	return slices.ContainsFunc(j.all(), func(err error) bool { return strings.Contains(err.Error(), text) })
}

// A peer is a server under the control of a test: it performs the handshake of its
// protocol version, passes all other messages to handle, and can send at any time.
type peer struct {
	version string
	conn    net.Conn // the server's end
	handle  func(*peer, request)

	mu       sync.Mutex
	received []request
}

// A request is any message from the client.
type request struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name      string
		Arguments json.RawMessage
		RequestID json.RawMessage
		Meta      struct{ ProgressToken json.RawMessage } `json:"_meta"`
	}
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
	line string
}

func (r *request) token() string { return string(r.Params.Meta.ProgressToken) }

// newPeer returns a peer and the client's end of the connection to it. handle
// may be nil.
func newPeer(t *testing.T, version string, handle func(*peer, request)) (*peer, io.ReadWriteCloser) {
	t.Helper()
	server, client := net.Pipe()
	p := &peer{version: version, conn: server, handle: handle}
	ended := make(chan struct{})
	go func() { // ends when either end is closed
		defer close(ended)
		p.serve()
	}()
	t.Cleanup(func() {
		server.Close()
		<-ended
	})
	return p, client
}

func (p *peer) serve() {
	lines := bufio.NewReader(p.conn)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		m := request{line: strings.TrimSuffix(line, "\n")}
		_ = json.Unmarshal([]byte(line), &m)
		p.mu.Lock()
		p.received = append(p.received, m)
		p.mu.Unlock()
		switch {
		case m.Method == "server/discover" && p.version == modern:
			p.answer(m, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":`+allCapabilities+`,"ttlMs":0,"cacheScope":"private"}`)
		case m.Method == "server/discover":
			p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32601,"message":"Method not found"}}`)
		case m.Method == "initialize":
			p.answer(m, `{"protocolVersion":"`+p.version+`","capabilities":`+allCapabilities+`,"serverInfo":{"name":"peer","version":"1"}}`)
		case p.handle != nil:
			p.handle(p, m)
		}
	}
}

// send sends lines. Nothing is sent when the client has gone.
func (p *peer) send(lines ...string) {
	for _, line := range lines {
		if _, err := io.WriteString(p.conn, line+"\n"); err != nil {
			return
		}
	}
}

func (p *peer) answer(m request, result string) {
	p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + `}`)
}

func (p *peer) notify(method, params string) {
	p.send(`{"jsonrpc":"2.0","method":"` + method + `","params":` + params + `}`)
}

// messages returns the received messages of a method; the method of responses is
// "".
func (p *peer) messages(method string) (list []request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.received {
		if m.Method == method {
			list = append(list, m)
		}
	}
	return list
}

// allCapabilities declares that a server has lists of all kinds.
const allCapabilities = `{"tools":{"listChanged":true},"prompts":{},"resources":{"subscribe":true},"completions":{}}`

// done is the result of a tool.
const done = `{"content":[{"type":"text","text":"done"}]}`

// wantDuration runs f and checks how long it takes in the time of synctest.
func wantDuration(t *testing.T, want time.Duration, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took != want {
		t.Errorf("took %v, want %v", took, want)
	}
}

// wantError checks that err matches target and has all the texts in it.
func wantError(t *testing.T, err, target error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want %v", target)
		return
	}
	if target != nil && !errors.Is(err, target) {
		t.Errorf("error is %q, which does not match %q", err, target)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error is %q, which does not contain %q", err, text)
		}
	}
}

// wantCode checks that err is an error response with the given code.
func wantCode(t *testing.T, err error, code int64) {
	t.Helper()
	var answer *jsonrpc.Error
	if !errors.As(err, &answer) {
		t.Errorf("error is %v, want a *jsonrpc.Error with code %d", err, code)
	} else if answer.Code != code {
		t.Errorf("code is %d, want %d: %v", answer.Code, code, err)
	}
}

// methodOf returns the method of a message of the client.
func methodOf(data []byte) string {
	var m request
	_ = json.Unmarshal(data, &m)
	return m.Method
}
