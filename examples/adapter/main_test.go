package main

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

func TestNew(t *testing.T) {
	server := mcptest.New(t)
	server.Inject("server/discover", mcptest.Refuse(-32603, "out of order"))
	server.Inject("initialize", mcptest.Refuse(-32603, "out of order"))
	if _, err := mcp.Connect(t.Context(), server, nil); err == nil || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("error %v", err)
	}
}

func TestTools(t *testing.T) {
	server := mcptest.New(t)
	for name, kind := range map[string]string{"tool1": "string", "tool2": "number"} {
		server.Tool(name, `{"type":"object","properties":{"param1":{"type":"`+kind+`"}}}`, nil)
	}
	server.Inject("tools/list", mcptest.Refuse(-32603, "out of order"))
	client := server.Connect(nil)
	if _, err := Tools(t.Context(), client); err == nil || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("error %v", err)
	}
	if tools, err := Tools(t.Context(), client); err != nil || len(tools) != 2 {
		t.Errorf("tools %v, %v", tools, err)
	}
}

func TestToolCall(t *testing.T) {
	server := mcptest.New(t)
	server.Tool("test-tool", nil, func(c *mcptest.Call) (any, error) { return "result of " + c.Text("param1"), nil })
	tools, err := Tools(t.Context(), server.Connect(nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		input, want, problem string
		faults               []mcptest.Fault
	}{
		{`{"param1":"test value"}`, "result of test value", "", nil},
		{`invalid json`, "", "not JSON", nil},
		{`{}`, "", "out of order", []mcptest.Fault{mcptest.Refuse(-32603, "out of order")}},
	} {
		server.Inject("test-tool", test.faults...)
		text, err := tools[0].Call(t.Context(), test.input)
		if text != test.want || (err != nil) != (test.problem != "") || err != nil && !strings.Contains(err.Error(), test.problem) {
			t.Errorf("%s: %q, %v", test.input, text, err)
		}
	}
	server.WantCall("test-tool", `{"param1":"test value"}`)
}
