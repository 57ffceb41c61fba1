// A program that calls one tool of the servers of .mcp.json with stdmcp, with
// definitions and results in the formats of all model providers. It starts the
// servers.
package main

import (
	"os"

	"github.com/stdmcp/stdmcp/internal/lab/peers/programs/hosts"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
)

func main() { hosts.Run(config.Load(".").Servers, nil, list) }

// list prints what a provider gets, in place of the API's client.
func list(h *host.Host) []*host.Tool {
	tools := h.Tools()
	for _, define := range []schema.Definer{schema.Anthropic, schema.OpenAI, schema.OpenAIResponses, schema.Gemini} {
		b, err := schema.List(define, tools)
		if err != nil {
			b = mcp.RawMessage(err.Error())
		}
		os.Stdout.Write(append(b, '\n'))
	}
	res := &mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent("no tool was called")}}
	for _, write := range []func(string, *mcp.CallToolResult) mcp.RawMessage{
		schema.AnthropicResult, schema.OpenAIResult, schema.OpenAIResponsesResult, schema.GeminiResult,
	} {
		os.Stdout.Write(append(write("1", res), '\n'))
	}
	return tools
}
