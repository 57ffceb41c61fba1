// Call makes small calls over stdio, for the figures of measure: it is built with
// coverage counters, and writes which functions a call runs and the execution trace
// of a call into a folder.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/coverage"
	"runtime/trace"
	"strings"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// calls is how many calls are observed: what the goroutine that reads does after the
// last of them may be missing.
const calls = 10

func main() {
	if len(os.Args) == 1 {
		serve()
		return
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "call:", err)
		os.Exit(1)
	}
}

func run(folder string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	ctx := context.Background()
	c, err := mcp.Connect(ctx, stdio.Command(program), nil)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := repeat(ctx, c); err != nil { // until buffers and tables have their sizes
		return err
	}
	f, err := os.Create(filepath.Join(folder, "trace"))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := trace.Start(f); err != nil {
		return err
	}
	err = repeat(ctx, c)
	trace.Stop()
	if err != nil {
		return err
	}
	if err := coverage.ClearCounters(); err != nil {
		return err
	}
	if err := repeat(ctx, c); err != nil {
		return err
	}
	if err := coverage.WriteCountersDir(folder); err != nil {
		return err
	}
	return coverage.WriteMetaDir(folder)
}

func repeat(ctx context.Context, c *mcp.Client) error {
	for range calls {
		if _, err := c.CallTool(ctx, "echo", map[string]any{"text": "hello"}); err != nil {
			return err
		}
	}
	return nil
}

// serve is a server that responds to each tool call with the same text.
func serve() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		_, rest, ok := strings.Cut(lines.Text(), `"id":`)
		if !ok {
			continue
		}
		id, _, _ := strings.Cut(rest, ",")
		result := `{"content":[{"type":"text","text":"hello"}]}`
		switch {
		case strings.Contains(rest, `"server/discover"`):
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}`+"\n", id)
			continue
		case strings.Contains(rest, `"initialize"`):
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}}`
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
	}
}
