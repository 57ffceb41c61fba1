package main

import (
	"context"
	"encoding/json"

	"github.com/stdmcp/stdmcp/mcp/host"
)

// An outputTool is an OutputTool. For names such as mcp_github_create_issue, set
// Options.Naming to host.MCPUnderscore.
type outputTool struct{ *host.Tool }

func (t outputTool) Execute(ctx context.Context, input *Input) (*Output, error) {
	out := &Output{ToolName: t.Name()}
	res, err := t.Call(ctx, input.Params)
	switch {
	case err != nil:
		out.Error = err.Error()
	case res.IsError:
		out.Error = host.Text(res)
	default:
		out.Success, out.Result = true, host.Text(res)
		if raw := host.Structured(res); raw != nil {
			return out, json.Unmarshal(raw, &out.Result)
		}
	}
	return out, nil
}

func (t outputTool) CanExecute(agent *Agent) bool {
	return host.Capabilities(agent.Capabilities).Allow(t.Server(), t.Definition().Name)
}

// registerOutputTools registers all tools.
func registerOutputTools(h *host.Host, register func(OutputTool)) {
	for _, t := range h.Tools() {
		register(outputTool{t})
	}
}
