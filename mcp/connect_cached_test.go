package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// TestCachedServer: ServerInfo may come from another process.
func TestCachedServer(t *testing.T) {
	sent := map[string][]string{
		legacy + " stdio": {"initialize", "notifications/initialized", "tools/call"},
		legacy + " http":  {"initialize", "notifications/initialized", "tools/call"},
		legacy + " sse":   {"initialize", "notifications/initialized", "tools/call"},
		modern + " stdio": {"server/discover", "tools/call"},
		modern + " http":  {"tools/call"},
	}
	onEveryRoute(t, func(t *testing.T, p route) {
		saved, err := json.Marshal(p.open(t, p.server(testserver.Options{}), nil).CachedServer())
		if err != nil {
			t.Fatal(err)
		}
		known := new(mcp.ServerInfo)
		if err := json.Unmarshal(saved, known); err != nil {
			t.Fatal(err)
		}
		s := p.server(testserver.Options{})
		c := p.open(t, s, &mcp.Options{CachedServer: known})
		if _, err := c.CallTool(t.Context(), "image", nil); err != nil {
			t.Fatal(err)
		}
		if got, want := receivedMethods(s), sent[p.version+" "+p.over]; !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
		if again := c.CachedServer(); again.Probed.Unix() != known.Probed.Unix() {
			t.Errorf("probed at %v, want %v", again.Probed, known.Probed)
		}
		known.Probed = time.Time{}
		if got := c.Server(); !reflect.DeepEqual(&got, known) {
			t.Errorf("the server is %+v, want %+v", got, known)
		}
	})
}

// TestCachedServerWithDisallowedVersion: ProtocolVersions takes precedence.
func TestCachedServerWithDisallowedVersion(t *testing.T) {
	for _, known := range []string{modern, "", "1999-01-01"} {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, testserver.New(nil), &mcp.Options{CachedServer: &mcp.ServerInfo{ProtocolVersion: known}, ProtocolVersions: []string{legacy}})
			if got := c.Server().ProtocolVersion; got != legacy {
				t.Errorf("%q: version %s", known, got)
			}
		})
	}
}

// TestCachedServerHasChangedItsEra: the hint is wrong, and everything works.
func TestCachedServerHasChangedItsEra(t *testing.T) {
	onEveryRoute(t, func(t *testing.T, p route) {
		if p.over == "sse" {
			t.Skip("the transport has one era")
		}
		other := modern
		if p.version == modern {
			other = legacy
		}
		s := p.server(testserver.Options{})
		retries := 0
		var eras []string
		c := p.open(t, s, &mcp.Options{
			CachedServer: &mcp.ServerInfo{ProtocolVersion: other},
			Trace: &mcp.Trace{
				Retry:     func(context.Context, string, error) { retries++ },
				EraChosen: func(_ context.Context, s mcp.ServerInfo) { eras = append(eras, s.ProtocolVersion) },
			},
		})
		if _, err := c.CallTool(t.Context(), "image", nil); err != nil {
			t.Fatal(err)
		}
		if tools, err := c.ListTools(t.Context()); err != nil || len(tools) == 0 {
			t.Errorf("tools %v, %v", tools, err)
		}
		if got := c.Server(); got.ProtocolVersion != p.version || got.Name != "stdmcp-echo" || got.Capabilities.Tools == nil {
			t.Errorf("the server is %+v", got)
		}
		want := []string{p.version}
		if p == (route{legacy, "http"}) {
			want = []string{modern, legacy}
			if retries != 1 {
				t.Errorf("%d retries", retries)
			}
		}
		if !slices.Equal(eras, want) {
			t.Errorf("eras %q, want %q", eras, want)
		}
	})
}

