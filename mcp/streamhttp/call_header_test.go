package streamhttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// tenant is a header for one call, with two values and a name that is not canonical.
var tenant = map[string][]string{"x-tenant": {"first", "second"}}

// callWithTenant calls a tool with that header.
func callWithTenant(t *testing.T, c *mcp.Client) {
	t.Helper()
	res, err := c.Do(within(t, callTimeout), &mcp.ToolCall{Name: "x", Header: tenant})
	if err != nil || res.Text() != "done" {
		t.Errorf("%v, %v", res, err)
	}
}

// tenants returns the requests with that header, such as "POST tools/call", after the
// end of the test's client.
func (s *server) tenants(t *testing.T) (list []string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.seen {
		switch values := r.HTTP.Header.Values("X-Tenant"); {
		case slices.Equal(values, tenant["x-tenant"]):
			list = append(list, strings.TrimSpace(r.HTTP.Method+" "+r.Method))
		case values != nil:
			t.Errorf("%s %s with %q", r.HTTP.Method, r.Method, values)
		}
	}
	return list
}

func (s *server) wantTenants(t *testing.T, want ...string) {
	t.Helper()
	if got := s.tenants(t); !slices.Equal(got, want) {
		t.Errorf("the header came with %q, want %q", got, want)
	}
}

func TestHeaderOfOneCall(t *testing.T) {
	both(t, func(t *testing.T, s *server) {
		c := s.open(t, &streamhttp.Options{Header: http.Header{"X-Key": {"all"}, "X-Tenant": nil}}, nil)
		callTool(t, c, "before")
		res, err := c.Do(t.Context(), &mcp.ToolCall{Name: "x", Header: map[string][]string{"x-key": {"one"}, "x-tenant": tenant["x-tenant"]}})
		if err != nil || res.Text() != "done" {
			t.Error(res, err)
		}
		callTool(t, c, "after")
		c.Close()
		s.wantTenants(t, "POST tools/call")
		for _, r := range s.got("tools/call") {
			want := "all"
			if r.Params.Name == "x" {
				want = "one"
			}
			if got := r.HTTP.Header.Values("X-Key"); !slices.Equal(got, []string{want}) {
				t.Errorf("call of %s with %q, want %s", r.Params.Name, got, want)
			}
		}
	})
}

// TestHeaderOfCallIsNotShared with calls of the same tool, which have equal headers
// otherwise.
func TestHeaderOfCallIsNotShared(t *testing.T) {
	both(t, func(t *testing.T, s *server) {
		c := s.open(t, nil, nil)
		callTool(t, c, "x")
		callWithTenant(t, c)
		callTool(t, c, "x")
		s.wantTenants(t, "POST tools/call")
	})
}

// TestHeaderOfCallIsRepeated with each round of a call, and after the loss of its
// session, but not with the handshake of the next one.
func TestHeaderOfCallIsRepeated(t *testing.T) {
	t.Run("rounds", func(t *testing.T) {
		s := &server{version: modern}
		s.call = func(w http.ResponseWriter, r *request) {
			if len(s.got("tools/call")) == 1 {
				r.answer(w, `{"resultType":"input_required","requestState":"s"}`)
				return
			}
			r.answer(w, done)
		}
		callWithTenant(t, s.open(t, nil, nil))
		s.wantTenants(t, "POST tools/call", "POST tools/call")
	})
	t.Run("lost session", func(t *testing.T) {
		f := newForgetful()
		c := f.open(t, nil, nil)
		f.lose()
		callWithTenant(t, c)
		f.wantTenants(t, "POST tools/call", "POST tools/call")
	})
	t.Run("redirect within the origin", func(t *testing.T) {
		both(t, func(t *testing.T, s *server) {
			s.call = func(w http.ResponseWriter, r *request) {
				if r.HTTP.URL.Path == "/" {
					http.Redirect(w, r.HTTP, "/elsewhere", http.StatusPermanentRedirect)
					return
				}
				r.answer(w, done)
			}
			callWithTenant(t, s.open(t, nil, nil))
			s.wantTenants(t, "POST tools/call", "POST tools/call")
		})
	})
}

// TestHeaderOfCallThatContinues: the request for the rest of the response has the
// header, but not the one for the stream of the session.
func TestHeaderOfCallThatContinues(t *testing.T) {
	s := &server{session: "s"}
	calls := make(chan *request, 1)
	s.call = func(w http.ResponseWriter, r *request) {
		calls <- r
		events(w, "id: 1\nretry: 1\ndata:\n\n")
	}
	s.get = func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-ID") == "" {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		events(w, "data: "+(<-calls).result(done)+"\n\n")
	}
	callWithTenant(t, s.open(t, nil, nil))
	s.wantTenants(t, "POST tools/call", "GET")
	if n := len(s.got("GET")); n != 2 {
		t.Errorf("%d GETs", n)
	}
}

