package gosdk

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stdmcp/stdmcp/internal/lab/tasks/model"
)

func Tools(ctx context.Context, url string, ask model.Ask) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "tasks", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		return err
	}
	defer session.Close()
	var tools []model.Tool
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			return err
		}
		tools = append(tools, model.Tool{Name: t.Name, Description: t.Description, Parameters: schema})
	}
	return ask(tools, func(name string, arguments json.RawMessage) (string, error) {
		res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
		if err != nil {
			return "", err
		}
		return res.Content[0].(*mcp.TextContent).Text, nil
	})
}
