package mcpgo

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stdmcp/stdmcp/internal/lab/tasks/model"
)

func Tools(ctx context.Context, url string, ask model.Ask) error {
	c, err := client.NewStreamableHttpClient(url)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return err
	}
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "tasks", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return err
	}
	list, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return err
	}
	var tools []model.Tool
	for _, t := range list.Tools {
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			return err
		}
		tools = append(tools, model.Tool{Name: t.Name, Description: t.Description, Parameters: schema})
	}
	return ask(tools, func(name string, arguments json.RawMessage) (string, error) {
		var call mcp.CallToolRequest
		call.Params.Name, call.Params.Arguments = name, arguments
		res, err := c.CallTool(ctx, call)
		if err != nil {
			return "", err
		}
		return mcp.GetTextFromContent(res.Content[0]), nil
	})
}
