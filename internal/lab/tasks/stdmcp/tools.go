package stdmcp

import (
	"context"
	"encoding/json"

	"github.com/stdmcp/stdmcp/internal/lab/tasks/model"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func Tools(ctx context.Context, url string, ask model.Ask) error {
	client, err := mcp.Connect(ctx, streamhttp.New(url, nil), nil)
	if err != nil {
		return err
	}
	defer client.Close()
	list, err := client.ListTools(ctx)
	if err != nil {
		return err
	}
	var tools []model.Tool
	for _, t := range list {
		tools = append(tools, model.Tool{Name: t.Name, Description: t.Description, Parameters: t.InputSchema})
	}
	return ask(tools, func(name string, arguments json.RawMessage) (string, error) {
		res, err := client.CallTool(ctx, name, arguments)
		if err != nil {
			return "", err
		}
		return res.Text(), nil
	})
}
