// An agent without an MCP client, which the other agents are compared with.
package main

import (
	"context"

	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/agent"
)

func main() {
	agent.Main(func(context.Context, []string) ([]agent.Tool, func(), error) { return nil, func() {}, nil })
}
