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
		return mcp.Content{Type: mcp.ContentImage, MIMEType: "image/png", Data: "iVBORw0KGgo="}, nil
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
	found, err := schema.Check("gemini", s)
	if err != nil || len(found) > 0 || !strings.HasPrefix(s.name, "mcp__") {
		t.Errorf("the API refuses %s with %s: %+v, %v", s.name, s.schema, found, err)
	}
}

// fakeAPI serves the Gemini API: a model that calls four tools at once and then
// answers. It fails the test for a request that the API would refuse. unknown is the
// text for the model about a tool that does not exist.
func fakeAPI(t *testing.T, unknown string) {
	turn := 0
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Tools []struct {
				FunctionDeclarations []struct {
					Name, Description    string
					ParametersJSONSchema json.RawMessage
				}
			}
			Contents []struct {
				Role  string
				Parts json.RawMessage
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		if r.Method != "POST" || r.URL.Path != "/v1beta/models/gemini-test:generateContent" || r.Header.Get("X-Goog-Api-Key") != "key" {
			t.Errorf("request %s %s with %v", r.Method, r.URL, r.Header)
		}
		if len(q.Tools) != 1 || len(q.Tools[0].FunctionDeclarations) != 3 || len(q.Contents) != 1+2*turn {
			t.Fatalf("turn %d: tools %+v, %d contents", turn, q.Tools, len(q.Contents))
		}
		for _, tool := range q.Tools[0].FunctionDeclarations {
			accept(t, sent{tool.Name, tool.Description, tool.ParametersJSONSchema})
		}
		for i, c := range q.Contents {
			if want := []string{"user", "model"}[i%2]; c.Role != want {
				t.Errorf("content %d is of the role %s, want %s", i, c.Role, want)
			}
		}
		const calls = `[{"text":"I look first.","thought":true},
			{"functionCall":{"id":"f1","name":"mcp__calculator__add","args":{"a":2,"b":40}},"thoughtSignature":"c2ln"},
			{"functionCall":{"id":"f2","name":"mcp__camera__picture","args":{}}},
			{"functionCall":{"id":"f3","name":"mcp__camera__zoom"}},
			{"functionCall":{"id":"f4","name":"mcp__camera__pictures","args":{}}}]`
		switch turn++; turn {
		case 1:
			wantJSON(t, q.Contents[0].Parts, `[{"text":"What do you see?"}]`)
			_, _ = w.Write([]byte(`{"candidates":[{"finishReason":"STOP","content":{"role":"model","parts":` + calls + `}}]}`))
		case 2:
			// The API requires the parts of the model as they were, one part for each
			// call and nothing beside them, and images in the part of their call.
			wantJSON(t, q.Contents[1].Parts, calls)
			wantJSON(t, q.Contents[2].Parts, `[{"functionResponse":{"id":"f1","name":"mcp__calculator__add","response":{"output":"42"}}},
				{"functionResponse":{"id":"f2","name":"mcp__camera__picture","response":{"output":"[image content: image/png, 8 bytes]"},
					"parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}]}},
				{"functionResponse":{"id":"f3","name":"mcp__camera__zoom","response":{"error":"the lens is stuck"}}},
				{"functionResponse":{"id":"f4","name":"mcp__camera__pictures","response":{"error":`+quote(unknown)+`}}}]`)
			_, _ = w.Write([]byte(`{"candidates":[{"finishReason":"STOP","content":{"role":"model","parts":[{"text":"A cat, and 42."}]}}]}`))
		default:
			t.Errorf("turn %d", turn)
		}
	}))
	t.Cleanup(api.Close)
	t.Setenv("GOOGLE_GEMINI_BASE_URL", api.URL)
	t.Setenv("GEMINI_API_KEY", "key")
	t.Setenv("MODEL", "gemini-test")
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
		{400, `{"error":{"status":"INVALID_ARGUMENT"}}`, "", "400 Bad Request: {\"error\":{\"status\":\"INVALID_ARGUMENT\"}}"},
		{200, `{"candidates":[{"finishReason":"MAX_TOKENS","content":{"parts":[{"text":"It is"}]}}]}`, "It is", "the model stopped early: MAX_TOKENS"},
		{200, `{"promptFeedback":{"blockReason":"SAFETY"}}`, "", "no candidates: SAFETY"},
		{200, `<html>`, "", "invalid character"},
	} {
		api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.body))
		}))
		t.Cleanup(api.Close)
		t.Setenv("GOOGLE_GEMINI_BASE_URL", api.URL)
		text, err := answer(t.Context(), start(t), "What is 2 + 40?")
		if err == nil || text != test.text || !strings.Contains(err.Error(), test.error) {
			t.Errorf("answer %q, %v; want %q and an error with %q", text, err, test.text, test.error)
		}
	}
}
