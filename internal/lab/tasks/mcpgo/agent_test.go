package mcpgo

import (
	"context"
	"fmt"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/mcptest"
	"github.com/mark3labs/mcp-go/server"
)

// agent is a program to test: it asks its server for the sum of 2 and 3.
func agent(ctx context.Context, c *client.Client) (string, error) {
	var call mcp.CallToolRequest
	call.Params.Name, call.Params.Arguments = "add", map[string]any{"a": 2, "b": 3}
	res, err := c.CallTool(ctx, call)
	if err != nil {
		return "", err
	}
	return mcp.GetTextFromContent(res.Content[0]), nil
}

func TestAgent(t *testing.T) {
	var a, b float64
	srv, err := mcptest.NewServer(t, server.ServerTool{
		Tool: mcp.NewTool("add"),
		Handler: func(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			a, b = req.GetFloat("a", 0), req.GetFloat("b", 0)
			return mcp.NewToolResultText(fmt.Sprint(a + b)), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	answer, err := agent(t.Context(), srv.Client())
	if err != nil || answer != "5" {
		t.Errorf("%q, %v", answer, err)
	}
	if a != 2 || b != 3 {
		t.Errorf("the tool was called with %v and %v", a, b)
	}
}
