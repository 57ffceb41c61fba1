package stdmcp

import (
	"context"
	"net/http"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func Header(ctx context.Context, url, name, value string) (string, error) {
	client, err := mcp.Connect(ctx, streamhttp.New(url, &streamhttp.Options{Header: http.Header{name: {value}}}), nil)
	if err != nil {
		return "", err
	}
	defer client.Close()
	res, err := client.CallTool(ctx, "echo", map[string]any{"message": "hello"})
	if err != nil {
		return "", err
	}
	return res.Text(), nil
}
