package host_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// TestZeroAndNegativeOptions: zero is the default, and a negative number turns the limit
// or the feature off.
func TestZeroAndNegativeOptions(t *testing.T) {
	duration := func(n int) time.Duration { return time.Duration(n) }
	for _, tt := range []struct {
		option         string
		behavior       func(t *testing.T, n int) string // with the number n
		zero, negative string
	}{
		{"Options.Parallel", parallelAttempts, "8 at once", "20 at once"},
		{"Options.MaxServers", func(t *testing.T, n int) string {
			h := newHost(t, &host.Options{MaxServers: n})
			var list []*host.Server
			for i := range 100 {
				list = append(list, &host.Server{Name: strconv.Itoa(i), Command: "x", Lazy: true})
			}
			return fmt.Sprint(len(h.SetServers(t.Context(), list).Errors), " refused")
		}, "0 refused", "0 refused"},
		{"Options.ConnectTimeout", func(t *testing.T, n int) string {
			return connectTime(t, host.Options{ConnectTimeout: duration(n)}, host.Server{})
		}, "30s", "1h0m0s"},
		{"config.Server.ConnectTimeout", func(t *testing.T, n int) string {
			return connectTime(t, host.Options{}, host.Server{ConnectTimeout: duration(n)})
		}, "30s", "1h0m0s"},
		{"Options.Timeout", func(t *testing.T, n int) string {
			return callTime(t, host.Options{Timeout: duration(n), MaxTimeout: -1}, host.Server{}, 0)
		}, "1m0s", "1h30m0s"},
		{"config.Server.Timeout", func(t *testing.T, n int) string {
			return callTime(t, host.Options{MaxTimeout: -1}, host.Server{Timeout: duration(n)}, 0)
		}, "1m0s", "1h30m0s"},
		{"Options.MaxTimeout", func(t *testing.T, n int) string {
			return callTime(t, host.Options{MaxTimeout: duration(n)}, host.Server{}, 30*time.Second)
		}, "1h0m0s", "1h30m0s"},
		{"Options.KeepAlive", pingsWhileIdle, "about 20 pings", "0 pings"},
		{"Retry.Max", func(t *testing.T, n int) string {
			return retries(t, host.Retry{Max: n, Cap: time.Millisecond}, host.Server{})
		}, "3 retries", "0 retries"},
		{"config.Server.MaxRetries", func(t *testing.T, n int) string {
			return retries(t, host.Retry{Cap: time.Millisecond}, host.Server{MaxRetries: n})
		}, "3 retries", "0 retries"},
		{"Retry.Initial", func(t *testing.T, n int) string {
			return retries(t, host.Retry{Max: 1, Initial: duration(n)}, host.Server{})
		}, "1 retries in 1s", "1 retries"},
		{"Retry.Cap", func(t *testing.T, n int) string {
			return retries(t, host.Retry{Max: 8, Cap: duration(n)}, host.Server{})
		}, "8 retries in 2m1s", "8 retries in 4m15s"},
		{"Retry.Multiplier", func(t *testing.T, n int) string {
			return retries(t, host.Retry{Multiplier: float64(n)}, host.Server{})
		}, "3 retries in 7s", "3 retries in 3s"},
		{"Retry.Crashes", func(t *testing.T, n int) string { return crashes(t, host.Retry{Crashes: n}, 10, time.Second) },
			"failed after 5 crashes", "connected after 10 crashes"},
		{"Retry.Window", func(t *testing.T, n int) string {
			return crashes(t, host.Retry{Window: duration(n)}, 5, time.Hour)
		}, "connected after 5 crashes", "failed after 5 crashes"},
		{"ResultLimits.MaxResultText", func(t *testing.T, n int) string {
			return resultOf(t, &host.ResultLimits{MaxResultText: n}, strings.Repeat("x", 60_000), host.Server{})
		}, "limited", "whole"},
		{"config.Server.MaxResultText", func(t *testing.T, n int) string {
			return resultOf(t, &host.ResultLimits{}, strings.Repeat("x", 60_000), host.Server{MaxResultText: n})
		}, "limited", "whole"},
		{"config.Override.MaxResultText", func(t *testing.T, n int) string {
			over := map[string]*config.Override{"tool": {MaxResultText: n}}
			return resultOf(t, &host.ResultLimits{}, strings.Repeat("x", 60_000), host.Server{Overrides: over})
		}, "limited", "whole"},
		{"ResultLimits.MaxResultData", func(t *testing.T, n int) string {
			image := mcp.Content{Type: mcp.ContentImage, MIMEType: "image/png", Data: base64.StdEncoding.EncodeToString(make([]byte, 1_200_000))}
			return resultOf(t, &host.ResultLimits{MaxResultData: n}, &mcp.CallToolResult{Content: []mcp.Content{image}}, host.Server{})
		}, "limited", "whole"},
		{"SearchOptions.Threshold", func(t *testing.T, n int) string {
			h := mixedTools(t, host.Options{})
			return found(h.ToolSearch(&host.SearchOptions{Threshold: n}).Tools()[:1])[0]
		}, "delete_files", "search_tools"},
		{"SearchOptions.Limit", func(t *testing.T, n int) string {
			h := realTools(t)
			text, err := h.ToolSearch(&host.SearchOptions{Threshold: -1, Limit: n}).Tools()[0].Execute(t.Context(), raw(`{"query":"*"}`))
			return fmt.Sprint(strings.Count(text, `"name":"mcp__`) == min(5, len(h.Tools())), strings.Count(text, `"name":"mcp__`) == len(h.Tools()), err)
		}, "true false <nil>", "false true <nil>"},
		{"limit of Host.Search", func(t *testing.T, n int) string {
			h := realTools(t)
			return fmt.Sprint(len(h.Search("*", n)) == 5, len(h.Search("*", n)) == len(h.Tools()))
		}, "true false", "false true"},
	} {
		for n, want := range map[int]string{0: tt.zero, -1: tt.negative} {
			synctest.Test(t, func(t *testing.T) {
				if got := tt.behavior(t, n); got != want {
					t.Errorf("%s: %d: %s, want %s", tt.option, n, got, want)
				}
			})
		}
	}
}

