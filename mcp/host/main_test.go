package host_test

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// TestMain runs the test server if a test started this process as a server. It
// fails if tests leak goroutines, descriptors or child processes.
func TestMain(m *testing.M) {
	childserver.Main()
	testutil.Main(m)
}

// A fake is an in-process server that can crash and be opened again.
type fake struct {
	*testserver.Server
	mu    sync.Mutex
	opens int
	conn  io.Closer
	fail  error // what opening fails with
}

func newFake(o *testserver.Options) *fake { return &fake{Server: testserver.New(o)} }

func (f *fake) open() (io.ReadWriteCloser, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opens++
	if f.fail != nil {
		return nil, f.fail
	}
	stream := f.Server.Pipe()
	f.conn = stream
	return stream, nil
}

// crash closes the connection from the server's side.
func (f *fake) crash() {
	f.mu.Lock()
	conn := f.conn
	f.mu.Unlock()
	_ = conn.Close()
}

func (f *fake) failWith(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail = err
}

func (f *fake) opened() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.opens
}

// fakes are in-process servers by name.
type fakes map[string]*fake

// servers returns the settings of the fakes, ordered by name.
func (fs fakes) servers() (list []*host.Server) {
	for name := range fs {
		list = append(list, &host.Server{Name: name, Type: config.SDK})
	}
	slices.SortFunc(list, func(a, b *host.Server) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// with adds dialers for the fakes to o.
func (fs fakes) with(o host.Options) *host.Options {
	transports := make(map[string]mcp.Transport)
	for name, f := range fs {
		transports[name] = pipe(f.open)
	}
	o.Dialers = host.Dialers{config.Stdio: host.Stdio, config.SDK: host.InProcess(transports)}
	return &o
}

// newHost returns a host that is shut down when the test ends.
func newHost(t testing.TB, o *host.Options) *host.Host {
	t.Helper()
	h := host.New(o)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := h.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
	})
	return h
}

// start returns a host that is connected to the fakes.
func (fs fakes) start(t testing.TB, o host.Options) *host.Host {
	t.Helper()
	h := newHost(t, fs.with(o))
	if err := h.SetServers(t.Context(), fs.servers()).Err(); err != nil {
		t.Fatal(err)
	}
	return h
}

// child returns the settings of a server that is a child process.
func child(name string, o *testserver.Options) *host.Server {
	args, env := childserver.Command(o)
	return &host.Server{Name: name, Type: config.Stdio, Command: args[0], Args: args[1:], Env: env}
}

// names returns the names of tools.
func names(tools []*host.Tool) (list []string) {
	for _, t := range tools {
		list = append(list, t.Name())
	}
	return list
}

// state returns the state of a server.
func state(t testing.TB, h *host.Host, name string) host.State {
	t.Helper()
	s, err := h.ServerStatus(name)
	if err != nil {
		t.Fatal(err)
	}
	return s.State
}

// await waits for an event. In a synctest bubble it takes no real time.
func await(t testing.TB, events <-chan host.Event, what string, want func(host.Event) bool) host.Event {
	t.Helper()
	limit := time.After(10 * time.Minute)
	for {
		select {
		case e, ok := <-events:
			if !ok {
				t.Fatalf("no event: %s", what)
			}
			if want(e) {
				return e
			}
		case <-limit:
			t.Fatalf("no event in time: %s", what)
		}
	}
}

// awaitState waits until a server enters a state.
func awaitState(t testing.TB, events <-chan host.Event, server string, want host.State) host.Event {
	t.Helper()
	return await(t, events, server+" "+want.String(), func(e host.Event) bool {
		return e.Kind == host.StateChanged && e.Server == server && e.State == want
	})
}

// raw converts JSON text.
func raw(s string) mcp.RawMessage { return mcp.RawMessage(s) }

// pipe returns a Transport for a server in this process.
func pipe(open func() (io.ReadWriteCloser, error)) mcp.Transport {
	return stdio.Dial(func(context.Context) (io.ReadWriteCloser, error) { return open() })
}
