package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	mcpconfig "github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// start returns a host with two servers.
func start(t *testing.T) *host.Host {
	calculator, camera := mcptest.New(t), mcptest.New(t)
	calculator.Tool("add", map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "number"}, "b": map[string]any{"type": "number"}}},
		func(c *mcptest.Call) (any, error) { return c.Number("a") + c.Number("b"), nil })
	camera.Tool("picture", nil, func(*mcptest.Call) (any, error) {
		return mcp.Content{Type: mcp.ContentImage, MIMEType: "image/gif", Data: "R0lGODlhAQABAA=="}, nil
	})
	camera.Tool("zoom", nil, func(*mcptest.Call) (any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent("the lens is stuck")}, IsError: true}, nil
	})
	h := host.New(&host.Options{Dialers: host.Dialers{mcpconfig.SDK: host.InProcess(map[string]mcp.Transport{"calculator": calculator, "camera": camera})}})
	t.Cleanup(func() { h.Shutdown(t.Context()) })
	if err := h.SetServers(t.Context(), []*host.Server{{Name: "calculator", Type: mcpconfig.SDK}, {Name: "camera", Type: mcpconfig.SDK}}).Err(); err != nil {
		t.Fatal(err)
	}
	return h
}

// A sent tool is a definition as the API receives it.
type sent struct {
	name, description string
	schema            json.RawMessage
}

func (s sent) Name() string                { return s.name }
func (s sent) Description() string         { return s.description }
func (s sent) InputSchema() mcp.RawMessage { return s.schema }

// accept fails the test if the API would refuse a definition.
func accept(t *testing.T, s sent) {
	t.Helper()
	found, err := schema.Check("anthropic", s)
	if err != nil || len(found) > 0 || !strings.HasPrefix(s.name, "mcp__") {
		t.Errorf("the API refuses %s with %s: %+v, %v", s.name, s.schema, found, err)
	}
}

// fakeAPI serves the Messages API: a model that calls four tools at once and then
// answers. It fails the test for a request that the API would refuse. unknown is the
// text for the model about a tool that does not exist.
func fakeAPI(t *testing.T, unknown string) {
	turn := 0
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Model     string
			MaxTokens int `json:"max_tokens"`
			Tools     []struct {
				Name, Description string
				InputSchema       json.RawMessage `json:"input_schema"`
			}
			Messages []struct {
				Role    string
				Content json.RawMessage
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		if r.Method != "POST" || r.URL.Path != "/v1/messages" || r.Header.Get("X-Api-Key") != "key" || r.Header.Get("Anthropic-Version") == "" {
			t.Errorf("request %s %s with %v", r.Method, r.URL, r.Header)
		}
		if q.Model == "" || q.MaxTokens <= 0 || len(q.Tools) != 3 || len(q.Messages) != 1+2*turn {
			t.Errorf("turn %d: model %q, %d tokens, %d tools, %d messages", turn, q.Model, q.MaxTokens, len(q.Tools), len(q.Messages))
		}
		for _, tool := range q.Tools {
			accept(t, sent{tool.Name, tool.Description, tool.InputSchema})
		}
		for i, m := range q.Messages {
			if want := []string{"user", "assistant"}[i%2]; m.Role != want {
				t.Errorf("message %d is of the role %s, want %s", i, m.Role, want)
			}
		}
		const calls = `[{"type":"thinking","thinking":"Hm.","signature":"s1"},{"type":"text","text":"Let me see."},
			{"type":"tool_use","id":"t1","name":"mcp__calculator__add","input":{"a":2,"b":40}},
			{"type":"tool_use","id":"t2","name":"mcp__camera__picture","input":{}},
			{"type":"tool_use","id":"t3","name":"mcp__camera__zoom","input":{}},
			{"type":"tool_use","id":"t4","name":"mcp__camera__pictures","input":{}}]`
		switch turn++; turn {
		case 1:
			wantJSON(t, q.Messages[0].Content, `"What do you see?"`)
			_, _ = w.Write([]byte(`{"type":"message","role":"assistant","stop_reason":"tool_use","content":` + calls + `}`))
		case 2:
			wantJSON(t, q.Messages[1].Content, calls)
			wantJSON(t, q.Messages[2].Content, `[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"42"}]},
				{"type":"tool_result","tool_use_id":"t2","content":[{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"R0lGODlhAQABAA=="}}]},
				{"type":"tool_result","tool_use_id":"t3","content":[{"type":"text","text":"the lens is stuck"}],"is_error":true},
				{"type":"tool_result","tool_use_id":"t4","content":[{"type":"text","text":`+quote(unknown)+`}],"is_error":true}]`)
			_, _ = w.Write([]byte(`{"type":"message","role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":"A cat, and 42."}]}`))
		default:
			t.Errorf("turn %d", turn)
		}
	}))
	t.Cleanup(api.Close)
	t.Setenv("ANTHROPIC_BASE_URL", api.URL)
	t.Setenv("ANTHROPIC_API_KEY", "key")
}

func quote(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// wantJSON compares two JSON values.
func wantJSON(t *testing.T, got json.RawMessage, want string) {
	var a, b any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Errorf("%v in %s", err, got)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Error(err)
	}
	x, _ := json.Marshal(a) // sorts the keys
	y, _ := json.Marshal(b)
	if string(x) != string(y) {
		t.Errorf("the API received %s\nwant %s", x, y)
	}
}

func TestToolsOfTwoServers(t *testing.T) {
	h := start(t)
	_, unknown := h.Call(t.Context(), "mcp__camera__pictures", nil)
	fakeAPI(t, unknown.Error())
	text, err := answer(t.Context(), h, "What do you see?")
	if err != nil || text != "A cat, and 42." {
		t.Errorf("answer %q, %v", text, err)
	}
}

func TestErrorOfAPI(t *testing.T) {
	for _, test := range []struct {
		status            int
		body, text, error string
	}{
		{429, `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`, "", "429 Too Many Requests: {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow down\"}}"},
		{200, `{"stop_reason":"max_tokens","content":[{"type":"text","text":"It is"}]}`, "It is", "the model stopped early: max_tokens"},
		{200, `<html>`, "", "invalid character"},
	} {
		api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.body))
		}))
		t.Cleanup(api.Close)
		t.Setenv("ANTHROPIC_BASE_URL", api.URL)
		text, err := answer(t.Context(), start(t), "What is 2 + 40?")
		if err == nil || text != test.text || !strings.Contains(err.Error(), test.error) {
			t.Errorf("answer %q, %v; want %q and an error with %q", text, err, test.text, test.error)
		}
	}
}
