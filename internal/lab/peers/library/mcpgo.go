//go:build !one || mcpgo

package library

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/client"
	mcpgo "github.com/mark3labs/mcp-go/mcp"
)

func init() { Connect["mcp-go"] = connectMCPGo }

type mcpGoSession struct{ *client.Client }

func connectMCPGo(ctx context.Context, t *Target) (Session, error) {
	c, err := openMCPGo(ctx, t)
	if err != nil {
		return nil, err
	}
	var req mcpgo.InitializeRequest
	req.Params.ClientInfo = mcpgo.Implementation{Name: "peers", Version: "1"}
	if _, err := c.Initialize(ctx, req); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return mcpGoSession{c}, nil
}

func openMCPGo(ctx context.Context, t *Target) (c *client.Client, err error) {
	switch {
	case t.URL == "":
		return client.NewStdioMCPClient(t.Command[0], t.Env, t.Command[1:]...) // and starts it
	case t.SSE:
		c, err = client.NewSSEMCPClient(t.URL)
	default:
		c, err = client.NewStreamableHttpClient(t.URL)
	}
	if err != nil {
		return nil, err
	}
	// The stream ends with the context of Start.
	return c, c.Start(context.WithoutCancel(ctx))
}

func (s mcpGoSession) Call(ctx context.Context, tool string, args map[string]any) (c Content, err error) {
	var req mcpgo.CallToolRequest
	req.Params.Name, req.Params.Arguments = tool, args
	res, err := s.CallTool(ctx, req)
	if err != nil {
		return c, err
	}
	for _, content := range res.Content {
		switch v := content.(type) {
		case mcpgo.TextContent:
			c.Text += v.Text
			c.Size += len(v.Text)
		case mcpgo.ImageContent:
			c.Size += len(v.Data)
		}
	}
	return c, nil
}

func (s mcpGoSession) List(ctx context.Context) (int, error) {
	res, err := s.ListTools(ctx, mcpgo.ListToolsRequest{})
	if err != nil {
		return 0, err
	}
	return len(res.Tools), nil
}
