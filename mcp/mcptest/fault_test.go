package mcptest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// TestFaults injects each fault into a call and checks how it ends, and that the
// next call succeeds, on a new connection if the fault has ended the old one.
func TestFaults(t *testing.T) {
	anyError := errors.New("any error")
	for _, test := range []struct {
		fault             mcptest.Fault
		memory, http, sse error // of the call; nil is success
	}{
		{mcptest.Drop(), context.DeadlineExceeded, context.DeadlineExceeded, context.DeadlineExceeded},
		{mcptest.Delay(3 * time.Second), nil, nil, nil},
		{mcptest.Crash(), jsonrpc.ErrClosed, anyError, anyError},
		{mcptest.LoseSession(), jsonrpc.ErrClosed, nil, anyError},
		{mcptest.Malformed(), jsonrpc.ErrMalformed, jsonrpc.ErrMalformed, jsonrpc.ErrMalformed},
		{mcptest.Flood(1000), nil, nil, nil},
		{mcptest.Expire(), anyError, anyError, anyError},
		{mcptest.Refuse(7, "not $id"), anyError, anyError, anyError},
		{mcptest.Respond(`{"resultType":"complete","content":[{"type":"text","text":"$id"}]}`), nil, nil, nil},
		{mcptest.Respond(`[]`), jsonrpc.ErrMalformed, jsonrpc.ErrMalformed, jsonrpc.ErrMalformed},
	} {
		for _, version := range []string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20260728} {
			for _, way := range []string{"memory", "HTTP", "SSE"} {
				if way == "SSE" && version == mcp.ProtocolVersion20260728 {
					continue
				}
				t.Run(test.fault.String()+" "+version+" "+way, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						s := mcptest.New(t)
						s.ProtocolVersions = []string{version}
						greeter(s)
						want := test.memory
						var tr mcp.Transport = s
						if way != "memory" {
							want = test.http
							web := s.StartHTTP(&mcptest.HTTPOptions{InMemory: true})
							tr = streamhttp.New(web.URL, &streamhttp.Options{Client: web.Client})
							if way == "SSE" {
								want = test.sse
								tr = sse.New(web.SSEURL, &sse.Options{Client: web.Client})
							}
						}
						connect := func() *mcp.Client {
							client, err := mcp.Connect(t.Context(), tr, &mcp.Options{Timeout: 5 * time.Second})
							if err != nil {
								t.Fatal(err)
							}
							return client
						}
						client := connect()
						s.Inject("greet", test.fault)
						_, err := client.CallTool(t.Context(), "greet", nil)
						if (want == nil) != (err == nil) || want != anyError && !errors.Is(err, want) {
							t.Errorf("error %v, want %v", err, want)
						}
						if errors.Is(err, jsonrpc.ErrClosed) {
							client.Close()
							client = connect()
						}
						_, err = client.CallTool(t.Context(), "greet", nil)
						if expired := way != "memory" && test.fault.String() == "Expire"; (err != nil) != expired {
							t.Errorf("the next call: %v", err)
						}
						client.Close()
					})
				})
			}
		}
	}
}

// TestSlowServer: a client that did not wait for the response to server/discover is
// no violation.
func TestSlowServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mcptest.New(t)
		greeter(s)
		s.Inject("server/discover", mcptest.Delay(time.Minute))
		client := s.Connect(nil)
		if v := client.Server().ProtocolVersion; v != mcp.ProtocolVersion20251125 {
			t.Errorf("connected with %s", v)
		}
	})
	s := mcptest.New(t)
	conn, err := s.Open(t.Context(), jsonrpc.Handler{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const meta = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`
	if _, err := conn.Call(t.Context(), &jsonrpc.Request{Method: "server/discover", Params: []byte(meta)}); err != nil {
		t.Fatal(err)
	}
	var refused *jsonrpc.Error
	_, err = conn.Call(t.Context(), &jsonrpc.Request{Method: "initialize",
		Params: []byte(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"slow","version":"1"}}`)})
	if !errors.As(err, &refused) {
		t.Errorf("initialize after server/discover: %v", err)
	}
}
