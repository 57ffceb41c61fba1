// Http is the smallest program that does the main job over HTTP. CI builds
// it to measure what the library costs.
package main

import (
	"context"
	"os"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

// run connects to the server at the URL args[0], lists its tools and
// calls the first.
func run(ctx context.Context, args []string) error {
	client, err := mcp.Connect(ctx, streamhttp.New(args[0], nil), nil)
	if err != nil {
		return err
	}
	defer client.Close()
	tools, err := client.ListTools(ctx)
	if err != nil {
		return err
	}
	for _, tool := range tools {
		os.Stdout.WriteString(tool.Name + "\n")
	}
	res, err := client.CallTool(ctx, tools[0].Name, map[string]any{"message": "hi"})
	if err != nil {
		return err
	}
	os.Stdout.WriteString(res.Text() + "\n")
	return nil
}
