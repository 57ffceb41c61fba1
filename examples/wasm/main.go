// Wasm is an agent in a WebAssembly module, which can neither start processes nor
// open connections: whoever runs it connects its standard input and output to
// a server. It prints to standard error.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// pipe is a stream that reads from one file and writes to another.
type pipe struct {
	io.Reader
	io.Writer
	close func() error
}

func (p pipe) Close() error { return p.close() }

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "wasm:", err)
		os.Exit(1)
	}
}

func run() error {
	in, err := pollable(os.Stdin)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	c, err := mcp.Connect(ctx, stdio.Stream(pipe{in, os.Stdout, in.Close}), nil)
	if err != nil {
		return err
	}
	defer c.Close()
	tools, err := c.ListTools(ctx)
	if err != nil {
		return err
	}
	for _, tool := range tools {
		if tool.Name == "echo" {
			fmt.Fprintln(os.Stderr, "the server has a tool", tool.Name)
		}
	}
	result, err := c.CallTool(ctx, "echo", map[string]any{"message": "hello"})
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, result.Text())
	return nil
}
