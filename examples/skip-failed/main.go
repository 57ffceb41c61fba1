// Command skip-failed calls tools by names such as server__tool. It skips a server
// whose program is missing, and every failure of a call is text for the agent.
//
//	$ cat config.json
//	{"mcp": {"servers": {
//	  "calculator": {"command": "mcpecho", "args": ["serve"], "timeout": "4s"},
//	  "sqlite": {"command": "no-such-program"}
//	}}}
//	$ skip-failed config.json
//	skipped: [MCP:sqlite] failed to connect: configuration
//	calculator__add = 42
//	calculator__slow: timed out
//	after a restart: calculator__add = 42
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/stdmcp/stdmcp/mcp/host"
	mcpconfig "github.com/stdmcp/stdmcp/mcp/host/config"
)

// start starts the servers and returns when each has started or failed.
func start(ctx context.Context, file string) *host.Host {
	settings := mcpconfig.LoadFile(file)
	for _, problem := range settings.Problems {
		log.Print(problem)
	}
	h := host.New(&host.Options{Naming: host.ServerTool})
	diff := h.SetServers(ctx, settings.Servers)
	for _, err := range diff.SortedErrors() {
		if e := (*host.Error)(nil); errors.As(err, &e) {
			fmt.Printf("skipped: [MCP:%s] %s: %s\n", e.Server, e.Message, e.Category)
			log.Print(err) // with the cause
		}
	}
	return h
}

// execute calls a tool. Every failure is text for the agent.
func execute(ctx context.Context, h *host.Host, name, input string) string {
	text, err := h.Execute(ctx, name, []byte(input))
	if e := (*host.Error)(nil); errors.As(err, &e) && e.Code == "TIMEOUT" {
		return name + ": timed out"
	} else if err != nil {
		return name + ": " + err.Error()
	}
	return name + " = " + text
}

func main() {
	ctx := context.Background()
	h := start(ctx, os.Args[1])
	defer h.Shutdown(ctx)
	fmt.Println(execute(ctx, h, "calculator__add", `{"a": 2, "b": 40}`))
	fmt.Println(execute(ctx, h, "calculator__slow", `{"seconds": 60, "steps": 1}`))
	if err := h.Reconnect(ctx, "calculator"); err != nil { // a new process
		log.Fatal(err)
	}
	fmt.Println("after a restart: " + execute(ctx, h, "calculator__add", `{"a": 2, "b": 40}`))
}
