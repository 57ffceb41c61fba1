package mcptest

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// closeTimeout is how long the end of a test waits for functions, on a busy machine as well.
const closeTimeout = 10 * time.Second

// A Server is an MCP server for a test, and an mcp.Transport that connects to it
// in memory. Create one with [New].
type Server struct {
	// Name and Version identify the server. They default to mcptest and 1.0.0.
	Name, Version string

	// Instructions are for the client's model. Empty means none.
	Instructions string

	// ProtocolVersions are the protocol versions that the server supports. Nil
	// means all.
	ProtocolVersions []string

	// PageSize is the number of items on a page of a list. The default is all;
	// negative means the same.
	PageSize int

	// TTL is how long clients may keep lists and resources (2026-07-28). The default
	// is not at all; negative means the same.
	TTL time.Duration

	// NoListChanged stops notifications that the server's lists have changed.
	NoListChanged bool

	// Lenient lets the client violate the specification without failing the test.
	// The server still refuses what it must.
	Lenient bool

	t      reporter
	child  *child // in a process; else nil
	origin string // file and line of the call of New

	start  sync.Once
	engine *testserver.Server // set by start

	mu        sync.Mutex // guards what follows
	closed    bool
	closers   map[io.Closer]bool // open connections
	webs      []func()           // end handlers and HTTP servers
	expired   map[string]bool    // values of Authorization that Expire has refused
	requests  []Request
	tools     []*feature
	resources []*feature
	templates []*feature
	prompts   []*feature
	skills    []*Skill
	endless   bool // skills/list
	completes map[string]func(prefix string) []string
	had       map[string]bool // capabilities: once declared, they stay
	faults    []injection
}

// A reporter is what a Server needs of a testing.TB.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// New returns a server without features, which ends with the test.
func New(t testing.TB) *Server {
	s := newServer(t)
	if _, file, line, ok := runtime.Caller(1); ok {
		s.origin = fmt.Sprintf("%s:%d", file[strings.LastIndexByte(file, '/')+1:], line)
	}
	t.Cleanup(s.close)
	return s
}

func newServer(t reporter) *Server {
	return &Server{
		Name: "mcptest", Version: "1.0.0", t: t,
		closers: map[io.Closer]bool{}, expired: map[string]bool{}, had: map[string]bool{},
		completes: map[string]func(string) []string{},
	}
}

// begin returns the engine, which the first call creates.
func (s *Server) begin() *testserver.Server {
	s.start.Do(func() {
		s.engine = testserver.New(&testserver.Options{
			ProtocolVersions: s.ProtocolVersions,
			PageSize:         s.PageSize,
			Instructions:     s.Instructions,
			TTL:              s.TTL,
			Custom:           (*features)(s),
			Received:         s.record,
			Report:           s.violation,
		})
	})
	return s.engine
}

// errorf fails the test, unless it has ended.
func (s *Server) errorf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.t.Errorf("server of "+s.origin+": "+format, args...)
	}
}

// maxShown is how much of a message a failure shows, in bytes.
const maxShown = 2000

func (s *Server) violation(what string, message []byte) {
	if s.Lenient {
		return
	}
	if message == nil {
		s.errorf("the client violates the specification: %s", what)
		return
	}
	shown := string(message)
	if len(shown) > maxShown {
		shown = shown[:maxShown] + "…"
	}
	s.errorf("the client violates the specification: %s\n\tin %s", what, shown)
}

// Open connects in memory.
func (s *Server) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	engine := s.begin()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, fmt.Errorf("mcptest: the test of the server %q has ended: %w", s.Name, jsonrpc.ErrClosed)
	}
	c := &connection{ReadWriteCloser: engine.Pipe(), s: s}
	s.closers[c] = true
	s.mu.Unlock()
	return stdio.Stream(c).Open(ctx, h)
}

// Features has the name of the server.
func (s *Server) Features() jsonrpc.TransportFeatures {
	return jsonrpc.TransportFeatures{Name: s.Name}
}

// String returns the name of the server.
func (s *Server) String() string { return s.Name }

// Dialer returns a dialer of package host that connects to the server, whatever
// the settings are.
func (s *Server) Dialer() host.Dialer {
	return func(context.Context, *host.DialParams) (mcp.Transport, error) { return s, nil }
}

// Connect connects to the server and closes the client at the end of the test.
// It fails the test if it cannot connect.
func (s *Server) Connect(o *mcp.Options) *mcp.Client {
	s.t.Helper()
	client, err := mcp.Connect(context.Background(), s, o)
	if err != nil {
		s.t.Fatalf("mcptest: connecting to %s: %v", s.Name, err)
		return nil
	}
	s.mu.Lock()
	s.webs = append(s.webs, func() { _ = client.Close() })
	s.mu.Unlock()
	return client
}

// A connection is the client's end of a connection in memory.
type connection struct {
	io.ReadWriteCloser
	s *Server
}

func (c *connection) Close() error {
	c.s.mu.Lock()
	delete(c.s.closers, c)
	c.s.mu.Unlock()
	return c.ReadWriteCloser.Close()
}

// close ends everything that the server runs.
func (s *Server) close() {
	s.t.Helper()
	engine := s.begin()
	s.mu.Lock()
	webs := s.webs
	s.mu.Unlock()
	for _, end := range webs {
		end()
	}
	ended := engine.Close(closeTimeout)
	s.mu.Lock()
	var open []io.Closer
	for c := range s.closers {
		open = append(open, c)
	}
	s.mu.Unlock()
	for _, c := range open {
		_ = c.Close()
	}
	if !ended {
		s.errorf("a function of the server is still running %v after the test", closeTimeout)
	}
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
}
