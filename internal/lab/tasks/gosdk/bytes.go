package gosdk

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func Bytes(ctx context.Context, url, uri string) ([]byte, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "tasks", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	res, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return nil, err
	}
	if c := res.Contents[0]; c.Blob == nil {
		return []byte(c.Text), nil
	}
	return res.Contents[0].Blob, nil
}
