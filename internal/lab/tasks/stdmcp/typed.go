package stdmcp

import (
	"context"

	"github.com/stdmcp/stdmcp/internal/lab/tasks/model"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
	"github.com/stdmcp/stdmcp/mcp/typed"
)

func Typed(ctx context.Context, url string, in model.City) (out model.Weather, err error) {
	client, err := mcp.Connect(ctx, streamhttp.New(url, nil), nil)
	if err != nil {
		return out, err
	}
	defer client.Close()
	return typed.Call[model.City, model.Weather](ctx, client, "weather", in)
}
