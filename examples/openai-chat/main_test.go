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
	found, err := schema.Check("openai", s)
	if err != nil || len(found) > 0 || !strings.HasPrefix(s.name, "mcp__") {
		t.Errorf("the API refuses %s with %s: %+v, %v", s.name, s.schema, found, err)
	}
}

// fakeAPI serves the Chat Completions API: a model that calls four tools at once and
// then answers. It fails the test for a request that the API would refuse. unknown is
// the text for the model about a tool that does not exist.
func fakeAPI(t *testing.T, unknown string) {
	turn := 0
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Model string
			Tools []struct {
				Type     string
				Function struct {
					Name, Description string
					Parameters        json.RawMessage
				}
			}
			Messages json.RawMessage
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		if r.Method != "POST" || r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer key" {
			t.Errorf("request %s %s with %v", r.Method, r.URL, r.Header)
		}
		if q.Model == "" || len(q.Tools) != 3 {
			t.Errorf("turn %d: model %q, %d tools", turn, q.Model, len(q.Tools))
		}
		for _, tool := range q.Tools {
			if accept(t, sent{tool.Function.Name, tool.Function.Description, tool.Function.Parameters}); tool.Type != "function" {
				t.Errorf("tool %+v", tool)
			}
		}
		const question = `{"role":"user","content":"What do you see?"}`
		const calls = `{"role":"assistant","content":null,"tool_calls":[
			{"type":"function","id":"c1","function":{"name":"mcp__calculator__add","arguments":"{\"a\":2,\"b\":40}"}},
			{"type":"function","id":"c2","function":{"name":"mcp__camera__picture","arguments":"{}"}},
			{"type":"function","id":"c3","function":{"name":"mcp__camera__zoom","arguments":""}},
			{"type":"function","id":"c4","function":{"name":"mcp__camera__pictures","arguments":"{}"}}]}`
		switch turn++; turn {
		case 1:
			wantJSON(t, q.Messages, "["+question+"]")
			_, _ = w.Write([]byte(`{"choices":[{"finish_reason":"tool_calls","message":` + calls + `}]}`))
		case 2:
			wantJSON(t, q.Messages, "["+question+","+calls+`,
				{"role":"tool","tool_call_id":"c1","content":"42"},
				{"role":"tool","tool_call_id":"c2","content":"[image content: image/gif, 10 bytes]"},
				{"role":"tool","tool_call_id":"c3","content":"Error: the lens is stuck"},
				{"role":"tool","tool_call_id":"c4","content":`+quote("Error: "+unknown)+`}]`)
			_, _ = w.Write([]byte(`{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"A cat, and 42."}}]}`))
		default:
			t.Errorf("turn %d", turn)
		}
	}))
	t.Cleanup(api.Close)
	t.Setenv("OPENAI_BASE_URL", api.URL+"/v1")
	t.Setenv("OPENAI_API_KEY", "key")
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
		{404, `{"error":{"message":"model not found"}}`, "", "404 Not Found: {\"error\":{\"message\":\"model not found\"}}"},
		{200, `{"choices":[{"finish_reason":"length","message":{"content":"It is"}}]}`, "It is", "the model stopped early: length"},
		{200, `{"choices":[]}`, "", "no choices"},
		{200, `<html>`, "", "invalid character"},
	} {
		api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.body))
		}))
		t.Cleanup(api.Close)
		t.Setenv("OPENAI_BASE_URL", api.URL)
		text, err := answer(t.Context(), start(t), "What is 2 + 40?")
		if err == nil || text != test.text || !strings.Contains(err.Error(), test.error) {
			t.Errorf("answer %q, %v; want %q and an error with %q", text, err, test.text, test.error)
		}
	}
}
