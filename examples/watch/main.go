// Command watch follows the changes at a server. Two tools of the server that it
// starts here change something.
//
//	$ watch mcpecho serve
//	the last of the tools is tool_001 now
//	echo://text has 69 bytes now
//	<nil>
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// watch reads the changed lists and resources and calls show, until ctx ends.
func watch(ctx context.Context, client *mcp.Client, sub *mcp.Subscription, show func(news string)) error {
	for {
		change, err := sub.Next(ctx)
		switch {
		case errors.Is(err, context.Canceled), errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err // the connection has ended: reconnect and read everything
		}
		switch change.Kind {
		case mcp.ToolsChanged:
			tools, err := client.ListTools(ctx)
			if err != nil {
				return err
			}
			show(fmt.Sprintf("the last of the tools is %s now", tools[len(tools)-1].Name))
		case mcp.ResourceUpdated:
			res, err := client.ReadResource(ctx, change.URI)
			if err != nil {
				return err
			}
			show(fmt.Sprintf("%s has %d bytes now", change.URI, len(res.Contents[0].Text)))
		}
	}
}

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: watch COMMAND [ARG...]")
	}
	ctx, stop := context.WithCancel(context.Background()) // usually signal.NotifyContext
	defer stop()
	client, err := mcp.Connect(ctx, stdio.Command(os.Args[1], os.Args[2:]...), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	sub, err := client.Subscribe(ctx, &mcp.SubscriptionFilter{
		ToolsListChanged:      true,
		ResourceSubscriptions: []string{"echo://text"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer sub.Close()
	news, ended := make(chan string), make(chan error)
	go func() { ended <- watch(ctx, client, sub, func(s string) { news <- s }) }() // ends with ctx

	for _, tool := range []string{"add_tool", "update"} {
		if _, err := client.CallTool(ctx, tool, nil); err != nil {
			log.Fatal(err)
		}
		fmt.Println(<-news)
	}
	stop()
	fmt.Println(<-ended)
}
