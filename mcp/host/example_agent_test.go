package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
)

// A message is a part of the conversation with a model; Content is text or a
// list of blocks.
type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

// A reply is a model's answer: text, or a tool to call.
type reply struct {
	Text, ID, Tool string
	Input          json.RawMessage
}

// askModel stands for a request to a model. This model adds two numbers, tries
// a tool that it may not use, and answers.
func askModel(tools json.RawMessage, conversation []message) reply {
	switch len(conversation) {
	case 1:
		return reply{ID: "use_1", Tool: "mcp__calculator__add", Input: json.RawMessage(`{"a": 2, "b": 40}`)}
	case 3:
		return reply{ID: "use_2", Tool: "mcp__calculator__update"}
	}
	return reply{Text: "It is 42."}
}

// agent performs a task with the tools of the host.
func agent(ctx context.Context, h *host.Host, task string) (string, error) {
	const turns = 10
	conversation := []message{{"user", task}}
	for range turns {
		tools, err := schema.List(schema.Anthropic, h.Tools()) // in each turn, because tools may change
		if err != nil {
			log.Print(err) // the other tools are in the list
		}
		r := askModel(tools, conversation)
		if r.Tool == "" {
			return r.Text, nil
		}
		res := use(ctx, h, r)
		fmt.Println(r.Tool, "→", host.Text(res))
		conversation = append(conversation, message{"assistant", r},
			message{"user", []json.RawMessage{schema.AnthropicResult(r.ID, res)}})
	}
	return "", fmt.Errorf("no result within %d turns", turns)
}

// use calls a tool. Errors become results for the model.
func use(ctx context.Context, h *host.Host, r reply) *mcp.CallToolResult {
	tool := h.Tool(r.Tool)
	if tool == nil {
		return schema.ErrorResult(fmt.Errorf("there is no tool %q", r.Tool))
	}
	res, err := tool.Call(ctx, r.Input)
	if err != nil {
		return schema.ErrorResult(err)
	}
	return res
}

// The loop of an agent. It calls read-only tools without asking. A real program
// reads its servers from files: config.Load(".").Servers.
func Example_agent() {
	ctx := context.Background()
	h := host.New(&host.Options{Approve: host.ReadOnly})
	defer h.Shutdown(ctx)
	command, env := testserver.Command(nil) // of a server with the tools add and update
	diff := h.SetServers(ctx, []*host.Server{{Name: "calculator", Type: "stdio", Command: command[0], Args: command[1:], Env: env}})
	if err := diff.Err(); err != nil {
		log.Fatal(err)
	}
	text, err := agent(ctx, h, "What is 2 + 40?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	// Output:
	// mcp__calculator__add → 42
	// mcp__calculator__update → [MCP:calculator] tool "update" was not called: not permitted: the user must approve it, and no Approver asks the user
	// It is 42.
}
