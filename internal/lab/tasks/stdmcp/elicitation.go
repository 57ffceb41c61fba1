package stdmcp

import (
	"context"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func Elicitation(ctx context.Context, url string, ask func(message string) map[string]any) (string, error) {
	form := func(_ context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: mcp.ElicitAccept, Content: ask(p.Message)}, nil
	}
	client, err := mcp.Connect(ctx, streamhttp.New(url, nil), &mcp.Options{Handlers: []mcp.Handler{mcp.Elicitation{Form: form}}})
	if err != nil {
		return "", err
	}
	defer client.Close()
	res, err := client.CallTool(ctx, "order", nil)
	if err != nil {
		return "", err
	}
	return res.Text(), nil
}
