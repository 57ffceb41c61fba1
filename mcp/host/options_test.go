package host_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

func TestNilArgumentsDoNotPanic(t *testing.T) {
	h := newHost(t, nil)
	if d := h.SetServers(t.Context(), []*host.Server{nil}); len(d.Errors) != 1 || d.Err() == nil {
		t.Errorf("SetServers: %+v", d)
	}
	if err := h.AddServer(t.Context(), nil); err == nil {
		t.Error("AddServer accepts nil")
	}
	h.View("x").With(nil).Tools()
	for name, approve := range map[string]host.Approver{
		"First": host.First(nil), "Asking": host.Asking(nil, nil), "Rules": host.Rules(host.Rule{Action: host.Allow}),
		"ReadOnly": host.ReadOnly, "Listed": host.Listed(true), "Capabilities": host.Capabilities(nil).Approve,
		"Requiring": host.Capabilities(nil).Requiring(map[string][]string{"*": {"x"}}),
	} {
		if d, err := approve(t.Context(), nil); d == host.Allow || err != nil {
			t.Errorf("%s decides %q, %v", name, d, err)
		}
	}
	for name, dial := range map[string]host.Dialer{"Stdio": host.Stdio, "InProcess": host.InProcess(nil)} {
		for _, d := range []*host.DialParams{nil, {}} {
			if _, err := dial(context.Background(), d); err == nil {
				t.Errorf("%s accepts %v", name, d)
			}
		}
	}
	if got := host.Text(nil); got != "(empty result)" {
		t.Errorf("Text: %q", got)
	}
	if host.Structured(nil) != nil || host.PlainDescription("x", nil) != "" || host.Describe("x", nil) == "" {
		t.Error("unexpected text for nil")
	}
}

func TestServerWithoutType(t *testing.T) {
	h := newHost(t, &host.Options{Retry: host.Retry{Max: -1}})
	s := child("x", nil)
	s.Type = ""
	if err := h.AddServer(t.Context(), s); err != nil {
		t.Errorf("a server with a command: %v", err)
	}
	err := h.AddServer(t.Context(), &host.Server{Name: "y"})
	if err == nil || !strings.Contains(err.Error(), "neither a command nor a URL") {
		t.Errorf("an empty server: %v", err)
	}
}

func TestNegativeTimeoutsAreNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(&testserver.Options{Fault: "discover-slow", Delay: time.Second})
		h := fakes{"x": f}.start(t, host.Options{ConnectTimeout: -1, Timeout: -1, MaxTimeout: -1})
		text, err := h.Tool("mcp__x__slow").Execute(t.Context(), raw(`{"seconds":3600,"steps":1}`))
		if err != nil {
			t.Errorf("a call of one hour: %q, %v", text, err)
		}
		// So is that of a call, which takes precedence over the settings.
		s := &host.Server{Name: "x", Type: config.SDK, Timeout: time.Second}
		if err := h.AddServer(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		call := &mcp.ToolCall{Arguments: raw(`{"seconds":3600,"steps":1}`), Timeout: -1}
		if _, err := h.Tool("mcp__x__slow").Do(t.Context(), call); err != nil {
			t.Errorf("a call without a timeout: %v", err)
		}
		if s, _ := h.ServerStatus("x"); s.Timeout != time.Second || s.ConnectTimeout >= 0 {
			t.Errorf("timeouts: %v, %v", s.Timeout, s.ConnectTimeout)
		}
	})
}

func TestNegativeRetryTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		f := newFake(nil)
		f.fail = errors.New("refused")
		h := newHost(t, fakes{"x": f}.with(host.Options{Parallel: -1, Retry: host.Retry{Initial: -1}}))
		events := h.Events(t.Context())
		h.SetServers(t.Context(), fakes{"x": f}.servers())
		awaitState(t, events, "x", host.Failed)
		if took := time.Since(start); took > 0 || f.opened() != 4 {
			t.Errorf("%d tries took %v, want no delay", f.opened(), took)
		}

		// Without a cap the delay keeps growing; without a window all crashes count.
		f = newFake(nil)
		f.fail = errors.New("refused")
		h = newHost(t, fakes{"x": f}.with(host.Options{Retry: host.Retry{Max: 8, Cap: -1, Window: -1}}))
		events = h.Events(t.Context())
		start = time.Now()
		h.SetServers(t.Context(), fakes{"x": f}.servers())
		awaitState(t, events, "x", host.Failed)
		if took := time.Since(start); took < 204*time.Second || took > 255*time.Second {
			t.Errorf("8 retries took %v, want 204 s to 255 s", took)
		}
		f.failWith(nil)
		if err := h.Reconnect(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			time.Sleep(time.Hour)
			f.crash()
			if i < 4 {
				awaitState(t, events, "x", host.Connected)
			}
		}
		if e := awaitState(t, events, "x", host.Failed); !errors.Is(e.Err, host.ErrCrashLoop) {
			t.Errorf("5 crashes: %v", e.Err)
		}
	})
}

// A transport of a program may return the error of its context.
func TestConnectTimeoutOfAnyTransport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := host.New(&host.Options{
			Dialers:        host.Dialers{"slow": func(context.Context, *host.DialParams) (mcp.Transport, error) { return endless{}, nil }},
			ConnectTimeout: time.Second,
			Retry:          host.Retry{Max: -1},
		})
		defer h.Shutdown(t.Context())
		err := h.AddServer(t.Context(), &host.Server{Name: "x", Type: "slow"})
		var e *host.Error
		if !errors.As(err, &e) || e.Code != "TIMEOUT" || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

type endless struct{}

func (endless) Features() jsonrpc.TransportFeatures { return jsonrpc.TransportFeatures{} }

func (endless) Open(ctx context.Context, _ jsonrpc.Handler) (jsonrpc.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
