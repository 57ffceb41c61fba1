package stdmcp

import (
	"context"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func Progress(ctx context.Context, url string, timeout time.Duration, show func(done float64, message string)) (string, error) {
	client, err := mcp.Connect(ctx, streamhttp.New(url, nil), nil)
	if err != nil {
		return "", err
	}
	defer client.Close()
	res, err := client.Do(ctx, &mcp.ToolCall{
		Name:     "build",
		Timeout:  timeout,
		Progress: func(p mcp.Progress) { show(p.Progress, p.Message) },
	})
	if err != nil {
		return "", err
	}
	return res.Text(), nil
}
