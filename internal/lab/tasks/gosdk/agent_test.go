package gosdk

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// agent is a program to test: it asks its server for the sum of 2 and 3.
func agent(ctx context.Context, session *mcp.ClientSession) (string, error) {
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "add", Arguments: map[string]any{"a": 2, "b": 3}})
	if err != nil {
		return "", err
	}
	return res.Content[0].(*mcp.TextContent).Text, nil
}

func TestAgent(t *testing.T) {
	type numbers struct {
		A float64 `json:"a"`
		B float64 `json:"b"`
	}
	var got numbers
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "add"}, func(_ context.Context, _ *mcp.CallToolRequest, in numbers) (*mcp.CallToolResult, float64, error) {
		got = in
		return nil, in.A + in.B, nil
	})
	near, far := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), far, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	answer, err := agent(t.Context(), session)
	if err != nil || answer != "5" {
		t.Errorf("%q, %v", answer, err)
	}
	if want := (numbers{2, 3}); got != want {
		t.Errorf("the tool was called with %v, want %v", got, want)
	}
}
