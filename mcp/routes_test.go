package mcp_test

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// A route is an era and a transport between client and server.
type route struct{ version, over string }

// routes are those over which everything must work.
var routes = []route{
	{modern, "stdio"}, {legacy, "stdio"},
	{modern, "http"}, {legacy, "http"},
	{legacy, "sse"},
}

// onEveryRoute runs f with each route, under synctest.
func onEveryRoute(t *testing.T, f func(t *testing.T, p route)) {
	for _, p := range routes {
		t.Run(p.over+"/"+p.version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { f(t, p) })
		})
	}
}

// server returns a server with options o and the protocol version of the route.
func (p route) server(o testserver.Options) *testserver.Server {
	o.ProtocolVersions = []string{p.version}
	return testserver.New(&o)
}

// transport returns a transport to the server.
func (p route) transport(t *testing.T, s *testserver.Server) mcp.Transport {
	t.Helper()
	if p.over == "stdio" {
		return overStream(s.Pipe())
	}
	web, err := testserver.StartHTTP(s, &testserver.HTTPOptions{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	client := web.Client()
	t.Cleanup(func() {
		client.Transport.(*http.Transport).CloseIdleConnections()
		web.Close()
	})
	if p.over == "sse" {
		return sse.New(web.SSE, &sse.Options{Client: client})
	}
	return streamhttp.New(web.URL, &streamhttp.Options{Client: client})
}

// open connects to s until the end of the test, when s must not have recorded a
// violation of the protocol.
func (p route) open(t *testing.T, s *testserver.Server, o *mcp.Options) *mcp.Client {
	t.Helper()
	c, err := mcp.Connect(t.Context(), p.transport(t, s), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		if v := s.Violations(); v != nil {
			t.Errorf("protocol violations: %q", v)
		}
	})
	return c
}

func TestEveryEraOverHTTP(t *testing.T) {
	for _, f := range features {
		t.Run(f.name, func(t *testing.T) {
			onEveryRoute(t, func(t *testing.T, p route) {
				if p.over != "stdio" { // is tested elsewhere
					f.test(t, p.open(t, p.server(testserver.Options{}), nil))
				}
			})
		})
	}
}
