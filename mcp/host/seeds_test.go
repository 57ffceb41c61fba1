package host_test

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
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

func TestInvalidEntriesCountWhenAllServersFail(t *testing.T) {
	t.Parallel()
	c := config.Parse([]byte(`{"mcpServers":{"bad":{"command":7},"missing":{"command":"no-such-program"},"off":{"command":"x","disabled":true}}}`), "f", "local")
	h := newHost(t, &host.Options{Retry: host.Retry{Max: -1}})
	diff := h.SetServers(t.Context(), c.All())
	var e *host.Error
	if err := diff.Err(); err == nil || !strings.HasPrefix(err.Error(), "all MCP servers failed: [MCP:bad] not added: f:1:") {
		t.Errorf("%v", err)
	}
	if !errors.As(diff.Errors["bad"], &e) || e.Category != host.CategoryConfiguration || len(diff.Errors) != 2 {
		t.Errorf("%v", diff.Errors)
	}
	only := config.Parse([]byte(`{"mcpServers":{"bad":{"command":7}}}`), "f", "local")
	if err := h.SetServers(t.Context(), only.All()).Err(); err == nil {
		t.Error("the only entry is invalid, and starting succeeds")
	}
	if len(h.Status()) != 0 {
		t.Error("an invalid entry is a server")
	}
}

func TestInvalidEntryReplacesAServer(t *testing.T) {
	t.Parallel()
	s := mcptest.New(t)
	h := newHost(t, &host.Options{Dialers: host.Dialers{config.SDK: s.Dialer()}})
	h.SetServers(t.Context(), []*host.Server{{Name: "s", Type: config.SDK}})
	bad := config.Parse([]byte(`{"mcpServers":{"s":{"type":7}}}`), "f", "local").All()
	if diff := h.SetServers(t.Context(), bad); len(diff.Removed) != 1 || diff.Errors["s"] == nil {
		t.Errorf("%v", diff)
	}
}

func TestFailedListOfToolsIsAWarningOfTheDiff(t *testing.T) {
	t.Parallel()
	s := mcptest.New(t)
	s.Tool("a", nil, answer(""))
	s.Inject("tools/list", mcptest.Refuse(-32000, "no list today"))
	h := newHost(t, &host.Options{Dialers: host.Dialers{config.SDK: s.Dialer()}})
	diff := h.SetServers(t.Context(), []*host.Server{{Name: "s", Type: config.SDK}})
	var e *host.Error
	if err := diff.Warnings["s"]; !errors.As(err, &e) || e.Message != "failed to list tools" || !strings.Contains(err.Error(), "no list today") {
		t.Errorf("warnings: %v", diff.Warnings)
	}
	if len(diff.Errors) > 0 || diff.Err() != nil || state(t, h, "s") != host.Connected {
		t.Errorf("errors: %v, %v; the server is %v", diff.Errors, diff.Err(), state(t, h, "s"))
	}
	if err := h.Refresh(t.Context(), "s").Errors["s"]; err != nil || len(h.Tools()) != 1 {
		t.Errorf("listed again: %d tools, %v", len(h.Tools()), err)
	}
	if status, err := h.ServerStatus("s"); err != nil || status.Err != nil {
		t.Errorf("the warning outlives its reason: %v, %v", status.Err, err)
	}
}

func TestNoResultIsText(t *testing.T) {
	t.Parallel()
	if got := host.Text(nil); got != "(empty result)" {
		t.Errorf("%q", got)
	}
}

// TestEventsCountAttempts: each failed attempt counts, the last one too, and the end of
// the connection is none.
func TestEventsCountAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(nil)
		fs := fakes{"x": f}
		h := newHost(t, fs.with(host.Options{Retry: host.Retry{Max: 2}}))
		events := h.Events(t.Context())
		counted := func(want ...int) {
			t.Helper()
			var got []int
			for range want {
				e := await(t, events, "a state", func(e host.Event) bool { return e.Kind == host.StateChanged && e.Err != nil })
				got = append(got, e.Attempts)
			}
			s, _ := h.ServerStatus("x")
			if !slices.Equal(got, want) || s.Attempts != want[len(want)-1] || s.State != host.Failed {
				t.Errorf("attempts %v, want %v, then %d, %v", got, want, s.Attempts, s.State)
			}
		}
		f.failWith(errors.New("not yet"))
		h.SetServers(t.Context(), fs.servers())
		counted(1, 2, 3)

		f.failWith(nil)
		if err := h.Connect(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		if s, _ := h.ServerStatus("x"); s.Attempts != 0 {
			t.Errorf("%d failed attempts while connected", s.Attempts)
		}
		f.failWith(errors.New("gone"))
		f.crash()
		counted(0, 1, 2)
	})
}

func TestEnableReturnsWhenTheToolsAreThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := newFake(&testserver.Options{Fault: "slow-initialize", Delay: time.Second})
		fs := fakes{"x": slow}
		servers := fs.servers()
		servers[0].Disabled = true
		h := newHost(t, fs.with(host.Options{Client: &mcp.Options{}}))
		h.SetServers(t.Context(), servers)
		if len(h.Tools()) != 0 {
			t.Error("a disabled server has tools")
		}
		if err := h.SetEnabled("x", true); err != nil {
			t.Error(err)
		}
		if err := h.Connect(t.Context(), "x"); err != nil || len(h.Tools()) == 0 {
			t.Errorf("%d tools, %v", len(h.Tools()), err)
		}
		if err := h.SetEnabled("y", true); !errors.Is(err, host.ErrUnknownServer) {
			t.Errorf("%v", err)
		}
	})
}

func ExampleHost_SetEnabled() {
	ctx := context.Background()
	h := exampleHost(ctx, nil)
	defer h.Shutdown(ctx)
	_ = h.SetEnabled("echo", false) // the only error is an unknown name
	hidden := len(h.Tools())
	_ = h.SetEnabled("echo", true) // the same
	err := h.Connect(ctx, "echo")  // waits
	fmt.Println(hidden, len(h.Tools()) > 0, err)
	// Output: 0 true <nil>
}
