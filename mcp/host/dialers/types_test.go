package dialers_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
)

// newTypedHost returns a host that retries nothing, and a function for its events so
// far of the kind TransportChanged.
func newTypedHost(t *testing.T, strict bool) (h *host.Host, changes func() []error) {
	h = host.New(&host.Options{Dialers: dialers.All(nil), Retry: host.Retry{Max: -1}, StrictTypes: strict, ConnectTimeout: testutil.Timeout})
	events := h.Events(t.Context())
	t.Cleanup(func() { h.Shutdown(context.Background()) })
	return h, func() (errs []error) {
		for {
			select {
			case e := <-events:
				if e.Kind == host.TransportChanged {
					errs = append(errs, e.Err)
				}
			default:
				return errs
			}
		}
	}
}

// TestWrongTypeIsCorrected: the server uses the other transport than its type names.
func TestWrongTypeIsCorrected(t *testing.T) {
	newServer := func(o *testserver.HTTPOptions) *testserver.HTTPServer {
		s, err := testserver.StartHTTP(testserver.New(nil), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	for kind, tt := range map[string]struct{ url, uses string }{
		config.SSE:  {newServer(nil).URL, config.HTTP},
		config.HTTP: {newServer(&testserver.HTTPOptions{SSEOnly: true}).SSE, config.SSE},
	} {
		s := &host.Server{Name: "x", Type: kind, URL: tt.url}
		h, changes := newTypedHost(t, false)
		if err := h.AddServer(t.Context(), s); err != nil {
			t.Errorf("type %s: %v", kind, err)
			continue
		}
		status, _ := h.ServerStatus("x")
		want := "[MCP:x] connected over " + tt.uses + " instead of " + kind + ": "
		if c := changes(); status.Transport != tt.uses || len(c) != 1 || !strings.HasPrefix(c[0].Error(), want) {
			t.Errorf("type %s: transport %s, events %v; want %s", kind, status.Transport, c, want)
		}

		h, changes = newTypedHost(t, true)
		err := h.AddServer(t.Context(), s)
		var e *host.Error
		if !errors.As(err, &e) || e.Category != host.CategoryConfiguration || !strings.Contains(err.Error(), "; StrictTypes excludes the transport "+tt.uses) {
			t.Errorf("strict, type %s: %v", kind, err)
		}
		if c := changes(); len(c) != 0 {
			t.Errorf("strict: %v", c)
		}
	}
}

// TestOtherTransportIsTriedAfterSomeResponses: only after those that a server of the
// other transport may send. The URL stays the same.
func TestOtherTransportIsTriedAfterSomeResponses(t *testing.T) {
	for _, tt := range []struct {
		status      int
		contentType string
		tried       bool
		category    host.Category
	}{
		{400, "", true, host.CategoryConfiguration}, {404, "", true, host.CategoryConfiguration}, {405, "", true, host.CategoryConfiguration},
		{406, "", true, host.CategoryConfiguration}, {415, "", true, host.CategoryConfiguration}, {200, "text/html", true, host.CategoryProtocol},
		{401, "", false, host.CategoryAuthentication}, {403, "", false, host.CategoryAuthentication}, {410, "", false, host.CategoryConfiguration},
		{429, "", false, host.CategoryConnection}, {500, "", false, host.CategoryConnection}, {503, "", false, host.CategoryConnection},
	} {
		for _, kind := range []string{config.HTTP, config.SSE} {
			var gets, posts, others atomic.Int64
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path != "/mcp":
					others.Add(1) // such as the metadata of an authorization server
				case r.Method == http.MethodGet:
					gets.Add(1)
				case r.Method == http.MethodPost:
					posts.Add(1)
				}
				if tt.contentType != "" {
					w.Header().Set("Content-Type", tt.contentType)
				}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, "<p>no")
			}))
			h, changes := newTypedHost(t, false)
			err := h.AddServer(t.Context(), &host.Server{Name: "x", Type: kind, URL: s.URL + "/mcp"})
			s.Close()
			var e *host.Error
			if !errors.As(err, &e) || e.Category != tt.category {
				t.Errorf("%d, %s: %v", tt.status, kind, err)
				continue
			}
			first, second := &posts, &gets
			if kind == config.SSE {
				first, second = second, first
			}
			both := strings.Contains(err.Error(), "over "+kind+", then ")
			if first.Load() == 0 || second.Load() > 0 != tt.tried || both != tt.tried || len(changes()) > 0 || tt.tried && others.Load() > 0 {
				t.Errorf("%d, %s: %d POST, %d GET, %d others: %v", tt.status, kind, posts.Load(), gets.Load(), others.Load(), err)
			}
		}
	}
}

// TestOtherTransportIsNotTriedWithoutAResponse: neither if TLS fails nor after a timeout.
func TestOtherTransportIsNotTriedWithoutAResponse(t *testing.T) {
	var requests atomic.Int64
	count := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		<-r.Context().Done()
	})
	secure, silent := httptest.NewTLSServer(count), httptest.NewServer(count)
	defer secure.Close()
	defer silent.Close()
	for _, url := range []string{secure.URL, silent.URL} {
		h, _ := newTypedHost(t, false)
		err := h.AddServer(t.Context(), &host.Server{Name: "x", Type: config.SSE, URL: url, ConnectTimeout: 200_000_000})
		if err == nil || strings.Contains(err.Error(), "then") || requests.Swap(0) > 1 {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// TestFailureOfOtherTransport: if it requires a login, the user has to log in instead of
// correcting the type. Otherwise the response to the declared type counts.
func TestFailureOfOtherTransport(t *testing.T) {
	for status, category := range map[int]host.Category{401: host.CategoryAuthentication, 503: host.CategoryConfiguration} {
		for kind, refused := range map[string]string{config.SSE: "GET", config.HTTP: "POST", "": "POST"} {
			if kind == "" && status != 401 {
				continue
			}
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(map[bool]int{true: 405, false: status}[r.Method == refused])
			}))
			h, _ := newTypedHost(t, false)
			err := h.AddServer(t.Context(), &host.Server{Name: "x", Type: kind, URL: s.URL})
			s.Close()
			var e *host.Error
			if !errors.As(err, &e) || e.Category != category {
				t.Errorf("type %q, %d: %v", kind, status, err)
			}
		}
	}
}
