package gosdk

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func Changed(ctx context.Context, url string, show func(tools int)) error {
	changes := make(chan struct{}, 1)
	client := mcp.NewClient(&mcp.Implementation{Name: "tasks", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			select {
			case changes <- struct{}{}:
			default:
			}
		},
	})
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	for {
		n := 0
		for _, err := range session.Tools(ctx, nil) {
			if err != nil {
				return err
			}
			n++
		}
		show(n)
		select {
		case <-changes:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
