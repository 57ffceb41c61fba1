package dialers_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// TestHTTPAlone has an agent whose settings name Streamable HTTP with and without
// the stream of a session, and no OAuth.
func TestHTTPAlone(t *testing.T) {
	refuse := func(status int) string {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "no", status)
		}))
		t.Cleanup(srv.Close)
		return srv.URL
	}
	server := mcptest.New(t)
	server.ProtocolVersions = []string{mcp.ProtocolVersion20251125}
	server.Tool("team", nil, func(*mcptest.Call) (any, error) { return "blue", nil })
	handler := server.Handler(nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		team, stream := r.Header.Get("X-Team"), r.Method == http.MethodGet
		if r.Header.Get("Authorization") != "Bearer s3cret" || team == "blue" || team == "red" && stream {
			t.Errorf("%s with the headers %v", r.Method, r.Header)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	base := http.Header{"X-Team": {"blue"}}
	h := host.New(&host.Options{Retry: host.Retry{Max: -1}, Dialers: host.Dialers{
		"http": dialers.HTTP(&streamhttp.Options{NoStream: true, Header: base}),
		"sse":  dialers.HTTP(nil),
	}})
	defer h.Shutdown(context.Background())
	token := config.Auth{Type: config.AuthBearer, Token: "s3cret"}
	gone := httptest.NewServer(nil)
	gone.Close()
	d := h.SetServers(t.Context(), []*host.Server{
		{Name: "http", Type: config.HTTP, URL: web.URL + "/mcp", Auth: token, Headers: map[string]string{"X-Team": "red"}},
		{Name: "sse", Type: config.SSE, URL: web.URL + "/mcp", Auth: token},
		{Name: "login", Type: config.HTTP, URL: refuse(http.StatusUnauthorized)},
		{Name: "oauth", Type: config.HTTP, URL: refuse(http.StatusUnauthorized), Auth: config.Auth{Type: config.AuthOAuth}},
		{Name: "busy", Type: config.HTTP, URL: refuse(http.StatusBadGateway)},
		{Name: "moved", Type: config.HTTP, URL: refuse(http.StatusGone)},
		{Name: "gone", Type: config.HTTP, URL: gone.URL},
	})
	if len(d.Errors) != 5 || !slices.Equal(base["X-Team"], []string{"blue"}) {
		t.Errorf("%v, and the options have the headers %v", d.Errors, base)
	}
	for name, want := range map[string]host.Category{"login": host.CategoryAuthentication, "oauth": host.CategoryAuthentication,
		"busy": host.CategoryConnection, "gone": host.CategoryConnection, "moved": host.CategoryConfiguration} {
		if e := (*host.Error)(nil); !errors.As(d.Errors[name], &e) || e.Category != want {
			t.Errorf("%s: %+v, want the category %s", name, d.Errors[name], want)
		}
	}
	for _, server := range []string{"http", "sse"} {
		if res, err := h.CallTool(t.Context(), server, "team", nil); err != nil || res.Text() != "blue" {
			t.Errorf("%s: %v, %v", server, res, err)
		}
	}
	if _, err := dialers.HTTP(nil)(t.Context(), nil); err == nil {
		t.Error("no error for no parameters")
	}
}

func ExampleHTTP() {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "who are you?", http.StatusUnauthorized)
	}))
	defer web.Close()
	h := host.New(&host.Options{Dialers: host.Dialers{
		config.Stdio: host.Stdio,
		config.HTTP:  dialers.HTTP(&streamhttp.Options{NoStream: true}),
	}})
	ctx := context.Background()
	defer h.Shutdown(ctx)
	h.SetServers(ctx, []*host.Server{{Name: "github", Type: config.HTTP, URL: web.URL}})
	for _, s := range h.Status() {
		fmt.Println(s.Name, s.Word())
	}
	// Output: github needs-auth
}
