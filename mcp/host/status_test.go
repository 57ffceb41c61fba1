package host_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

func TestOverview(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"good": newFake(nil), "bad": newFake(nil)}
		fs["bad"].fail = errors.New("connection refused")
		h := newHost(t, fs.with(host.Options{Retry: host.Retry{Max: -1}}))
		if got := h.Overview(); got != "no MCP servers\n" {
			t.Errorf("%q", got)
		}
		h.SetServers(t.Context(), fs.servers())
		lines := strings.Split(h.Overview(), "\n")
		if want := "bad  failed  [MCP:bad] failed to connect: "; !strings.HasPrefix(lines[0], want) {
			t.Errorf("have %q, want %q", lines[0], want)
		}
		if want := fmt.Sprintf("good  connected  %d tools  ", len(h.Tools())); !strings.HasPrefix(lines[1], want) {
			t.Errorf("have %q, want %q", lines[1], want)
		}
	})
}

func TestOverviewCountsToolsOfTheCatalog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs, path := fakes{"kept": newFake(nil)}, catalogPath(t)
		fs.fill(t, path)
		h := newHost(t, fs.with(host.Options{Catalog: host.OpenCatalog(path)}))
		h.SetServers(t.Context(), fs.servers())
		if have, want := h.Overview(), fmt.Sprintf("kept  pending (disconnected)  %d tools  stdmcp-echo ", len(h.Tools())); !strings.HasPrefix(have, want) {
			t.Errorf("have %q, want %q", have, want)
		}
	})
}

func TestConnectTimeoutNamesItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"mute": newFake(&testserver.Options{Fault: "mute"})}
		h := newHost(t, fs.with(host.Options{ConnectTimeout: 20 * time.Second, Retry: host.Retry{Max: -1}}))
		err := h.SetServers(t.Context(), fs.servers()).Errors["mute"]
		var e *host.Error
		if !errors.As(err, &e) || e.Code != "TIMEOUT" || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no response within 20s") {
			t.Errorf("%v", err)
		}
	})
}

func TestStatusAfterStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := fakes{"a": newFake(nil), "b": newFake(nil)}.start(t, host.Options{})
		for _, s := range h.Status() {
			if s.Word() != "connected" || len(s.Tools) == 0 || s.Info.Name == "" {
				t.Errorf("%+v", s)
			}
		}
		if len(h.Status()) != 2 || len(h.Tools()) != 2*len(h.View("a").Tools()) {
			t.Error("wrong number of servers or tools")
		}
	})
}

func TestStatusWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"connected": newFake(nil), "failed": newFake(nil), "pending": newFake(&testserver.Options{Fault: "mute"}), "off": newFake(nil)}
		fs["failed"].fail = errors.New("refused")
		o := fs.with(host.Options{Retry: host.Retry{Max: -1}})
		o.Dialers["http"] = func(_ context.Context, d *host.DialParams) (mcp.Transport, error) {
			d.Classify = func(error) host.Category { return host.CategoryAuthentication }
			return pipe(fs["failed"].open), nil
		}
		h := newHost(t, o)
		events := h.Events(t.Context())
		servers := append(fs.servers(), &host.Server{Name: "locked", Type: config.HTTP, URL: "http://h/", Scope: "claudeai"})
		servers[2].Disabled = true // off
		ctx, cancel := context.WithTimeout(t.Context(), 1e9)
		defer cancel()
		h.SetServers(ctx, servers)
		for name, want := range map[string]string{"connected": "connected", "failed": "failed", "pending": "pending", "off": "disabled", "locked": "needs-auth"} {
			s, err := h.ServerStatus(name)
			if err != nil || s.Word() != want {
				t.Errorf("%s is %s, %v", name, s.Word(), err)
			}
		}
		await(t, events, "authorization needed", func(e host.Event) bool { return e.Kind == host.AuthNeeded && e.Server == "locked" })
		if s, _ := h.ServerStatus("locked"); s.Scope != "claudeai" || s.Err == nil {
			t.Errorf("%+v", s)
		}
		if s, _ := h.ServerStatus("connected"); s.Info.Name == "" || s.Info.Version == "" || s.Tools[0].Annotations == nil || s.Config.Type != config.SDK {
			t.Errorf("%+v", s)
		}
		if _, err := h.ServerStatus("nobody"); !errors.Is(err, host.ErrUnknownServer) {
			t.Errorf("%v", err)
		}
	})
}

// TestHostIsPrintedWithoutItsState: fmt would read fields that connections write.
func TestHostIsPrintedWithoutItsState(t *testing.T) {
	h := newHost(t, nil)
	if got := fmt.Sprintf("%v %+v %#v %d", h, h, h, h); got != "host.Host host.Host host.Host host.Host" {
		t.Error(got)
	}
}

func TestStatesAreWords(t *testing.T) {
	for state, want := range map[host.State]string{host.Disconnected: "disconnected", host.Failed: "failed", host.NeedsAuth: "needs-auth", 99: "State(99)"} {
		if got := state.String(); got != want {
			t.Errorf("State %d is %q, want %q", uint8(state), got, want)
		}
	}
}
