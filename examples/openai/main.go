// Command openai is an agent with the Responses API of OpenAI and the tools of all
// servers in a configuration file:
//
//	OPENAI_API_KEY=… openai servers.json 'What is 2 + 40?'
//
// OPENAI_BASE_URL and MODEL replace the URL of the API and the model. The example
// openai-chat is for the older Chat Completions API, which other providers and local
// models offer, too.
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
		log.Fatal("usage: openai FILE QUESTION")
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

// An item is a part of what the model writes: a message, or a call of a tool.
type item struct {
	Type      string
	Content   []struct{ Text, Refusal string } // of a message
	CallID    string                           `json:"call_id"`
	Name      string
	Arguments string
}

// answer returns the model's answer to a question. The model may call tools in up
// to 20 turns.
func answer(ctx context.Context, h *host.Host, question string) (string, error) {
	conversation := []any{map[string]any{"role": "user", "content": question}}
	for range 20 {
		tools, err := schema.List(schema.OpenAIResponses, h.Tools()) // in each turn, because tools may change
		if err != nil {
			log.Print(err) // the other tools are in the list
		}
		var reply struct {
			Status string
			Output []json.RawMessage
		}
		err = post(ctx, map[string]any{
			"model": cmp.Or(os.Getenv("MODEL"), "gpt-5-mini"),
			"tools": tools,
			"input": conversation,
		}, &reply)
		if err != nil {
			return "", err
		}
		text, calls := "", []item(nil)
		for _, raw := range reply.Output {
			var i item
			if err := json.Unmarshal(raw, &i); err != nil {
				return "", err
			}
			switch i.Type {
			case "message":
				for _, part := range i.Content {
					text += part.Text + part.Refusal
				}
			case "function_call":
				calls = append(calls, i)
			}
			conversation = append(conversation, raw) // also an item that this program does not know
		}
		switch {
		case reply.Status != "completed":
			return text, fmt.Errorf("the model stopped early: %s", reply.Status)
		case len(calls) == 0:
			return text, nil
		}
		for _, result := range run(ctx, h, calls) {
			conversation = append(conversation, result)
		}
	}
	return "", errors.New("no answer within 20 turns")
}

// run makes the calls of one turn at the same time. It returns a result for each,
// in their order; an error is a result that the model can act on.
func run(ctx context.Context, h *host.Host, calls []item) []json.RawMessage {
	results := make([]json.RawMessage, len(calls))
	var wg sync.WaitGroup
	for i, call := range calls {
		wg.Go(func() {
			res, err := h.Call(ctx, call.Name, []byte(call.Arguments))
			if err != nil {
				res = schema.ErrorResult(err)
			}
			results[i] = schema.OpenAIResponsesResult(call.CallID, res)
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
	url := cmp.Or(os.Getenv("OPENAI_BASE_URL"), "https://api.openai.com/v1") + "/responses"
	r, err := http.NewRequestWithContext(ctx, "POST", url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+os.Getenv("OPENAI_API_KEY"))
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
