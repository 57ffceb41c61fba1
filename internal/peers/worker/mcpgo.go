package main

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

type mcpGoSession struct{ *client.Client }

func connectMCPGo(ctx context.Context, t *target) (session, error) {
	c, err := openMCPGo(ctx, t)
	if err != nil {
		return nil, err
	}
	var req mcp.InitializeRequest
	req.Params.ClientInfo = mcp.Implementation{Name: "peers", Version: "1"}
	if _, err := c.Initialize(ctx, req); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return mcpGoSession{c}, nil
}

func openMCPGo(ctx context.Context, t *target) (c *client.Client, err error) {
	switch t.transport {
	case "stdio":
		return client.NewStdioMCPClient(t.command[0], nil, t.command[1:]...) // which starts it, too
	case "sse":
		c, err = client.NewSSEMCPClient(t.url)
	default:
		c, err = client.NewStreamableHttpClient(t.url)
	}
	if err != nil {
		return nil, err
	}
	return c, c.Start(ctx)
}

func (s mcpGoSession) Call(ctx context.Context, tool string) (int, error) {
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = tool, arguments
	res, err := s.CallTool(ctx, req)
	if err != nil {
		return 0, err
	}
	if len(res.Content) != 1 {
		return 0, errors.New("no content")
	}
	switch c := res.Content[0].(type) {
	case mcp.TextContent:
		return len(c.Text), nil
	case mcp.ImageContent:
		return len(c.Data), nil
	}
	return 0, errors.New("another kind of content")
}

func (s mcpGoSession) List(ctx context.Context) (int, error) {
	res, err := s.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return 0, err
	}
	return len(res.Tools), nil
}
