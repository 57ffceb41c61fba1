package adapters

import (
	"context"
	"testing"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/stdmcp/stdmcp/mcp"
)

func greets(t *testing.T, tr mcp.Transport) {
	t.Helper()
	client, err := mcp.Connect(t.Context(), tr, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.CallTool(t.Context(), "greet", map[string]any{"name": "Ada"})
	if err != nil || res.Text() != "Hello, Ada!" {
		t.Errorf("%v, %v", res, err)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}

func TestGoSDK(t *testing.T) {
	s := gosdk.NewServer(&gosdk.Implementation{Name: "greeter", Version: "1"}, nil)
	gosdk.AddTool(s, &gosdk.Tool{Name: "greet"},
		func(_ context.Context, _ *gosdk.CallToolRequest, in struct {
			Name string `json:"name"`
		}) (*gosdk.CallToolResult, any, error) {
			return &gosdk.CallToolResult{Content: []gosdk.Content{&gosdk.TextContent{Text: "Hello, " + in.Name + "!"}}}, nil, nil
		})
	greets(t, GoSDK(s))
}

func TestMCPGo(t *testing.T) {
	s := server.NewMCPServer("greeter", "1")
	s.AddTool(mcpgo.NewTool("greet"), func(_ context.Context, r mcpgo.CallToolRequest) (*mcpgo.CallToolResult, error) {
		return mcpgo.NewToolResultText("Hello, " + r.GetString("name", "") + "!"), nil
	})
	greets(t, MCPGo(s))
}