// TestCachedServerOverHTTP: what cannot be done without knowing the server
// negotiates first; a call that a modern server refuses does, too, once.
func TestCachedServerOverHTTP(t *testing.T) {
	for _, version := range eras {
		p := route{version, "http"}
		for name, tt := range map[string]struct {
			options mcp.Options
			do      func(*testing.T, *mcp.Client) error
		}{
			"a subscription": {do: func(t *testing.T, c *mcp.Client) error {
				s, err := c.Subscribe(t.Context(), nil)
				if err == nil {
					defer s.Close()
				}
				return err
			}},
			"changes":   {options: mcp.Options{Handlers: []mcp.Handler{mcp.Changes{Changed: func(context.Context, mcp.Change) {}}}}},
			"a ping":    {do: func(t *testing.T, c *mcp.Client) error { return c.Ping(t.Context()) }},
			"log level": {options: mcp.Options{LogLevel: mcp.LevelDebug}},
			"a list": {do: func(t *testing.T, c *mcp.Client) error {
				prompts, err := c.ListPrompts(t.Context())
				if err == nil && len(prompts) == 0 {
					t.Error("no prompts")
				}
				return err
			}},
			"refusals": {do: func(t *testing.T, c *mcp.Client) error {
				for range 2 {
					_, err := c.CallTool(t.Context(), "no_such_tool", nil)
					wantCode(t, err, -32602)
				}
				return nil
			}},
		} {
			t.Run(name+"/"+version, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := p.server(testserver.Options{})
					o := tt.options
					o.CachedServer = &mcp.ServerInfo{ProtocolVersion: modern}
					c := p.open(t, s, &o)
					if tt.do != nil {
						if err := tt.do(t, c); err != nil {
							t.Error(err)
						}
					}
					if _, err := c.CallTool(t.Context(), "log", nil); err != nil {
						t.Error(err)
					}
					synctest.Wait()
					if n := count(receivedMethods(s), "server/discover"); n > 1 && (name != "a ping" || version == legacy) {
						t.Errorf("%d probes", n)
					}
				})
			})
		}
	}
}

// TestCachedServerIsDown: the error of the call is that of the network.
func TestCachedServerIsDown(t *testing.T) {
	down := streamhttp.New("http://"+testutil.FreeAddress(t)+"/mcp", &streamhttp.Options{Client: &http.Client{}})
	c, err := mcp.Connect(t.Context(), down, &mcp.Options{CachedServer: &mcp.ServerInfo{ProtocolVersion: modern}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.CallTool(t.Context(), "echo", nil)
	wantError(t, err, nil, "tools/call", "refused")
}

// servers returns a transport that starts another server for each connection,
// and the list of servers that it has started.
func servers(o testserver.Options) (mcp.Transport, *[]*testserver.Server) {
	list := new([]*testserver.Server)
	return stdio.Dial(func(context.Context) (io.ReadWriteCloser, error) {
		s := testserver.New(&o)
		*list = append(*list, s)
		return s.Pipe(), nil
	}), list
}

// TestSlowServerOfBothErasIsModernNextTime: while it starts the first time, it
// receives the requests of both eras.
func TestSlowServerOfBothErasIsModernNextTime(t *testing.T) {
	for _, fault := range []string{"starts-slowly", "discover-slow"} {
		synctest.Test(t, func(t *testing.T) {
			tr, started := servers(testserver.Options{Fault: fault, Delay: 4 * time.Second, ProtocolVersions: []string{modern, legacy}})
			first := connectTransport(t, tr, nil)
			if got := first.Server().ProtocolVersion; fault == "discover-slow" && got != legacy {
				t.Errorf("first the version %s", got)
			}
			time.Sleep(4 * time.Second)
			synctest.Wait()
			second := connectTransport(t, tr, &mcp.Options{CachedServer: first.CachedServer()})
			if got := second.Server().ProtocolVersion; got != modern {
				t.Errorf("%s: then the version %s", fault, got)
			}
			if got := receivedMethods((*started)[1]); !slices.Equal(got, []string{"server/discover"}) {
				t.Errorf("%s: sent %q", fault, got)
			}
		})
	}
}

// TestBothErasAtOnceIsModernNextTime: the response to the probe is noted where it
// arrives, whichever of the two the client looks at first.
func TestBothErasAtOnceIsModernNextTime(t *testing.T) {
	for _, over := range []string{"stdio", "http"} {
		for range 8 {
			synctest.Test(t, func(t *testing.T) {
				first := connectTransport(t, slowTransport(t, over), nil)
				second := connectTransport(t, slowTransport(t, over), &mcp.Options{CachedServer: first.CachedServer()})
				if got := second.Server().ProtocolVersion; got != modern {
					t.Errorf("%s: after %s the version is %s", over, first.Server().ProtocolVersion, got)
				}
			})
		}
	}
}

// slowTransport returns a transport to a server of both eras that takes 3 s to start,
// and then responds to everything at once.
func slowTransport(t *testing.T, over string) mcp.Transport {
	s := testserver.New(&testserver.Options{Fault: "starts-slowly", Delay: 3 * time.Second, ProtocolVersions: []string{modern, legacy}})
	if over == "stdio" {
		return overStream(s.Pipe())
	}
	ready := time.Now().Add(3 * time.Second)
	web, err := testserver.StartHTTP(s, &testserver.HTTPOptions{InMemory: true, Wrap: func(h *testserver.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Until(ready))
			h.ServeHTTP(w, r)
		})
	}})
	if err != nil {
		t.Fatal(err)
	}
	client := web.Client()
	t.Cleanup(func() {
		client.CloseIdleConnections()
		web.Close()
	})
	return streamhttp.New(web.URL, &streamhttp.Options{Client: client})
}

