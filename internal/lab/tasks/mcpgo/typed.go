package mcpgo

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stdmcp/stdmcp/internal/lab/tasks/model"
)

func Typed(ctx context.Context, url string, in model.City) (out model.Weather, err error) {
	c, err := client.NewStreamableHttpClient(url)
	if err != nil {
		return out, err
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return out, err
	}
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "tasks", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return out, err
	}
	var call mcp.CallToolRequest
	call.Params.Name, call.Params.Arguments = "weather", in
	res, err := c.CallTool(ctx, call)
	if err != nil {
		return out, err
	}
	if res.IsError {
		return out, errors.New(mcp.GetTextFromContent(res.Content[0]))
	}
	return out, json.Unmarshal(res.RawStructuredContent, &out)
}
