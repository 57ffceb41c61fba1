package main

import (
	"context"
	"errors"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type sdkSession struct{ *mcp.ClientSession }

func connectSDK(ctx context.Context, t *target) (session, error) {
	var transport mcp.Transport
	switch t.transport {
	case "stdio":
		transport = &mcp.CommandTransport{Command: exec.Command(t.command[0], t.command[1:]...)}
	case "sse":
		transport = &mcp.SSEClientTransport{Endpoint: t.url}
	default:
		transport = &mcp.StreamableClientTransport{Endpoint: t.url}
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "peers", Version: "1"}, nil)
	s, err := c.Connect(ctx, transport, nil)
	if err != nil {
		return nil, err
	}
	return sdkSession{s}, nil
}

func (s sdkSession) Call(ctx context.Context, tool string) (int, error) {
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return 0, err
	}
	if len(res.Content) != 1 {
		return 0, errors.New("no content")
	}
	switch c := res.Content[0].(type) {
	case *mcp.TextContent:
		return len(c.Text), nil
	case *mcp.ImageContent:
		return len(c.Data), nil
	}
	return 0, errors.New("another kind of content")
}

func (s sdkSession) List(ctx context.Context) (n int, err error) {
	for _, err := range s.Tools(ctx, nil) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
