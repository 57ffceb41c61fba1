// Command mcp-go is a server that uses mcp-go, for the tests in internal/lab/interop.
// With the argument stdio it serves stdio. Otherwise it listens at the address in
// the argument or on a free port, prints its origin, and serves Streamable HTTP at
// /mcp and /stateless and HTTP+SSE at /sse.
package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	s := newServer()
	if slices.Contains(os.Args, "stdio") {
		check(server.ServeStdio(s))
		return
	}
	http.Handle("/mcp", server.NewStreamableHTTPServer(s))
	http.Handle("/stateless", server.NewStreamableHTTPServer(s, server.WithStateLess(true)))
	old := server.NewSSEServer(s)
	http.Handle("/sse", old.SSEHandler())
	http.Handle("/message", old.MessageHandler())
	addr := "127.0.0.1:0"
	if len(os.Args) > 1 {
		addr = os.Args[1]
	}
	l, err := net.Listen("tcp", addr)
	check(err)
	os.Stdout.WriteString("http://" + l.Addr().String() + "\n")
	check(http.Serve(l, nil))
}

type sum struct {
	Sum float64 `json:"sum"`
}

func newServer() *server.MCPServer {
	s := server.NewMCPServer("modern", "1.0.0", server.WithToolCapabilities(true), server.WithResourceCapabilities(true, true),
		server.WithPromptCapabilities(true), server.WithInputSchemaValidation())
	s.AddTool(mcp.NewTool("echo", mcp.WithString("message", mcp.Required())),
		func(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("Echo: " + req.GetString("message", "")), nil
		})
	s.AddTool(mcp.NewTool("add", mcp.WithNumber("a", mcp.Required()), mcp.WithNumber("b", mcp.Required()), mcp.WithOutputSchema[sum]()),
		func(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultStructuredOnly(sum{req.GetFloat("a", 0) + req.GetFloat("b", 0)}), nil
		})
	s.AddTool(mcp.NewTool("slow", mcp.WithNumber("steps", mcp.Required())), slow)
	s.AddResource(mcp.NewResource("note://1", "note", mcp.WithMIMEType("text/plain")), read)
	s.AddResourceTemplate(mcp.NewResourceTemplate("greeting://{name}", "greeting"), read)
	s.AddPrompt(mcp.NewPrompt("ask", mcp.WithArgument("topic", mcp.RequiredArgument())),
		func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			message := mcp.NewTextContent("About " + req.Params.Arguments["topic"] + "?")
			return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, message)}), nil
		})
	return s
}

func slow(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	steps := req.GetInt("steps", 0)
	for i := range steps {
		if meta := req.Params.Meta; meta != nil && meta.ProgressToken != nil {
			_ = server.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/progress",
				map[string]any{"progressToken": meta.ProgressToken, "progress": i + 1, "total": steps})
		}
		time.Sleep(20 * time.Millisecond)
	}
	time.Sleep(300 * time.Millisecond) // progress and the response have different streams
	return mcp.NewToolResultText("done"), nil
}

func read(_ context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	note := "a note"
	if name, ok := strings.CutPrefix(req.Params.URI, "greeting://"); ok {
		note = "Hello, " + name
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, Text: note}}, nil
}

func check(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
