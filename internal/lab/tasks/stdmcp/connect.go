// Package stdmcp does ten tasks of a client with stdmcp.
package stdmcp

import (
	"context"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

func Connect(ctx context.Context, command string, args ...string) (string, error) {
	client, err := mcp.Connect(ctx, stdio.Command(command, args...), nil)
	if err != nil {
		return "", err
	}
	defer client.Close()
	res, err := client.CallTool(ctx, "echo", map[string]any{"message": "hello"})
	if err != nil {
		return "", err
	}
	return res.Text(), nil
}
