// Command many is the loop of an agent with all servers of its configuration file.
// It calls read-only tools without asking its user.
//
//	$ cat servers.json
//	{"mcpServers": {"calculator": {"command": "mcpecho", "args": ["serve"]}}}
//	$ many servers.json
//	mcp__calculator__add → 42
//	mcp__calculator__update → [MCP:calculator] tool "update" was not called: not permitted: the user must approve it, and no Approver asks the user
//	It is 42.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: many FILE")
	}
	ctx := context.Background()
	servers := config.LoadFile(os.Args[1]) // config.Load(".") reads the files of the user and the project
	for _, problem := range servers.Problems {
		log.Print(problem) // the other entries are loaded
	}
	h := host.New(&host.Options{Approve: host.ReadOnly})
	defer h.Shutdown(ctx)
	diff := h.SetServers(ctx, servers.Servers)
	if err := diff.Err(); err != nil {
		log.Fatal(err)
	}
	text, err := perform(ctx, h, "What is 2 + 40?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
}

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

// perform performs a task with the tools of the host.
func perform(ctx context.Context, h *host.Host, task string) (string, error) {
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
