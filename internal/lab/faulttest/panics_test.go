package faulttest

import (
	"bytes"
	"context"
	"errors"
	"go/types"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// A panicCase has the library call a function of the program, which panics. That
// the test ends shows that the process lives and no goroutine waits for ever.
type panicCase func(t *testing.T, p *panicLog)

// notCalled are functions and methods that the library does not call on behalf of
// a program.
var notCalled = map[string]string{
	"Format(f)":                        "package fmt's",
	"(t testing.TB)":                   "the test itself",
	"jsonrpc.Dispatcher.Receive(conn)": "passed to Handler.Message",
	"jsonrpc.Dispatcher.Do(onTimeout)": "the transport's own, which only ends its exchange",
	"jsonrpc.Dispatcher.Do(write)":     "the transport's own",
	"jsonrpc.Features.Owner":           "only compared",
	"host.DialParams.Stderr":           "the host's",
	"mcptest.Main(programs)":           "a process that only serves a test",
	"mcptest.TestTransport(open)":      "the test itself",
	"mcptest.TestServer(tr)":           "as that of mcp.Connect",
	"mcptest.Record(tr)":               "as that of mcp.Connect",
	"mcptest.Server.Serve(rwc)":        "the test itself",
}

// TestPanics makes each function panic that a program can pass to the library. A
// new one needs a case.
func TestPanics(t *testing.T) {
	cases := make(map[string]panicCase)
	for _, table := range []map[string]panicCase{corePanics, transportPanics, hostPanics, oauthPanics, otherPanics} {
		for names, test := range table {
			for name := range strings.FieldsSeq(names) {
				cases[name] = test
			}
			t.Run(names, func(t *testing.T) {
				before := panicked.Load()
				if test(t, &panicLog{t: t}); panicked.Load() == before {
					t.Error("the library does not call it")
				}
			})
		}
	}
	for _, name := range programFunctions(t) {
		if cases[name] == nil && notCalled[name] == "" && notCalled[name[strings.LastIndexByte(name, '.')+1:]] == "" &&
			!strings.HasSuffix(name, "(t)") && !strings.HasSuffix(name, "Format(f)") {
			t.Errorf("%s: the table has no case in which it panics", name)
		}
		delete(cases, name)
	}
	for name := range cases {
		if !strings.Contains(name, "~") { // what comes after is not part of the name
			t.Errorf("%s is not a function that a program passes", name)
		}
	}
}

// A panicLog collects what is reported to HandlerPanic.
type panicLog struct {
	t      *testing.T
	mu     sync.Mutex
	values []any // guarded by mu
}

const oops = "oh no"

var panicked atomic.Int64 // how often a function of the tables has panicked

func oh() string { panicked.Add(1); return oops }

func (p *panicLog) report(v any, stack []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.values = append(p.values, v)
	if !bytes.Contains(stack, []byte("panics_")) && !bytes.Contains(stack, []byte("stdio.start(")) { // which panics again
		p.t.Errorf("the stack does not have the function: %s", stack)
	}
}

func (p *panicLog) trace() *mcp.Trace {
	return &mcp.Trace{HandlerPanic: func(_ context.Context, a any, b []byte) { p.report(a, b) }}
}

// reported fails the test unless a panic was reported.
func (p *panicLog) reported() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.values) == 0 {
		p.t.Error("no panic was reported")
	}
	for _, v := range p.values {
		if v != oops {
			p.t.Errorf("reported %v", v)
		}
	}
}

// passes fails the test unless a panic of f on the caller's goroutine passes to the
// caller, and is not reported as well.
func (p *panicLog) passes(f func()) {
	p.t.Helper()
	before := p.count()
	defer func() {
		p.t.Helper()
		if v, n := recover(), p.count()-before; v != oops || n > 0 {
			p.t.Errorf("recovered %v, reported %d panics", v, n)
		}
	}()
	f()
}

// count returns how many panics were reported.
func (p *panicLog) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.values)
}