// parallelAttempts returns how many of 20 servers are connected at once.
func parallelAttempts(t *testing.T, n int) string {
	release := make(chan struct{})
	var dials atomic.Int32
	h := newHost(t, &host.Options{Parallel: n, Retry: host.Retry{Max: -1}, Dialers: host.Dialers{"x": func(context.Context, *host.DialParams) (mcp.Transport, error) {
		dials.Add(1)
		<-release
		return nil, errors.New("done")
	}}})
	var list []*host.Server
	for i := range 20 {
		list = append(list, &host.Server{Name: strconv.Itoa(i), Type: "x"})
	}
	go h.SetServers(t.Context(), list) // ends when the dialers do
	synctest.Wait()
	defer close(release)
	return fmt.Sprint(dials.Load(), " at once")
}

// connectTime returns how long an attempt to connect lasts, an hour at most.
func connectTime(t *testing.T, o host.Options, s host.Server) string {
	o.Dialers = host.Dialers{"x": func(context.Context, *host.DialParams) (mcp.Transport, error) { return endless{}, nil }}
	o.Retry.Max = -1
	s.Name, s.Type = "x", "x"
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	start := time.Now()
	if err := newHost(t, &o).AddServer(ctx, &s); err == nil {
		t.Error("connected")
	}
	return time.Since(start).String()
}

// callTime returns how long a call lasts that takes 90 minutes, and makes progress
// after each step, if step is not 0.
func callTime(t *testing.T, o host.Options, s host.Server, step time.Duration) string {
	server := mcptest.New(t)
	server.Tool("tool", nil, func(c *mcptest.Call) (any, error) {
		begun := time.Now()
		for wait := 90 * time.Minute; time.Since(begun) < 90*time.Minute; {
			if step > 0 {
				wait = step
				c.Progress(time.Since(begun).Seconds(), 0, "")
			}
			select {
			case <-time.After(wait):
			case <-c.Context().Done():
				return nil, c.Context().Err()
			}
		}
		return "done", nil
	})
	o.Dialers = host.Dialers{config.SDK: server.Dialer()}
	h := newHost(t, &o)
	s.Name, s.Type = "s", config.SDK
	if err := h.AddServer(t.Context(), &s); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	_, _ = h.Execute(t.Context(), "mcp__s__tool", nil)
	return time.Since(start).String()
}

