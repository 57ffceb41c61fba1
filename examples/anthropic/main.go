// Command anthropic is an agent with the Messages API of Anthropic and the tools
// of all servers in a configuration file:
//
//	ANTHROPIC_API_KEY=… anthropic servers.json 'What is 2 + 40?'
//
// ANTHROPIC_BASE_URL and MODEL replace the URL of the API and the model.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"sync"

	"github.com/stdmcp/stdmcp/mcp/host"
	mcpconfig "github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: anthropic FILE QUESTION")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	text, err := ask(ctx, os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
}

// ask answers a question with the servers of a configuration file.
func ask(ctx context.Context, file, question string) (string, error) {
	servers := mcpconfig.LoadFile(file)
	for _, problem := range servers.Problems {
		log.Print(problem) // the other entries are loaded
	}
	h := host.New(&host.Options{Dialers: dialers.All(nil)})
	defer h.Shutdown(context.Background()) // also after Ctrl-C
	for _, err := range h.SetServers(ctx, servers.Servers).SortedErrors() {
		log.Print(err) // the agent works with the other servers
	}
	return answer(ctx, h, question)
}

// A message is one turn of the conversation. Content is text or a list of blocks.
type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

// A block is a part of what the model writes: text, or a call of a tool.
type block struct {
	Type, Text, ID, Name string
	Input                json.RawMessage
}

// answer returns the model's answer to a question. The model may call tools in up
// to 20 turns.
func answer(ctx context.Context, h *host.Host, question string) (string, error) {
	conversation := []message{{"user", question}}
	for range 20 {
		tools, err := schema.List(schema.Anthropic, h.Tools()) // in each turn, because tools may change
		if err != nil {
			log.Print(err) // the other tools are in the list
		}
		var reply struct {
			Content    []json.RawMessage
			StopReason string `json:"stop_reason"`
		}
		err = post(ctx, map[string]any{
			"model":      cmp.Or(os.Getenv("MODEL"), "claude-sonnet-4-5"),
			"max_tokens": 4096,
			"tools":      tools,
			"messages":   conversation,
		}, &reply)
		if err != nil {
			return "", err
		}
		text, calls := "", []block(nil)
		for _, raw := range reply.Content {
			var b block
			if err := json.Unmarshal(raw, &b); err != nil {
				return "", err
			}
			switch b.Type {
			case "text":
				text += b.Text
			case "tool_use":
				calls = append(calls, b)
			}
		}
		switch reply.StopReason {
		case "end_turn", "stop_sequence":
			return text, nil
		case "tool_use":
			conversation = append(conversation, // with blocks that this program does not know
				message{"assistant", reply.Content},
				message{"user", run(ctx, h, calls)})
		default: // max_tokens, refusal
			return text, fmt.Errorf("the model stopped early: %s", reply.StopReason)
		}
	}
	return "", errors.New("no answer within 20 turns")
}

// run makes the calls of one turn at the same time. It returns a result for each,
// in their order; an error is a result that the model can act on.
func run(ctx context.Context, h *host.Host, calls []block) []json.RawMessage {
	results := make([]json.RawMessage, len(calls))
	var wg sync.WaitGroup
	for i, call := range calls {
		wg.Go(func() {
			res, err := h.Call(ctx, call.Name, call.Input)
			if err != nil {
				res = schema.ErrorResult(err)
			}
			results[i] = schema.AnthropicResult(call.ID, res)
		})
	}
	wg.Wait()
	return results
}

// post sends a request to the API and decodes the response.
func post(ctx context.Context, request, reply any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	url := cmp.Or(os.Getenv("ANTHROPIC_BASE_URL"), "https://api.anthropic.com") + "/v1/messages"
	r, err := http.NewRequestWithContext(ctx, "POST", url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Anthropic-Version", "2023-06-01")
	r.Header.Set("X-Api-Key", os.Getenv("ANTHROPIC_API_KEY"))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %.500s", url, resp.Status, body)
	}
	return json.Unmarshal(body, reply)
}