// fails fails the test unless err is that of a panic.
func (p *panicLog) fails(err error) {
	p.t.Helper()
	var e *diag.PanicError
	if !errors.As(err, &e) {
		p.t.Errorf("error %v, want that of a panic", err)
	}
}

// alive fails the test unless the client can call a tool.
func (p *panicLog) alive(c *mcp.Client) {
	p.t.Helper()
	if res, err := c.CallTool(p.t.Context(), "echo", map[string]any{"message": "hi"}); err != nil {
		p.t.Errorf("a call after the panic: %v", err)
	} else if len(res.Content) != 1 {
		p.t.Errorf("a call after the panic returned %+v", res)
	}
}

// A quietTest is a test that tools may fail by panicking.
type quietTest struct{ testing.TB }

func (quietTest) Errorf(string, ...any) {}

// serve returns a server with the tool echo, whose violations are not errors.
func (p *panicLog) serve(versions ...string) *mcptest.Server {
	s := mcptest.New(quietTest{p.t})
	s.Lenient, s.ProtocolVersions = true, versions
	s.Tool("echo", `{"type":"object"}`, func(c *mcptest.Call) (any, error) { return c.Text("message"), nil })
	return s
}

// connect connects to a server with the tools of the test server.
func (p *panicLog) connect(served *testserver.Options, o *mcp.Options) *mcp.Client {
	p.t.Helper()
	return p.open(stdio.Dial(func(context.Context) (io.ReadWriteCloser, error) { return testserver.New(served).Pipe(), nil }), o)
}

func (p *panicLog) open(tr mcp.Transport, o *mcp.Options) *mcp.Client {
	p.t.Helper()
	if o == nil {
		o = new(mcp.Options)
	}
	if o.Trace == nil {
		o.Trace = new(mcp.Trace)
	}
	if o.Trace.HandlerPanic == nil {
		o.Trace.HandlerPanic = func(_ context.Context, a any, b []byte) { p.report(a, b) }
	}
	c, err := mcp.Connect(p.t.Context(), tr, o)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = c.Close() })
	return c
}

// programFunctions returns the parameters of exported functions and the exported
// fields and types that are functions, interfaces, or lists and maps of them.
func programFunctions(t *testing.T) (names []string) {
	t.Helper()
	for _, pkg := range testutil.PublicPackages(t) {
		for _, name := range pkg.Scope().Names() {
			if o := pkg.Scope().Lookup(name); o.Exported() {
				names = append(names, functionsIn(pkg.Name()+"."+name, o)...)
			}
		}
	}
	slices.Sort(names)
	return names
}

func functionsIn(name string, o types.Object) (names []string) {
	parameters := func(name string, s *types.Signature) {
		for p := range s.Params().Variables() {
			if isCalled(p.Type()) {
				names = append(names, name+"("+p.Name()+")")
			}
		}
	}
	switch o := o.(type) {
	case *types.Func:
		parameters(name, o.Signature())
	case *types.TypeName:
		named, ok := o.Type().(*types.Named)
		if !ok || o.IsAlias() {
			return nil
		}
		if s, ok := named.Underlying().(*types.Struct); ok {
			for f := range s.Fields() {
				if f.Exported() && isCalled(f.Type()) {
					names = append(names, name+"."+f.Name())
				}
			}
		} else if isCalled(named) {
			names = append(names, name)
		}
		for m := range named.Methods() {
			if m.Exported() {
				parameters(name+"."+m.Name(), m.Signature())
			}
		}
	}
	return names
}

// isCalled reports whether the library can call a value of the type.
func isCalled(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Interface:
		for m := range u.Methods() {
			if !m.Exported() {
				return false // a program cannot implement it
			}
		}
		return u.NumMethods() > 0 && t.String() != "error" && t.String() != "context.Context"
	case *types.Slice:
		return isCalled(u.Elem())
	case *types.Map:
		return isCalled(u.Elem())
	case *types.Pointer:
		return u.String() == "*net/http.Client" // which has a RoundTripper
	}
	return false
}
