package mcpgo

import (
	"context"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

func Changed(ctx context.Context, url string, show func(tools int)) error {
	c, err := client.NewStreamableHttpClient(url)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return err
	}
	changes := make(chan struct{}, 1)
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == mcp.MethodNotificationToolsListChanged {
			select {
			case changes <- struct{}{}:
			default:
			}
		}
	})
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "tasks", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return err
	}
	failed := make(chan error, 1)
	stop, err := c.ListenAsync(ctx, mcp.SubscriptionFilter{ToolsListChanged: true}, func(err error) { failed <- err })
	if err != nil {
		return err
	}
	defer stop()
	for {
		list, err := c.ListTools(ctx, mcp.ListToolsRequest{})
		if err != nil {
			return err
		}
		show(len(list.Tools))
		select {
		case <-changes:
		case err := <-failed:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