// pingsWhileIdle returns how often a server at a URL is pinged in 10 minutes.
func pingsWhileIdle(t *testing.T, n int) string {
	var pings atomic.Int32
	count := func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
		if call.Method == "ping" || call.Method == "server/discover" {
			pings.Add(1)
		}
		return call.Send(ctx)
	}
	w := newWebsite(t, &testserver.Options{})
	_, end := w.host(t, config.HTTP, host.Options{KeepAlive: time.Duration(n), Client: &mcp.Options{Interceptors: []mcp.Interceptor{count}}})
	defer end()
	pings.Store(0)
	time.Sleep(10 * time.Minute)
	if got := pings.Load(); got < 20 || got > 25 {
		return fmt.Sprint(got, " pings")
	}
	return "about 20 pings"
}

// retries returns the number of retries, and how long they took before a random part
// was taken off, unless that is less than a second.
func retries(t *testing.T, r host.Retry, s host.Server) string {
	f := newFake(nil)
	f.failWith(errors.New("refused"))
	h := newHost(t, fakes{"x": f}.with(host.Options{Retry: r}))
	events := h.Events(t.Context())
	s.Name, s.Type = "x", config.SDK
	start := time.Now()
	_ = h.AddServer(t.Context(), &s)
	awaitState(t, events, "x", host.Failed)
	took, text := time.Since(start), fmt.Sprint(f.opened()-1, " retries")
	if took < 100*time.Millisecond {
		return text
	}
	for _, full := range []time.Duration{1, 3, 7, 121, 255} {
		if full *= time.Second; took <= full && took >= full*8/10 {
			return text + " in " + full.String()
		}
	}
	return text + " in " + took.String()
}

// crashes has a server crash some times, and returns its state.
func crashes(t *testing.T, r host.Retry, times int, every time.Duration) string {
	f := newFake(nil)
	r.Initial = time.Millisecond
	h := fakes{"x": f}.start(t, host.Options{Retry: r})
	for i := range times {
		time.Sleep(every)
		f.crash()
		time.Sleep(time.Minute / 10)
		if s := state(t, h, "x"); s != host.Connected || i == times-1 {
			return fmt.Sprintf("%v after %d crashes", s, i+1)
		}
	}
	return "no crashes"
}

// resultOf reports whether the result of a tool is limited.
func resultOf(t *testing.T, limits *host.ResultLimits, result any, s host.Server) string {
	server := mcptest.New(t)
	server.Tool("tool", nil, func(*mcptest.Call) (any, error) { return result, nil })
	h := newHost(t, &host.Options{Limits: limits, Dialers: host.Dialers{config.SDK: server.Dialer()}})
	s.Name, s.Type = "s", config.SDK
	if err := h.AddServer(t.Context(), &s); err != nil {
		t.Fatal(err)
	}
	res, err := h.CallTool(t.Context(), "s", "tool", nil)
	if err != nil {
		return err.Error()
	}
	if text := host.Text(res); strings.Contains(text, "are missing here") || strings.Contains(text, "[not shown: image") {
		return "limited"
	}
	return "whole"
}

// TestFolderOfResultsWithoutLimit: a file may be larger than the default of MaxFolder.
func TestFolderOfResultsWithoutLimit(t *testing.T) {
	long := string(bytes.Repeat([]byte("x"), 20))
	for limit, want := range map[int64]bool{-1: true, 10: false, 0: true} {
		_, tool := limitedHost(t, &host.ResultLimits{MaxResultText: 5, Folder: t.TempDir(), MaxFolder: limit}, long)
		if text, err := tool.Execute(t.Context(), nil); err != nil || strings.Contains(text, "the whole is in") != want {
			t.Errorf("%d: %s, %v", limit, text, err)
		}
	}
}
