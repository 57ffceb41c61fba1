// Command gemini is an agent with the Gemini API of Google and the tools of all
// servers in a configuration file:
//
//	GEMINI_API_KEY=… gemini servers.json 'What is 2 + 40?'
//
// GOOGLE_GEMINI_BASE_URL and MODEL replace the URL of the API and the model. Models
// before Gemini 3 accept no images in results.
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

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	mcpconfig "github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: gemini FILE QUESTION")
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

// A content is one turn of the conversation. Parts are kept as the API wrote them:
// it requires the signatures of thoughts in them.
type content struct {
	Role  string            `json:"role"`
	Parts []json.RawMessage `json:"parts"`
}

// A part is a part of what the model writes: text, or a call of a tool.
type part struct {
	Text         string
	Thought      bool // a summary of thoughts, and no part of the answer
	FunctionCall *functionCall
}

// A functionCall is a call that the model asks for.
type functionCall struct {
	ID, Name string
	Args     json.RawMessage
}

// A functionResponse is the result of a call.
type functionResponse struct {
	ID       string           `json:"id,omitempty"`
	Name     string           `json:"name"`
	Response json.RawMessage  `json:"response"`
	Parts    []map[string]any `json:"parts,omitempty"` // images
}

// answer returns the model's answer to a question. The model may call tools in up
// to 20 turns.
func answer(ctx context.Context, h *host.Host, question string) (string, error) {
	conversation := []content{{"user", []json.RawMessage{encode(map[string]any{"text": question})}}}
	for range 20 {
		request := map[string]any{"contents": conversation}
		tools, err := schema.List(schema.Gemini, h.Tools()) // in each turn, because tools may change
		if err != nil {
			log.Print(err) // the other tools are in the list
		}
		if len(h.Tools()) > 0 { // this API refuses an empty list
			request["tools"] = []any{map[string]any{"functionDeclarations": tools}}
		}
		var reply struct {
			Candidates []struct {
				Content      content
				FinishReason string
			}
			PromptFeedback struct{ BlockReason string }
		}
		if err := post(ctx, request, &reply); err != nil {
			return "", err
		}
		if len(reply.Candidates) == 0 {
			return "", fmt.Errorf("the API returned no candidates: %s", reply.PromptFeedback.BlockReason)
		}
		candidate := reply.Candidates[0]
		text, calls := "", []functionCall(nil)
		for _, raw := range candidate.Content.Parts {
			var p part
			if err := json.Unmarshal(raw, &p); err != nil {
				return "", err
			}
			if p.FunctionCall != nil {
				calls = append(calls, *p.FunctionCall)
			} else if !p.Thought {
				text += p.Text
			}
		}
		switch {
		case candidate.FinishReason != "STOP": // also of a turn with calls
			return text, fmt.Errorf("the model stopped early: %s", candidate.FinishReason)
		case len(calls) == 0:
			return text, nil
		}
		conversation = append(conversation, candidate.Content, content{"user", run(ctx, h, calls)})
	}
	return "", errors.New("no answer within 20 turns")
}

// run makes the calls of one turn at the same time. It returns a result for each,
// in their order; an error is a result that the model can act on.
func run(ctx context.Context, h *host.Host, calls []functionCall) []json.RawMessage {
	results := make([]json.RawMessage, len(calls))
	var wg sync.WaitGroup
	for i, call := range calls {
		wg.Go(func() {
			res, err := h.Call(ctx, call.Name, call.Args)
			if err != nil {
				res = schema.ErrorResult(err)
			}
			results[i] = result(call, res)
		})
	}
	wg.Wait()
	return results
}

// result returns the part for the result of a call: with the call's ID, by which
// the API matches the results of parallel calls, and with images.
func result(call functionCall, res *mcp.CallToolResult) json.RawMessage {
	var p struct {
		FunctionResponse functionResponse `json:"functionResponse"`
	}
	if err := json.Unmarshal(schema.GeminiResult(call.Name, res), &p); err != nil {
		panic(err) // the result is JSON
	}
	p.FunctionResponse.ID = call.ID
	for _, c := range res.Content {
		if c.Type == mcp.ContentImage {
			image := map[string]any{"mimeType": c.MIMEType, "data": c.Data}
			p.FunctionResponse.Parts = append(p.FunctionResponse.Parts, map[string]any{"inlineData": image})
		}
	}
	return encode(p)
}

// encode returns the JSON of a value that has JSON.
func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// post sends a request to the API and decodes the response.
func post(ctx context.Context, request, reply any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	url := cmp.Or(os.Getenv("GOOGLE_GEMINI_BASE_URL"), "https://generativelanguage.googleapis.com") + "/v1beta/models/" + cmp.Or(os.Getenv("MODEL"), "gemini-flash-latest") + ":generateContent"
	r, err := http.NewRequestWithContext(ctx, "POST", url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Goog-Api-Key", os.Getenv("GEMINI_API_KEY"))
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
