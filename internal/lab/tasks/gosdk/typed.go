package gosdk

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stdmcp/stdmcp/internal/lab/tasks/model"
)

func Typed(ctx context.Context, url string, in model.City) (out model.Weather, err error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "tasks", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		return out, err
	}
	defer session.Close()
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "weather", Arguments: in})
	if err != nil {
		return out, err
	}
	if res.IsError {
		return out, errors.New(res.Content[0].(*mcp.TextContent).Text)
	}
	text, err := json.Marshal(res.StructuredContent)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(text, &out)
}
