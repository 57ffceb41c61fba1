//lint:file-ignore SA1019 the proxy passes sampling and roots as long as clients use them

package interop

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestClientsThroughTheProxy: clients by other authors use the echo server through
// "mcpecho proxy", over stdio and HTTP on either side. The official TypeScript client
// does so in the modern era, and go-sdk's in the legacy one: with progress, requests of
// the server, changes of lists, a cancellation, and a thousand calls at once.
func TestClientsThroughTheProxy(t *testing.T) {
	mcpecho := peer(t, "mcpecho")
	for version, use := range map[string]func(*testing.T, *instance){"2026-07-28": useOfficial, "2025-11-25": useGoSDK} {
		server := []string{mcpecho, "serve", "--protocol", version}
		web := serving(t, exec.Command(mcpecho, append(server[1:], "--http", "127.0.0.1:0")...))
		proxy := func(back ...string) []string { return append([]string{mcpecho, "proxy"}, back...) }
		front := func(back ...string) string {
			return serving(t, exec.Command(mcpecho, append([]string{"proxy", "--http", "127.0.0.1:0"}, back...)...))
		}
		program := append([]string{"--"}, server...)
		for name, i := range map[string]*instance{
			"stdio to stdio": {kind: "stdio", argv: proxy(program...)},
			"stdio to HTTP":  {kind: "stdio", argv: proxy(web)},
			"HTTP to stdio":  {kind: "http", url: front(program...)},
			"HTTP to HTTP":   {kind: "http", url: front(web)},
		} {
			t.Run(version+" "+name, func(t *testing.T) { use(t, i) })
		}
	}
}

// useOfficial calls tools with the official TypeScript client.
func useOfficial(t *testing.T, i *instance) {
	t.Helper()
	a := newOfficial(t).run(t, i, []json.RawMessage{
		json.RawMessage(`{"name":"echo","arguments":{"message":"through the proxy"}}`),
		json.RawMessage(`{"name":"add","arguments":{"a":2,"b":40}}`),
		json.RawMessage(`{"name":"slow","arguments":{"seconds":0.05,"steps":3}}`),
	})
	for n, want := range []string{"through the proxy", "42", "text"} {
		if call := a.Calls[n]; a.Mode != "auto" || !strings.Contains(string(call.Result), want) {
			t.Errorf("mode %s: %s %v, want %s", a.Mode, call.Result, call.Error, want)
		}
	}
}

// useGoSDK uses a server with the client of go-sdk.
func useGoSDK(t *testing.T, i *instance) {
	t.Helper()
	var transport gosdk.Transport = &gosdk.StreamableClientTransport{Endpoint: i.url}
	if i.kind == "stdio" {
		transport = &gosdk.CommandTransport{Command: exec.Command(i.argv[0], i.argv[1:]...)}
	}
	var progress, changes atomic.Int32
	changed := make(chan struct{}, 10)
	client := gosdk.NewClient(&gosdk.Implementation{Name: "proxy test", Version: "1"}, &gosdk.ClientOptions{
		CreateMessageHandler: func(context.Context, *gosdk.CreateMessageRequest) (*gosdk.CreateMessageResult, error) {
			return &gosdk.CreateMessageResult{Model: "m", Role: "assistant", Content: &gosdk.TextContent{Text: "a model's answer"}}, nil
		},
		ElicitationHandler: func(context.Context, *gosdk.ElicitRequest) (*gosdk.ElicitResult, error) {
			return &gosdk.ElicitResult{Action: "decline"}, nil
		},
		ProgressNotificationHandler: func(context.Context, *gosdk.ProgressNotificationClientRequest) { progress.Add(1) },
		ToolListChangedHandler: func(context.Context, *gosdk.ToolListChangedRequest) {
			changes.Add(1)
			changed <- struct{}{}
		},
	})
	client.AddRoots(&gosdk.Root{URI: "file:///root", Name: "root"})
	ctx, cancel := context.WithTimeout(t.Context(), testutil.Timeout)
	defer cancel()
	s, err := client.Connect(ctx, transport, nil)
	testutil.Must(t, err)
	var tokens atomic.Int32
	call := func(name string, arguments map[string]any) string {
		p := &gosdk.CallToolParams{Name: name, Arguments: arguments}
		p.SetProgressToken(fmt.Sprint("token ", tokens.Add(1)))
		res, err := s.CallTool(ctx, p)
		if err != nil {
			return err.Error()
		}
		return res.Content[0].(*gosdk.TextContent).Text
	}
	for name, want := range map[string]string{"ask_roots": "file:///root", "ask_sampling": "a model's answer", "ask_elicitation": "decline", "slow": ""} {
		if got := call(name, map[string]any{}); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if progress.Load() == 0 {
		t.Error("no progress")
	}
	call("add_tool", map[string]any{})
	select {
	case <-changed:
	case <-ctx.Done():
		t.Error("the change of the tools was not reported")
	}
	canceled, stop := context.WithCancel(ctx)
	context.AfterFunc(ctx, stop)
	done := make(chan error, 1)
	go func() { // ends with canceled
		_, err := s.CallTool(canceled, &gosdk.CallToolParams{Name: "slow", Arguments: map[string]any{"seconds": 1000}})
		done <- err
	}()
	stop()
	if err := <-done; err == nil {
		t.Error("a canceled call has a result")
	}
	const calls = 1000
	results := make(chan string, calls)
	for i := range calls {
		go func() { results <- call("echo", map[string]any{"message": fmt.Sprint("m", i)}) }() // ends with the response
	}
	seen := map[string]bool{}
	for range calls {
		seen[<-results] = true
	}
	for i := range calls {
		if !seen[fmt.Sprint("m", i)] {
			t.Fatalf("no result m%d among %d", i, len(seen))
		}
	}
	testutil.Must(t, s.Close())
}
