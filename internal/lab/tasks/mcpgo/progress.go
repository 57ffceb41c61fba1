package mcpgo

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

func Progress(ctx context.Context, url string, timeout time.Duration, show func(done float64, message string)) (string, error) {
	c, err := client.NewStreamableHttpClient(url)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		return "", err
	}
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == "notifications/progress" {
			done, _ := n.Params.AdditionalFields["progress"].(float64)
			message, _ := n.Params.AdditionalFields["message"].(string)
			show(done, message)
		}
	})
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "tasks", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var call mcp.CallToolRequest
	call.Params.Name, call.Params.Meta = "build", &mcp.Meta{ProgressToken: "build"}
	res, err := c.CallTool(ctx, call)
	if err != nil {
		return "", err
	}
	return mcp.GetTextFromContent(res.Content[0]), nil
}