// TestProbeAnsweredAfterInitialize: the response to the probe that arrives together
// with that to initialize counts for the next connection.
func TestProbeAnsweredAfterInitialize(t *testing.T) {
	const (
		initialized = `{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}}` + "\n"
		discovered  = `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}}` + "\n"
	)
	for _, late := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			server := testserver.Script(func(line string) []string {
				if methodOf([]byte(line)) != "initialize" {
					return nil
				}
				return []string{initialized + discovered}
			})
			c := connectStream(t, server.Pipe(), &mcp.Options{Interceptors: []mcp.Interceptor{func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
				raw, err := call.Send(ctx)
				time.Sleep(time.Millisecond) // both have been read
				if late && call.Method == "server/discover" {
					time.Sleep(time.Millisecond) // initialize wins
				}
				return raw, err
			}}})
			if got := c.CachedServer().ProtocolVersion; got != modern {
				t.Errorf("after %s the next version is %s", c.Server().ProtocolVersion, got)
			}
		})
	}
}

// TestLegacyHintExpires: after a day, as the server may have been updated, but not if
// the probe ended or broke the server, until its version changes.
func TestLegacyHintExpires(t *testing.T) {
	const day = 24 * time.Hour
	update := func(s *mcp.ServerInfo) { s.Version = "0.9" }
	for _, tt := range []struct {
		name   string
		server testserver.Options
		over   string
		wait   time.Duration
		change func(*mcp.ServerInfo) // what was known
		probed []bool                // the later connections
	}{
		{"soon", onlyVersion(legacy), "stdio", 11 * time.Hour, nil, []bool{false, false, true}},
		{"later", onlyVersion(legacy), "stdio", day + time.Minute, nil, []bool{true, true}},
		{"later, over HTTP", onlyVersion(legacy), "http", day + time.Minute, nil, []bool{true, true}},
		{"never answered", testserver.Options{Fault: "discover-silent"}, "stdio", day + time.Minute, nil, []bool{true, true}},
		{"ended", testserver.Options{Fault: "discover-dies"}, "stdio", 1000 * day, nil, []bool{false, false}},
		{"wedged", testserver.Options{Fault: "discover-wedges"}, "stdio", 1000 * day, nil, []bool{false, false}},
		{"broken", testserver.Options{Fault: "starts-once", Delay: 2 * time.Second}, "stdio", 1000 * day, nil, []bool{false, false}},
		{"wedged and updated", testserver.Options{Fault: "discover-wedges"}, "stdio", time.Minute, update, []bool{false, true, false}},
		{"updated", onlyVersion(legacy), "stdio", time.Minute, update, []bool{false, true, false}},
	} {
		synctest.Test(t, func(t *testing.T) {
			var known *mcp.ServerInfo
			for i, want := range append([]bool{true}, tt.probed...) {
				var s *testserver.Server
				var probed atomic.Bool
				connect := func() *mcp.Client {
					var tr mcp.Transport = streamFunc(func() io.ReadWriteCloser {
						s = testserver.New(&tt.server)
						return s.Pipe()
					})
					if tt.over == "http" {
						tr = route{legacy, "http"}.transport(t, testserver.New(&tt.server))
					}
					return connectTransport(t, tr, &mcp.Options{CachedServer: known, Trace: &mcp.Trace{Message: func(_ context.Context, sent bool, data []byte) {
						if sent && methodOf(data) == "server/discover" {
							probed.Store(true)
						}
					}}})
				}
				c := connect()
				if got := c.Server().ProtocolVersion; got != legacy {
					t.Errorf("%s: version %s", tt.name, got)
				}
				if got := probed.Load(); got != want {
					t.Errorf("%s: connection %d: probed %t, want %t", tt.name, i, got, want)
				}
				text, err := json.Marshal(c.CachedServer())
				if known = new(mcp.ServerInfo); err != nil || json.Unmarshal(text, known) != nil {
					t.Fatal(err)
				}
				c.Close()
				if i == 0 && tt.change != nil {
					tt.change(known)
				}
				time.Sleep(tt.wait)
			}
		})
	}
}

