//go:build !one || stdmcp

package library

import (
	"context"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func init() { Connect["stdmcp"] = connectStdmcp }

type stdmcpSession struct{ *mcp.Client }

func connectStdmcp(ctx context.Context, t *Target) (Session, error) {
	var transport mcp.Transport
	switch {
	case t.URL == "":
		tr := stdio.Command(t.Command[0], t.Command[1:]...)
		tr.Env = t.Env
		transport = tr
	case t.SSE:
		transport = sse.New(t.URL, nil)
	default:
		transport = streamhttp.New(t.URL, nil)
	}
	c, err := mcp.Connect(ctx, transport, nil)
	if err != nil {
		return nil, err
	}
	return stdmcpSession{c}, nil
}

func (s stdmcpSession) Call(ctx context.Context, tool string, args map[string]any) (c Content, err error) {
	res, err := s.CallTool(ctx, tool, args)
	if err != nil {
		return c, err
	}
	for i := range res.Content {
		c.Text += res.Content[i].Text
		c.Size += len(res.Content[i].Text) + len(res.Content[i].Data)
	}
	return c, nil
}

func (s stdmcpSession) List(ctx context.Context) (int, error) {
	tools, err := s.ListTools(ctx)
	return len(tools), err
}
