package stdmcp

import (
	"context"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// agent is a program to test: it asks its server for the sum of 2 and 3.
func agent(ctx context.Context, client *mcp.Client) (string, error) {
	res, err := client.CallTool(ctx, "add", map[string]any{"a": 2, "b": 3})
	if err != nil {
		return "", err
	}
	return res.Text(), nil
}

func TestAgent(t *testing.T) {
	server := mcptest.New(t)
	server.Tool("add", nil, func(c *mcptest.Call) (any, error) { return c.Number("a") + c.Number("b"), nil })
	answer, err := agent(t.Context(), server.Connect(nil))
	if err != nil || answer != "5" {
		t.Errorf("%q, %v", answer, err)
	}
	server.WantCall("add", map[string]any{"a": 2, "b": 3})
}
