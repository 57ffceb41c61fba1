// Command go-sdk is a server of both eras that uses go-sdk, for the tests in
// internal/lab/interop. With the argument stdio it serves stdio. Otherwise it listens
// at the address in the argument or on a free port, prints its origin, and serves
// Streamable HTTP at /mcp and /json, with sessions, and at /stateless, and
// HTTP+SSE at /sse.
package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	s := newServer()
	if slices.Contains(os.Args, "stdio") {
		check(s.Run(context.Background(), &mcp.StdioTransport{}))
		return
	}
	get := func(*http.Request) *mcp.Server { return s }
	http.Handle("/mcp", mcp.NewStreamableHTTPHandler(get, nil))
	http.Handle("/json", mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{JSONResponse: true}))
	http.Handle("/stateless", mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true}))
	http.Handle("/sse", mcp.NewSSEHandler(get, nil))
	addr := "127.0.0.1:0"
	if len(os.Args) > 1 {
		addr = os.Args[1]
	}
	l, err := net.Listen("tcp", addr)
	check(err)
	os.Stdout.WriteString("http://" + l.Addr().String() + "\n")
	check(http.Serve(l, nil))
}

type (
	message struct {
		Message string `json:"message"`
	}
	numbers struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
	}
	sum struct {
		Sum float64 `json:"sum"`
	}
	steps struct {
		Steps int `json:"steps"`
	}
)

func newServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "modern", Version: "1.0.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: "Echoes"},
		func(_ context.Context, _ *mcp.CallToolRequest, in message) (*mcp.CallToolResult, any, error) {
			return text("Echo: " + in.Message), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "add", Description: "Adds"},
		func(_ context.Context, _ *mcp.CallToolRequest, in numbers) (*mcp.CallToolResult, sum, error) {
			return nil, sum{in.A + in.B}, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "slow", Description: "Reports progress"},
		func(ctx context.Context, req *mcp.CallToolRequest, in steps) (*mcp.CallToolResult, any, error) {
			for i := range in.Steps {
				if token := req.Params.GetProgressToken(); token != nil {
					_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
						ProgressToken: token, Progress: float64(i + 1), Total: float64(in.Steps)})
				}
				time.Sleep(20 * time.Millisecond)
			}
			time.Sleep(300 * time.Millisecond) // progress and a JSON response have different streams
			return text("done"), nil, nil
		})
	s.AddResource(&mcp.Resource{Name: "note", URI: "note://1", MIMEType: "text/plain"}, read)
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "greeting", URITemplate: "greeting://{name}"}, read)
	s.AddPrompt(&mcp.Prompt{Name: "ask", Arguments: []*mcp.PromptArgument{{Name: "topic", Required: true}}},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			message := &mcp.TextContent{Text: "About " + req.Params.Arguments["topic"] + "?"}
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: message}}}, nil
		})
	return s
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

func read(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	note := "a note"
	if name, ok := strings.CutPrefix(req.Params.URI, "greeting://"); ok {
		note = "Hello, " + name
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, Text: note}}}, nil
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
