// Command agent starts an MCP server and performs tasks with its tools. It links
// neither net/http nor the codec of encoding/json: stripped, it is 2.6 MB.
//
//	$ agent mcpecho serve
//	Hello!
//	the tool failed: now
//	no tool for that
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: agent COMMAND [ARG...]")
	}
	ctx := context.Background()
	client, err := mcp.Connect(ctx, stdio.Command(os.Args[1], os.Args[2:]...), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close() // ends the server
	for _, task := range []string{"echo Hello!", "fail now", "sing a song"} {
		text, err := do(ctx, client, task)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(text)
	}
}

// choose represents a model: it chooses the tool whose name is in the task.
func choose(tools []*mcp.Tool, task string) (tool string, args map[string]any) {
	for _, t := range tools {
		if rest, ok := strings.CutPrefix(task, t.Name+" "); ok {
			return t.Name, map[string]any{"message": rest}
		}
	}
	return "", nil
}

// do calls the tool that the model has chosen for the task.
func do(ctx context.Context, client *mcp.Client, task string) (string, error) {
	tools, err := client.ListTools(ctx)
	if err != nil {
		return "", err
	}
	tool, args := choose(tools, task)
	if tool == "" {
		return "no tool for that", nil
	}
	res, err := client.CallTool(ctx, tool, args)
	if err != nil {
		return "", err
	}
	if res.IsError {
		return "the tool failed: " + res.Text(), nil // for the model
	}
	return res.Text(), nil
}
