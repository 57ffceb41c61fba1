package mcpgo

import (
	"context"
	"encoding/base64"
	"errors"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

func Bytes(ctx context.Context, url, uri string) ([]byte, error) {
	c, err := client.NewStreamableHttpClient(url)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return nil, err
	}
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "tasks", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return nil, err
	}
	var read mcp.ReadResourceRequest
	read.Params.URI = uri
	res, err := c.ReadResource(ctx, read)
	if err != nil {
		return nil, err
	}
	switch contents := res.Contents[0].(type) {
	case mcp.TextResourceContents:
		return []byte(contents.Text), nil
	case mcp.BlobResourceContents:
		return base64.StdEncoding.DecodeString(contents.Blob)
	}
	return nil, errors.New("unknown contents")
}
