package stdmcp

import (
	"context"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/oauth"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func OAuth(ctx context.Context, url string, browse func(ctx context.Context, page string) error) (string, error) {
	auth := oauth.New(url, &oauth.Options{Authorizer: &oauth.Loopback{Open: browse}})
	client, err := mcp.Connect(ctx, streamhttp.New(url, &streamhttp.Options{Client: auth.Client()}), nil)
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
