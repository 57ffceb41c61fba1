package stdmcp

import (
	"context"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func Changed(ctx context.Context, url string, show func(tools int)) error {
	client, err := mcp.Connect(ctx, streamhttp.New(url, nil), nil)
	if err != nil {
		return err
	}
	defer client.Close()
	changes, err := client.Subscribe(ctx, &mcp.SubscriptionFilter{ToolsListChanged: true})
	if err != nil {
		return err
	}
	defer changes.Close()
	for {
		tools, err := client.ListTools(ctx)
		if err != nil {
			return err
		}
		show(len(tools))
		if _, err := changes.Next(ctx); err != nil {
			return err
		}
	}
}