// TestCancellationWithoutHeader: a header may be a signature of the call.
func TestCancellationWithoutHeader(t *testing.T) {
	s := &server{session: "s"}
	ctx, cancel := context.WithCancel(t.Context())
	s.call = func(_ http.ResponseWriter, r *request) {
		cancel()
		s.hang(r.HTTP)
	}
	c := s.open(t, nil, nil)
	_, err := c.Do(ctx, &mcp.ToolCall{Name: "x", Header: tenant})
	wantError(t, err, context.Canceled)
	if !testutil.Eventually(func() bool { return len(s.got("notifications/cancelled")) == 1 }) {
		t.Error("no cancellation")
	}
	s.wantTenants(t, "POST tools/call")
}

func TestHeaderOfCallStaysInItsOrigin(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another origin got %s %v", r.Method, r.Header)
	}))
	defer other.Close()
	both(t, func(t *testing.T, s *server) {
		s.call = func(w http.ResponseWriter, r *request) {
			http.Redirect(w, r.HTTP, other.URL+"/mcp", http.StatusTemporaryRedirect)
		}
		_, err := s.open(t, nil, nil).Do(t.Context(), &mcp.ToolCall{Name: "x", Header: tenant})
		wantError(t, err, nil, "another origin")
	})
}

func TestInvalidHeaderOfCall(t *testing.T) {
	both(t, func(t *testing.T, s *server) {
		c := s.open(t, nil, &mcp.Options{Trace: &mcp.Trace{Message: func(_ context.Context, sent bool, data []byte) {
			if sent && strings.Contains(string(data), "topsecret") {
				t.Error("traced as sent")
			}
		}}})
		for _, tt := range []struct{ name, value, says string }{
			{"X-A", "topsecret\r\nX-B: 1", "control character"},
			{"X-A", "topsecret\x00", "control character"},
			{"X-A", "topsecret\n", "control character"},
			{"X A", "topsecret", "invalid name"},
			{"X-A\r\nX-B", "topsecret", "invalid name"},
			{"", "topsecret", "invalid name"},
			{"mcp-session-id", "topsecret", "only the transport"},
			{"Mcp-Param-Region", "topsecret", "only the transport"},
			{"content-type", "topsecret", "only the transport"},
			{"Accept", "topsecret", "only the transport"},
			{"last-event-id", "topsecret", "only the transport"},
			{"host", "topsecret", "only the transport"},
			{"Content-Length", "1", "only the transport"},
			{"connection", "close", "only the transport"},
			{"Transfer-Encoding", "chunked", "only the transport"},
			{"authorization", "Bearer topsecret", "only the transport"},
			{"cookie", "topsecret", "only the transport"},
		} {
			before := len(s.got("POST"))
			_, err := c.Do(t.Context(), &mcp.ToolCall{Name: "x", Arguments: map[string]any{"a": "topsecret"}, Header: http.Header{tt.name: {"good", tt.value}}})
			wantError(t, err, nil, `header "`, tt.says)
			if err != nil && strings.Contains(err.Error(), "topsecret") {
				t.Error(err)
			}
			if after := len(s.got("POST")); after != before {
				t.Errorf("%q: %d requests", tt.name, after-before)
			}
		}
		callTool(t, c, "x")
	})
}

// TestHeaderOfCallIsMasked whatever the name of the field is.
func TestHeaderOfCallIsMasked(t *testing.T) {
	both(t, func(t *testing.T, s *server) {
		s.call = func(w http.ResponseWriter, r *request) {
			http.Error(w, "unknown: "+r.HTTP.Header.Get("X-Tenant"), http.StatusForbidden)
		}
		_, err := s.open(t, nil, nil).Do(t.Context(), &mcp.ToolCall{Name: "x", Header: tenant})
		wantError(t, err, nil, "unknown: ***")
	})
}

// TestInterceptorSetsHeader for any method, in place of the header of the call.
func TestInterceptorSetsHeader(t *testing.T) {
	both(t, func(t *testing.T, s *server) {
		given := http.Header{"x-trace": {"the caller's"}, "x-other": {"1"}}
		c := s.open(t, nil, &mcp.Options{Interceptors: []mcp.Interceptor{func(ctx context.Context, call *mcp.OutgoingCall) (mcp.RawMessage, error) {
			call.SetHeader("X-Trace", "of "+call.Method)
			return call.Send(ctx)
		}}})
		if _, err := c.Do(t.Context(), &mcp.ToolCall{Name: "x", Header: given}); err != nil {
			t.Error(err)
		}
		_, _ = c.Call(t.Context(), "resources/read", map[string]any{"uri": "x:"}) // unknown to the server
		for _, method := range []string{"tools/call", "resources/read"} {
			for _, r := range s.got(method) {
				if got := r.HTTP.Header.Values("X-Trace"); !slices.Equal(got, []string{"of " + method}) {
					t.Errorf("%s with %q", method, got)
				}
				if got := r.HTTP.Header.Get("X-Other"); (got == "1") != (method == "tools/call") {
					t.Errorf("%s with %q", method, got)
				}
			}
		}
		if given.Get("X-Trace") != "" || len(given) != 2 || len(s.got("tools/call")) != 1 || len(s.got("resources/read")) != 1 {
			t.Error(given)
		}
	})
}
