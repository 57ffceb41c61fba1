// Command connect-on-use connects to a server on the first call. It limits agents by
// capabilities, and prints the categories of errors and the metrics of the server.
//
//	$ connect-on-use
//	calculator  pending (disconnected)
//	mcp_calculator_add: 42
//	mcp_calculator_add: tool error UNKNOWN_TOOL
//	mcp_calculator_fail: tool error TOOL_ERROR
//	connected 2 calls, 1 succeeded, 1 failed; measured: true
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/stdmcp/stdmcp/mcp/host"
	mcpconfig "github.com/stdmcp/stdmcp/mcp/host/config"
)

func main() {
	ctx := context.Background()
	h := host.New(&host.Options{
		Naming:     host.MCPUnderscore,
		MaxServers: 10,
		Timeout:    30 * time.Second,
		Retry:      host.Retry{Max: 5, Initial: time.Second, Cap: time.Minute, Multiplier: 2},
	})
	defer h.Shutdown(ctx)
	h.SetServers(ctx, []*host.Server{{Name: "calculator", Type: mcpconfig.Stdio, Command: "mcpecho", Args: []string{"serve"}, Lazy: true}})
	fmt.Println(h.Status()[0]) // nothing has been started
	call := func(agent *host.View, tool, input string) {
		text, err := agent.Execute(ctx, tool, []byte(input))
		if e := (*host.Error)(nil); errors.As(err, &e) {
			text = fmt.Sprint(e.Category, " error ", e.Code)
		}
		fmt.Println(tool + ": " + text)
	}
	call(h.View().Can(host.Capabilities{"mcp_calculator"}), "mcp_calculator_add", `{"a": 2, "b": 40}`)
	call(h.View().Can(host.Capabilities{"mcp_calculator_echo"}), "mcp_calculator_add", `{"a": 2, "b": 40}`)
	call(h.View().Can(host.Capabilities{"mcp_integration"}), "mcp_calculator_fail", `{}`)
	s, err := h.ServerStatus("calculator")
	if err != nil {
		log.Fatal(err)
	}
	m := s.Metrics
	fmt.Println(s.State, m.Calls, "calls,", m.Successes, "succeeded,", m.Failures, "failed; measured:", m.ResponseTime > 0)
}