// TestServerCannotSayWhenItWasProbed: only the client decides.
func TestServerCannotSayWhenItWasProbed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := testserver.Script(func(line string) []string {
			if methodOf([]byte(line)) != "initialize" {
				return nil
			}
			return []string{`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"},"probed":7,"streamLate":7}}` + "\n"}
		})
		c := connectStream(t, server.Pipe(), &mcp.Options{ProtocolVersions: []string{legacy}})
		if s := c.CachedServer(); s.Probed.Unix() == 7 || !s.StreamLate.IsZero() {
			t.Errorf("probed at %v, late at %v", s.Probed, s.StreamLate)
		}
	})
}

// TestSilenceIsRememberedAsLegacy: a legacy server that never responds to the probe is
// remembered as legacy, until it responds.
func TestSilenceIsRememberedAsLegacy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, started := servers(testserver.Options{Fault: "discover-silent"})
		c := connectTransport(t, tr, nil)
		wantDuration(t, 0, func() { connectTransport(t, tr, &mcp.Options{CachedServer: c.CachedServer()}) })
		synctest.Wait()
		if got := receivedMethods((*started)[1]); !slices.Equal(got, []string{"initialize", "notifications/initialized"}) {
			t.Errorf("sent %q", got)
		}
	})
}

// TestConnectToServerThatProbeWedges prints how long Connect takes with a server
// that starts in 50 ms, never responds to server/discover, and exits on the next
// message. How long that may take counts in measured figures.
func TestConnectToServerThatProbeWedges(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("did not run: there is no shell")
	}
	tr, stderr := process(&testserver.Options{Fault: "discover-wedges"})
	tr.Name, tr.Args = "sh", []string{"-c", `sleep 0.05; exec "$0"`, tr.Name}
	tr.InheritEnv = true
	var known, learned *mcp.ServerInfo
	for _, tt := range []struct {
		name string
		most time.Duration
		sent string
	}{
		{"first", 1800 * time.Millisecond, "server/discover initialize initialize notifications/initialized"},
		{"again", 700 * time.Millisecond, "initialize notifications/initialized"},
	} {
		if os.Getenv("STDMCP_FIGURES") == "" {
			tt.most = time.Minute
		}
		took := testutil.BestOf(tt.most, func() time.Duration {
			var sent []string
			began := time.Now()
			c, err := mcp.Connect(t.Context(), tr, &mcp.Options{CachedServer: known, Trace: &mcp.Trace{Message: func(_ context.Context, out bool, data []byte) {
				if _, rest, ok := strings.Cut(string(data), `"method":"`); out && ok {
					method, _, _ := strings.Cut(rest, `"`)
					sent = append(sent, method)
				}
			}}})
			took := time.Since(began)
			if err != nil {
				t.Fatal(err, stderr)
			}
			if _, err := c.CallTool(t.Context(), "echo", map[string]any{"message": "hi"}); err != nil {
				t.Error(err)
			}
			learned = c.CachedServer()
			c.Close()
			if got := strings.TrimSuffix(strings.Join(sent, " "), " tools/call"); got != tt.sent {
				t.Errorf("%s: sent %s, want %s", tt.name, got, tt.sent)
			}
			return took
		})
		known = learned
		if took > tt.most {
			t.Errorf("%s: took %v, want at most %v", tt.name, took, tt.most)
		}
		t.Logf("%s: connected after %v", tt.name, took.Round(time.Millisecond))
	}
}
