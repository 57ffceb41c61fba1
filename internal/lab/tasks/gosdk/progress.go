package gosdk

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func Progress(ctx context.Context, url string, timeout time.Duration, show func(done float64, message string)) (string, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "tasks", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			show(req.Params.Progress, req.Params.Message)
		},
	})
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		return "", err
	}
	defer session.Close()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "build", Meta: mcp.Meta{"progressToken": "build"}})
	if err != nil {
		return "", err
	}
	return res.Content[0].(*mcp.TextContent).Text, nil
}
