package stdmcp

import (
	"context"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func Bytes(ctx context.Context, url, uri string) ([]byte, error) {
	client, err := mcp.Connect(ctx, streamhttp.New(url, nil), nil)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	res, err := client.ReadResource(ctx, uri)
	if err != nil {
		return nil, err
	}
	return res.Contents[0].Bytes()
}
