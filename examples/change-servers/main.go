// Command change-servers replaces the list of servers, disables and enables one,
// reconnects it, and prints differences and statuses as JSON.
//
//	$ change-servers
//	{"added":["calculator","off"],"removed":[],"errors":{},"changed":[]}
//	calculator connected true
//	off disabled false
//	enabled: false tools: false
//	enabled: true tools: true
//	42
//	{"added":[],"removed":["off"],"errors":{},"changed":[]}
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/stdmcp/stdmcp/mcp/host"
	mcpconfig "github.com/stdmcp/stdmcp/mcp/host/config"
)

func main() {
	ctx := context.Background()
	h := host.New(nil)
	defer h.Shutdown(ctx)
	set := func(text string) {
		diff, err := json.Marshal(h.SetServers(ctx, mcpconfig.Parse([]byte(text), "", "local").Servers))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(diff))
	}
	set(`{"mcpServers": {"calculator": {"command": "mcpecho", "args": ["serve"]}, "off": {"command": "mcpecho", "disabled": true}}}`)
	status, err := json.Marshal(h.Status()) // no secrets, states as words, errors as text
	if err != nil {
		log.Fatal(err)
	}
	var list []struct {
		Name, Status string
		Tools        []struct{ Name string }
	}
	if err := json.Unmarshal(status, &list); err != nil {
		log.Fatal(err)
	}
	for _, s := range list {
		fmt.Println(s.Name, s.Status, len(s.Tools) > 0)
	}
	for _, enabled := range []bool{false, true} { // the connection stays
		if err := h.SetEnabled("calculator", enabled); err != nil {
			log.Fatal(err)
		}
		fmt.Println("enabled:", enabled, "tools:", len(h.Tools()) > 0)
	}
	if err := h.Reconnect(ctx, "calculator"); err != nil {
		log.Fatal(err)
	}
	res, err := h.CallTool(ctx, "calculator", "add", map[string]any{"a": 2, "b": 40})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Text())
	set(`{"mcpServers": {"calculator": {"command": "mcpecho", "args": ["serve"]}}}`)
}
