package mcp_test

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// A place is where a client meets a server: in an era, over a transport.
type route struct{ version, over string }

// places are those where everything must work.
var routes = []route{
	{modern, "stdio"}, {legacy, "stdio"},
	{modern, "http"}, {legacy, "http"},
	{legacy, "sse"},
}

// everywhere runs f in each place, in a bubble.
func onEveryRoute(t *testing.T, f func(t *testing.T, p route)) {
	for _, p := range routes {
		t.Run(p.over+"/"+p.version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { f(t, p) })
		})
	}
}

// server returns a server as o says, which speaks the place's revision.
func (p route) server(o testserver.Options) *testserver.Server {
	o.ProtocolVersions = []string{p.version}
	return testserver.New(&o)
}

// transport returns what reaches the server in the bubble.
func (p route) transport(t *testing.T, s *testserver.Server) mcp.Transport {
	t.Helper()
	if p.over == "stdio" {
		return stdio.Stream(s.Pipe())
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

// open connects to s. When the test ends the client is closed, and s must have
// nothing to complain about.
func (p route) open(t *testing.T, s *testserver.Server, o *mcp.Options) *mcp.Client {
	t.Helper()
	c, err := mcp.Connect(t.Context(), p.transport(t, s), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		if v := s.Violations(); v != nil {
			t.Errorf("the server complains: %q", v)
		}
	})
	return c
}

func TestEveryEraOverHTTP(t *testing.T) {
	for _, f := range features {
		t.Run(f.name, func(t *testing.T) {
			onEveryRoute(t, func(t *testing.T, p route) {
				if p.over != "stdio" { // has tests of its own
					f.test(t, p.open(t, p.server(testserver.Options{}), nil))
				}
			})
		})
	}
}
