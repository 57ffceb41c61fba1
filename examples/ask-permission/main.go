// Command ask-permission asks its user before it calls a tool that no rule allows. It
// has the servers of the user's and the project's .mcp.json, and tools for resources.
//
//	$ cat .mcp.json
//	{"mcpServers": {"calculator": {"command": "mcpecho", "args": ["serve"]}}}
//	$ HOME=. ask-permission
//	mcp__calculator__add false 42
//	allow mcp__calculator__fail? no
//	mcp__calculator__fail true [MCP:calculator] tool "fail" was not called: not permitted
//	SubscribePolling true [MCP] SubscribePolling was not called: not permitted
//	calculator connected
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"

	"github.com/stdmcp/stdmcp/mcp/host"
	mcpconfig "github.com/stdmcp/stdmcp/mcp/host/config"
)

// ask stands for the question to the user.
func ask(_ context.Context, c *host.Call) (host.Decision, error) {
	fmt.Println("allow", c.Name+"? no")
	return host.Deny, nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	settings := mcpconfig.Load(".")
	for _, problem := range settings.Problems {
		log.Print(problem)
	}
	settings.Trust(func(s *mcpconfig.Server) bool { // of the folder's file, which could run any program
		fmt.Printf("%q\ntrust %q? no\n", s.Effects(), s.Name)
		return false
	})
	h := host.New(&host.Options{Approve: host.Asking(host.First(
		host.Rules(
			host.Rule{Tool: "mcp__*__{add,echo}", Action: host.Allow},
			host.Rule{Tool: "SubscribePolling", Action: host.Deny},
		),
		host.Listed(false),
	), ask)})
	defer h.Shutdown(context.Background()) // also after Ctrl-C
	for _, err := range h.SetServers(ctx, settings.Servers).Errors {
		log.Print(err) // the other servers can be used
	}
	tools := make(map[string]*host.Tool)
	for _, t := range append(h.Tools(), h.ResourceTools()...) {
		tools[t.Name()] = t
	}
	for _, call := range [][2]string{
		{"mcp__calculator__add", `{"a": 2, "b": 40}`},
		{"mcp__calculator__fail", `{}`},
		{"SubscribePolling", `{"type": "resource", "server": "calculator", "uri": "echo://text"}`},
	} {
		text, err := tools[call[0]].Execute(ctx, []byte(call[1]))
		if err != nil {
			text = err.Error() // is for the model
		}
		fmt.Println(call[0], err != nil, text)
	}
	for _, s := range h.Status() { // for a command such as /mcp; see also Overview
		fmt.Println(s.Name, s.Word())
	}
}
