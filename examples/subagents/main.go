// Command subagents has two agents that see different servers: those that the
// settings of each agent name. A server that fails is a warning.
//
//	$ cat config.json
//	{
//	  "tools": {"mcp": {"servers": {
//	    "calculator": {"transport": "stdio", "command": "mcpecho", "args": ["serve"], "timeout": 30},
//	    "missing": {"transport": "stdio", "command": "/no/such/program"},
//	    "off": {"transport": "stdio", "command": "mcpecho", "enabled": false}
//	  }}},
//	  "agents": {"list": [{"id": "main"}, {"id": "helper", "mcp_servers": ["missing"]}]}
//	}
//	$ subagents config.json
//	warning: [MCP:missing] failed to connect: start server "/no/such/program": no such file or directory
//	3 servers, 1 connected
//	main: mcp__calculator__add = 42
//	helper: tool not found
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/stdmcp/stdmcp/mcp/host"
	mcpconfig "github.com/stdmcp/stdmcp/mcp/host/config"
)

// start connects to the servers of a file. It fails only if all servers do.
func start(ctx context.Context, file string) (*host.Host, error) {
	settings := mcpconfig.LoadFile(file)
	for _, problem := range settings.Problems {
		if problem.Warning || problem.Server == "" { // the others are among the errors below
			log.Print(problem)
		}
	}
	h := host.New(&host.Options{Retry: host.Retry{Max: 3}})
	diff := h.SetServers(ctx, settings.All()) // also the invalid ones: if no server works, start fails
	for _, err := range diff.SortedErrors() {
		fmt.Println("warning:", err)
	}
	return h, diff.Err()
}

// stop ends all programs: after 10 seconds by force.
func stop(h *host.Host) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = h.Shutdown(ctx)
}

// startupInfo returns what the agent shows at start.
func startupInfo(h *host.Host) string {
	connected := 0
	for _, s := range h.Status() {
		if s.State == host.Connected {
			connected++
		}
	}
	return fmt.Sprintf("%d servers, %d connected", len(h.Status()), connected)
}

func main() {
	ctx := context.Background()
	h, err := start(ctx, os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer stop(h)
	fmt.Println(startupInfo(h))
	for agent, view := range []*host.View{h.View(), h.View("missing")} {
		text, err := view.Execute(ctx, "mcp__calculator__add", []byte(`{"a": 2, "b": 40}`))
		if errors.Is(err, host.ErrUnknownTool) {
			text = "tool not found"
		} else {
			text = "mcp__calculator__add = " + text
		}
		fmt.Printf("%s: %s\n", []string{"main", "helper"}[agent], text)
	}
}
