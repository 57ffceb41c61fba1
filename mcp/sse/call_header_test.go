package sse

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

func TestHeaderOfOneCall(t *testing.T) {
	s := serve(t, func(s *stream) { s.answer(3); s.wait() })
	conn := s.open(t, &Options{Header: http.Header{"X-Key": {"all"}}}, jsonrpc.Handler{})
	own := map[string][]string{"x-key": {"one"}, "x-tenant": {"a", "b"}}
	call(t, conn, "{}")
	if _, err := conn.Call(t.Context(), &jsonrpc.Request{Method: "m", Params: []byte("{}"), HTTP: jsonrpc.HTTP{Header: own}}); err != nil {
		t.Error(err)
	}
	clear(own) // which the connection no longer uses
	call(t, conn, "{}")
	for i, want := range []string{"all ", "one a b", "all "} {
		h := <-s.headers
		if got := strings.Join(append(h.Values("X-Key"), strings.Join(h.Values("X-Tenant"), " ")), " "); got != want {
			t.Errorf("call %d with %q, want %q", i, got, want)
		}
	}
}

// TestCancellationWithoutHeader: a header may be a signature of the call.
func TestCancellationWithoutHeader(t *testing.T) {
	s := serve(t, (*stream).wait)
	conn := s.open(t, nil, jsonrpc.Handler{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req := cancelled()
	req.HTTP.Header = map[string][]string{"X-Tenant": {"a"}}
	go func() { <-s.posted; cancel() }()
	if _, err := conn.Call(ctx, req); err != context.Canceled {
		t.Error(err)
	}
	for i, want := range []string{"a", ""} {
		if got := (<-s.headers).Get("X-Tenant"); got != want {
			t.Errorf("message %d with %q, want %q", i, got, want)
		}
	}
}

func TestHeaderOfCallStaysInItsOrigin(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another origin got %s %v", r.Method, r.Header)
	}))
	defer other.Close()
	s := serve(t, (*stream).wait)
	s.accept = func(w http.ResponseWriter, r *http.Request, _ *jsonrpc.Message) {
		if r.Header.Get("X-Tenant") != "topsecret" {
			t.Error(r.Header)
		}
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}
	conn := s.open(t, nil, jsonrpc.Handler{})
	_, err := conn.Call(within(t, callTimeout), &jsonrpc.Request{Method: "m", HTTP: jsonrpc.HTTP{Header: map[string][]string{"X-Tenant": {"topsecret"}}}})
	if err == nil || !strings.Contains(err.Error(), "another origin") {
		t.Error(err)
	}
}

func TestInvalidHeaderOfCall(t *testing.T) {
	s := serve(t, (*stream).wait)
	conn := s.open(t, nil, jsonrpc.Handler{Trace: func(sent bool, data []byte) {
		if sent {
			t.Errorf("sent %s", data)
		}
	}})
	for name, value := range map[string]string{
		"X-A": "topsecret\r\n", "X A": "topsecret", "authorization": "topsecret", "content-type": "topsecret", "mcp-protocol-version": "topsecret",
	} {
		req := &jsonrpc.Request{Method: "m", HTTP: jsonrpc.HTTP{Header: map[string][]string{name: {value}}}}
		_, err := conn.Call(within(t, callTimeout), req)
		for _, err := range []error{err, conn.Notify(t.Context(), req)} {
			if err == nil || !strings.HasPrefix(err.Error(), "header ") || strings.Contains(err.Error(), "topsecret") {
				t.Fatalf("%q: %v", name, err)
			}
		}
	}
	if n := len(s.posted); n != 0 {
		t.Errorf("%d messages", n)
	}
}

// TestHeaderOfCallIsMasked whatever the name of the field is.
func TestHeaderOfCallIsMasked(t *testing.T) {
	s := serve(t, (*stream).wait)
	s.accept = func(w http.ResponseWriter, r *http.Request, _ *jsonrpc.Message) {
		http.Error(w, "unknown: "+r.Header.Get("X-Tenant"), http.StatusForbidden)
	}
	conn := s.open(t, nil, jsonrpc.Handler{})
	_, err := conn.Call(within(t, callTimeout), &jsonrpc.Request{Method: "m", HTTP: jsonrpc.HTTP{Header: map[string][]string{"X-Tenant": {"topsecret"}}}})
	if err == nil || !strings.Contains(err.Error(), "unknown: ***") {
		t.Error(err)
	}
}
