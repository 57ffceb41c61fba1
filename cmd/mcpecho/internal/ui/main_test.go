package ui

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

func TestMain(m *testing.M) { testutil.Main(m) }

// A target is a server that can be replaced.
type target struct {
	mu     sync.Mutex
	server *mcptest.Server
	client *mcp.Client
	down   error // why a connection cannot be opened
}

func (s *target) connect(ctx context.Context, setup *Setup) (*mcp.Client, func(), error) {
	s.mu.Lock()
	server, down := s.server, s.down
	s.mu.Unlock()
	if down != nil {
		return nil, nil, down
	}
	opts := &mcp.Options{Handlers: setup.Handlers, Trace: setup.Trace}
	if setup.Version != "" {
		opts.ProtocolVersions = []string{setup.Version}
	}
	client, err := mcp.Connect(ctx, setup.Wrap(server), opts)
	if err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	s.client = client
	s.mu.Unlock()
	return client, func() { client.Close() }, nil
}

// replace ends the connection. The next one is to server, or fails with down.
func (s *target) replace(server *mcptest.Server, down error) {
	s.mu.Lock()
	s.server, s.down = server, down
	client := s.client
	s.mu.Unlock()
	if client != nil {
		client.Close()
	}
}

// start runs a bench with a server until the test ends.
func start(t *testing.T, server *mcptest.Server) (*Bench, *target) {
	t.Helper()
	s := &target{server: server}
	b := New(Config{
		Target: "test", Connect: s.connect, Explain: error.Error,
		CommandLine: func(command string, args ...cmdline.Word) string {
			line := "mcpecho " + command + " test"
			for _, a := range args {
				line += " " + a.Text
			}
			return line
		},
		Hide: func(s string) string { return strings.ReplaceAll(s, "opensesame", "***") },
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { // ends with the test
		defer close(done)
		b.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return b, s
}

// connect runs a bench until it is connected.
func connect(t *testing.T, server *mcptest.Server) (*Bench, *target) {
	t.Helper()
	b, s := start(t, server)
	await(t, b, "connect", func() bool { return connected(b) })
	return b, s
}

func connected(b *Bench) bool {
	return b.connection.Status == statusConnected && b.lists.loaded && !b.lists.fresh
}

// await waits until f, which is called with the lock, returns true.
func await(t *testing.T, b *Bench, what string, f func() bool) {
	t.Helper()
	late := time.After(testutil.Timeout)
	for {
		b.mu.Lock()
		ok, changed := f(), b.changed
		b.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-late:
			b.mu.Lock()
			text, _ := json.Marshal(map[string]any{"connection": b.connection, "calls": b.calls})
			b.mu.Unlock()
			t.Fatalf("%s: not in time: %s", what, text)
		}
	}
}

// finished waits until a call has ended.
func finished(t *testing.T, b *Bench, id int) *call {
	t.Helper()
	await(t, b, "the end of the call", func() bool {
		for _, c := range b.calls {
			if c.ID == id {
				return c.Status != callRunning
			}
		}
		return false
	})
	return b.call(id)
}

var errDown = errors.New("the server is down")
