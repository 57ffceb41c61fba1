package streamhttp_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// TestServerGoesAwayAndComesBack: calls fail with errors that tell whether they may
// be repeated, and the client works again when the server is back.
func TestServerGoesAwayAndComesBack(t *testing.T) {
	for name, o := range map[string]*testserver.Options{
		"modern":                      {},
		"legacy":                      {ProtocolVersions: []string{mcp.ProtocolVersion20251125}},
		"legacy, 400 after a restart": {ProtocolVersions: []string{mcp.ProtocolVersion20251125}, Fault: "session-lost-400-null-id"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := testserver.StartHTTP(testserver.New(o), &testserver.HTTPOptions{InMemory: true})
				if err != nil {
					t.Fatal(err)
				}
				client := s.Client()
				c, err := mcp.Connect(t.Context(), streamhttp.New(s.URL, &streamhttp.Options{Client: client}), nil)
				if err != nil {
					t.Fatal(err)
				}
				add := func() error {
					_, err := c.CallTool(t.Context(), "add", map[string]any{"a": 1, "b": 2})
					return err
				}
				wantBack := func(what string) {
					t.Helper()
					if err := add(); err != nil {
						t.Errorf("%s: %v", what, err)
					}
				}
				wantBack("before")
				s.Down()
				if err := add(); err == nil || errors.Is(err, mcp.ErrOutcomeUnknown) || c.Err() != nil {
					t.Errorf("a refused connection: %v", err)
				}
				s.Up()
				wantBack("after a restart")
				for status, unknown := range map[int]bool{502: true, 503: false, 504: true} {
					s.Gateway(status)
					if err := add(); err == nil || errors.Is(err, mcp.ErrOutcomeUnknown) != unknown {
						t.Errorf("status %d: %v", status, err)
					}
					s.Gateway(0)
					wantBack("after a status")
				}
				s.Freeze()
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				if err := c.KeepAlive(ctx, time.Second, 3); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("KeepAlive: %v", err)
				}
				cancel()
				wantBack("after keep-alive has replaced a half-open connection")
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				s.Close()
				client.CloseIdleConnections()
			})
		})
	}
}
