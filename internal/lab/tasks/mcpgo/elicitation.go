package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

type form func(message string) map[string]any

func (f form) Elicit(_ context.Context, req mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: f(req.Params.Message),
	}}, nil
}

func Elicitation(ctx context.Context, url string, ask func(message string) map[string]any) (string, error) {
	t, err := transport.NewStreamableHTTP(url)
	if err != nil {
		return "", err
	}
	c := client.NewClient(t, client.WithElicitationHandler(form(ask)))
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return "", err
	}
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "tasks", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return "", err
	}
	var call mcp.CallToolRequest
	call.Params.Name = "order"
	res, err := c.CallTool(ctx, call)
	if err != nil {
		return "", err
	}
	return mcp.GetTextFromContent(res.Content[0]), nil
}
