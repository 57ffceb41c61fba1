//go:build !one || gosdk

package library

import (
	"context"
	"os"
	"os/exec"

	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func init() { Connect["go-sdk"] = connectSDK }

type sdkSession struct{ *gosdk.ClientSession }

func connectSDK(ctx context.Context, t *Target) (Session, error) {
	var transport gosdk.Transport
	switch {
	case t.URL == "":
		cmd := exec.Command(t.Command[0], t.Command[1:]...)
		cmd.Env = append(os.Environ(), t.Env...)
		transport = &gosdk.CommandTransport{Command: cmd}
	case t.SSE:
		transport = &gosdk.SSEClientTransport{Endpoint: t.URL}
	default:
		transport = &gosdk.StreamableClientTransport{Endpoint: t.URL}
	}
	s, err := gosdk.NewClient(&gosdk.Implementation{Name: "peers", Version: "1"}, nil).Connect(ctx, transport, nil)
	if err != nil {
		return nil, err
	}
	return sdkSession{s}, nil
}

func (s sdkSession) Call(ctx context.Context, tool string, args map[string]any) (c Content, err error) {
	res, err := s.CallTool(ctx, &gosdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return c, err
	}
	for _, content := range res.Content {
		switch v := content.(type) {
		case *gosdk.TextContent:
			c.Text += v.Text
			c.Size += len(v.Text)
		case *gosdk.ImageContent:
			c.Size += len(v.Data)
		}
	}
	return c, nil
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
