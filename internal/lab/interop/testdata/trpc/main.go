// Command trpc is a server that uses trpc-mcp-go. With the argument stdio it serves stdio.
// Otherwise it listens at the address in the argument, and serves Streamable HTTP at /mcp
// and /stateless and HTTP+SSE at /sse.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	mcp "trpc.group/trpc-go/trpc-mcp-go"
)

var tool = mcp.NewTool("add", mcp.WithDescription("Adds"), mcp.WithNumber("a", mcp.Required()), mcp.WithNumber("b", mcp.Required()))

func add(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	a, _ := req.Params.Arguments["a"].(float64)
	b, _ := req.Params.Arguments["b"].(float64)
	return mcp.NewTextResult(fmt.Sprint(a + b)), nil
}

func main() {
	if os.Args[1] == "stdio" {
		s := mcp.NewStdioServer("trpc", "1.0.0")
		s.RegisterTool(tool, add)
		check(s.Start())
		return
	}
	for path, stateless := range map[string]bool{"/mcp": false, "/stateless": true} {
		s := mcp.NewServer("trpc", "1.0.0", mcp.WithServerPath(path), mcp.WithStatelessMode(stateless))
		s.RegisterTool(tool, add)
		http.Handle(path, s.Handler())
	}
	old := mcp.NewSSEServer("trpc", "1.0.0", mcp.WithSSEEndpoint("/sse"), mcp.WithMessageEndpoint("/message"))
	old.RegisterTool(tool, add)
	http.Handle("/sse", old)
	http.Handle("/message", old)
	check(http.ListenAndServe(os.Args[1], nil))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
