package main

import (
	"context"
	"errors"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

type stdmcpSession struct{ *mcp.Client }

func connectStdmcp(ctx context.Context, t *target) (session, error) {
	var transport mcp.Transport
	switch t.transport {
	case "stdio":
		transport = stdio.Command(t.command[0], t.command[1:]...)
	case "sse":
		transport = sse.New(t.url, nil)
	default:
		transport = streamhttp.New(t.url, nil)
	}
	c, err := mcp.Connect(ctx, transport, nil)
	if err != nil {
		return nil, err
	}
	return stdmcpSession{c}, nil
}

func (s stdmcpSession) Call(ctx context.Context, tool string) (int, error) {
	res, err := s.CallTool(ctx, tool, arguments)
	if err != nil {
		return 0, err
	}
	if len(res.Content) != 1 {
		return 0, errors.New("no content")
	}
	return len(res.Content[0].Text) + len(res.Content[0].Data), nil
}

func (s stdmcpSession) List(ctx context.Context) (int, error) {
	tools, err := s.ListTools(ctx)
	return len(tools), err
}
