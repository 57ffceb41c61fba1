// Package agent is an agent: a loop between a model, reached over HTTP, and tools.
// It links what agents link anyway (net/http, encoding/json, os/exec, fmt,
// log/slog), so that the size of a program minus that of agent/bare is the size
// that an MCP client adds.
package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
)

// A Tool is a function that the model may call.
type Tool struct {
	Name, Description string
	Schema            json.RawMessage
	Call              func(ctx context.Context, arguments json.RawMessage) (string, error) `json:"-"`
}

type message struct {
	Role    string   `json:"role"`
	Content string   `json:"content"`
	Calls   []called `json:"calls,omitempty"`
}

type called struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// Main runs the agent with the tools that load returns for its arguments: the
// URL of a model, a question, and what the tools need.
func Main(load func(ctx context.Context, args []string) (tools []Tool, stop func(), err error)) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	tools, stop, err := load(ctx, os.Args[3:])
	if err != nil {
		log.Error("loading tools", "error", err)
		os.Exit(1)
	}
	defer stop()
	answer, err := run(ctx, log, append(tools, shell), os.Args[1], os.Args[2])
	if err != nil {
		log.Error("running", "error", err)
		return
	}
	fmt.Println(answer)
}

// shell is the agent's own tool.
var shell = Tool{"shell", "Runs a command", json.RawMessage(`{"type":"object"}`), func(ctx context.Context, arguments json.RawMessage) (string, error) {
	var in struct{ Command []string }
	if err := json.Unmarshal(arguments, &in); err != nil || len(in.Command) == 0 {
		return "", fmt.Errorf("no command in %s: %w", arguments, err)
	}
	out, err := exec.CommandContext(ctx, in.Command[0], in.Command[1:]...).CombinedOutput()
	return string(out), err
}}

func run(ctx context.Context, log *slog.Logger, tools []Tool, url, question string) (string, error) {
	messages := []message{{Role: "user", Content: question}}
	for {
		reply, err := ask(ctx, url, map[string]any{"messages": messages, "tools": tools})
		if err != nil || len(reply.Calls) == 0 {
			return reply.Content, err
		}
		messages = append(messages, reply)
		for _, c := range reply.Calls {
			log.Info("calling", "tool", c.Name)
			text := "no such tool"
			for _, t := range tools {
				if t.Name == c.Name {
					if text, err = t.Call(ctx, c.Arguments); err != nil {
						text = err.Error()
					}
				}
			}
			messages = append(messages, message{Role: "tool", Content: text})
		}
	}
}

func ask(ctx context.Context, url string, request any) (reply message, err error) {
	body, err := json.Marshal(request)
	if err != nil {
		return reply, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return reply, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return reply, err
	}
	defer resp.Body.Close()
	return reply, json.NewDecoder(resp.Body).Decode(&reply)
}
