// Command manager calls a tool of one of the servers in a configuration file. Its
// test ports one of picoclaw, an agent, to package mcptest.
//
//	$ manager servers.json calculator add '{"a": 2, "b": 40}'
//	42
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/stdmcp/stdmcp/mcp/host"
	mcpconfig "github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
)

// A Manager keeps the connections of an agent.
type Manager struct{ host *host.Host }

func NewManager() *Manager {
	return &Manager{host.New(&host.Options{Dialers: dialers.All(nil)})}
}

// Connect connects to servers. It fails if none can be connected.
func (m *Manager) Connect(ctx context.Context, servers ...*host.Server) error {
	diff := m.host.SetServers(ctx, servers)
	return diff.Err()
}

// Call calls a tool and returns its text. A session that the server has lost is
// renewed.
func (m *Manager) Call(ctx context.Context, server, tool string, args json.RawMessage) (string, error) {
	res, err := m.host.CallTool(ctx, server, tool, args)
	if err != nil {
		return "", err
	}
	return host.Text(res), nil
}

func (m *Manager) Close() error { return m.host.Shutdown(context.Background()) }

func main() {
	if len(os.Args) != 5 {
		log.Fatal("usage: manager FILE SERVER TOOL ARGUMENTS")
	}
	ctx, m := context.Background(), NewManager()
	defer m.Close()
	if err := m.Connect(ctx, mcpconfig.LoadFile(os.Args[1]).Servers...); err != nil {
		log.Fatal(err)
	}
	text, err := m.Call(ctx, os.Args[2], os.Args[3], json.RawMessage(os.Args[4]))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
}
