// Size is the smallest agent that does the main job, with servers over stdio
// from configuration files. CI builds it to measure what the host costs.
package main

import (
	"context"
	"os"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}

// run starts the servers of the files args, lists their tools, and calls the
// one named tool with what stands in the environment as arguments.
func run(ctx context.Context, args []string) error {
	h := host.New(host.Options{})
	defer h.Shutdown(ctx)
	c := config.Load(".", args...)
	for _, p := range c.Problems {
		os.Stderr.WriteString(p.Error() + "\n")
	}
	if err := h.SetServers(ctx, c.Servers).Err(); err != nil {
		return err
	}
	for _, t := range h.Tools() {
		os.Stdout.WriteString(t.Name() + " " + t.Description() + " " + string(t.InputSchema()) + "\n")
	}
	t := h.Tool(os.Getenv("TOOL"))
	if t == nil {
		return nil
	}
	text, err := t.Execute(ctx, mcp.RawMessage(os.Getenv("ARGUMENTS")))
	if err != nil {
		return err
	}
	os.Stdout.WriteString(text + "\n")
	return nil
}
