package dialers_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
	"github.com/stdmcp/stdmcp/mcp/oauth"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// TestServerBehindLoadBalancer: connections keep the cookie by which a load balancer
// finds the session, unless the program has an http.Client or a cookie of its own.
func TestServerBehindLoadBalancer(t *testing.T) {
	web, err := testserver.StartHTTP(testserver.New(&testserver.Options{Fault: "session-sticky"}), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	for _, tt := range []struct {
		name   string
		dialer host.Dialer
		header map[string]string
		works  bool
	}{
		{"HTTP", dialers.HTTP(nil), nil, true},
		{"All", dialers.All(nil)[config.HTTP], nil, true},
		{"OAuth", dialers.All(&dialers.Options{OAuth: &oauth.Options{}})[config.HTTP], nil, true},
		{"cookie", dialers.HTTP(nil), map[string]string{"cookie": "a=b"}, false},
		{"client", dialers.All(&dialers.Options{Client: &http.Client{Transport: http.DefaultTransport}})[config.HTTP], nil, false},
		{"client with OAuth", dialers.All(&dialers.Options{Client: &http.Client{}, OAuth: &oauth.Options{}})[config.HTTP], nil, false},
	} {
		h := host.New(&host.Options{Dialers: host.Dialers{config.HTTP: tt.dialer}, Retry: host.Retry{Max: -1}})
		err := h.AddServer(t.Context(), &host.Server{Name: "x", URL: web.URL, Headers: tt.header})
		if err == nil {
			_, err = h.CallTool(t.Context(), "x", "echo", map[string]any{"message": "hi"})
		}
		if (err == nil) != tt.works {
			t.Errorf("%s: %v", tt.name, err)
		}
		h.Shutdown(context.Background())
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	for _, client := range []*http.Client{nil, oauth.New(web.URL, nil).Client()} {
		c, err := mcp.Connect(t.Context(), streamhttp.New(web.URL, &streamhttp.Options{Client: client}), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.CallTool(t.Context(), "echo", map[string]any{"message": "hi"}); err != nil {
			t.Error(err)
		}
		c.Close()
		if client != nil {
			client.CloseIdleConnections()
		}
	}
}
