// Command openai-chat is an agent with the Chat Completions API of OpenAI, which
// many other providers and programs for local models offer, and the tools of all
// servers in a configuration file. For Ollama on this machine:
//
//	OPENAI_BASE_URL=http://localhost:11434/v1 MODEL=qwen3 openai-chat servers.json 'What is 2 + 40?'
//
// Results of tools are text in this API; the example openai also sends images.
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
		log.Fatal("usage: openai-chat FILE QUESTION")
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

// A message is what the model writes: text, or calls of tools.
type message struct {
	Content   string
	Refusal   string
	ToolCalls []toolCall `json:"tool_calls"`
}

// A toolCall is a call that the model asks for.
type toolCall struct {
	ID       string
	Function struct{ Name, Arguments string }
}

// answer returns the model's answer to a question. The model may call tools in up
// to 20 turns.
func answer(ctx context.Context, h *host.Host, question string) (string, error) {
	conversation := []any{map[string]any{"role": "user", "content": question}}
	for range 20 {
		request := map[string]any{
			"model":    cmp.Or(os.Getenv("MODEL"), "gpt-5-mini"),
			"messages": conversation,
		}
		tools, err := schema.List(schema.OpenAI, h.Tools()) // in each turn, because tools may change
		if err != nil {
			log.Print(err) // the other tools are in the list
		}
		if len(h.Tools()) > 0 { // this API refuses an empty list
			request["tools"] = tools
		}
		var reply struct {
			Choices []struct {
				Message      json.RawMessage
				FinishReason string `json:"finish_reason"`
			}
		}
		if err := post(ctx, request, &reply); err != nil {
			return "", err
		}
		if len(reply.Choices) == 0 {
			return "", errors.New("the API returned no choices")
		}
		var m message
		if err := json.Unmarshal(reply.Choices[0].Message, &m); err != nil {
			return "", err
		}
		reason := reply.Choices[0].FinishReason
		switch {
		case len(m.ToolCalls) > 0 && reason != "length": // some servers call a turn with calls "stop"
			conversation = append(conversation, reply.Choices[0].Message)
			for _, result := range run(ctx, h, m.ToolCalls) {
				conversation = append(conversation, result)
			}
		case reason == "stop":
			return m.Content + m.Refusal, nil
		default:
			return m.Content, fmt.Errorf("the model stopped early: %s", reason)
		}
	}
	return "", errors.New("no answer within 20 turns")
}

// run makes the calls of one turn at the same time. It returns a result for each,
// in their order; an error is a result that the model can act on.
func run(ctx context.Context, h *host.Host, calls []toolCall) []json.RawMessage {
	results := make([]json.RawMessage, len(calls))
	var wg sync.WaitGroup
	for i, call := range calls {
		wg.Go(func() {
			res, err := h.Call(ctx, call.Function.Name, []byte(call.Function.Arguments))
			if err != nil {
				res = schema.ErrorResult(err)
			}
			results[i] = schema.OpenAIResult(call.ID, res)
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
	url := cmp.Or(os.Getenv("OPENAI_BASE_URL"), "https://api.openai.com/v1") + "/chat/completions"
	r, err := http.NewRequestWithContext(ctx, "POST", url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if key := os.Getenv("OPENAI_API_KEY"); key != "" { // local models need none
		r.Header.Set("Authorization", "Bearer "+key)
	}
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
