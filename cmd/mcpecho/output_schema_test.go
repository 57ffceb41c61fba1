package main

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// outputServer returns the URL of a server whose tools have the same output schema and
// return structured content that fits it or not.
func outputServer(t *testing.T) string {
	t.Helper()
	s := mcptest.New(t)
	for name, content := range map[string]string{"right": `{"sum":3}`, "wrong": `{"sum":"3"}`, "none": "null", "failing": "null", "unusable": `{"sum":3}`} {
		tool := s.Tool(name, nil, func(*mcptest.Call) (any, error) {
			res := &mcp.CallToolResult{Content: []mcp.Content{{Type: mcp.ContentText, Text: "three"}}, IsError: name == "failing"}
			if content != "null" {
				res.StructuredContent = mcp.RawMessage(content)
			}
			return res, nil
		})
		tool.OutputSchema = mcp.RawMessage(`{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}`)
		if name == "unusable" {
			tool.OutputSchema = mcp.RawMessage(`{"type":"object","$ref":"https://example.com/schema"}`)
		}
	}
	return s.StartHTTP(nil).URL
}

// TestOutputSchemas: a result that violates its schema is printed, and then an error.
func TestOutputSchemas(t *testing.T) {
	t.Parallel()
	url := outputServer(t)
	const wrong = `the result of the tool "wrong" violates its output schema: structuredContent: /sum: want number, got string`
	const none = `the result of the tool "none" violates its output schema: it has no structuredContent`
	for _, args := range [][]string{nil, {"{}"}} {
		call := func(tool string) result { return runCommand(t, append([]string{"call", url, tool}, args...)...) }
		call("right").want(t, 0, "three\n", "")
		call("wrong").want(t, failure.Refused, "three\n", "mcpecho: "+wrong+"\n")
		call("none").want(t, failure.Refused, "three\n", "mcpecho: "+none+"\n")
		call("failing").want(t, failure.Refused, "three\n", "mcpecho: the tool \"failing\" failed\n")
		call("unusable").want(t, 0, "three\n", "The result was not checked, as the tool's output schema cannot be used: ")
	}
	o := runCommand(t, "call", url, "wrong", "--json")
	o.want(t, failure.Refused, o.stdout, `{"error":{"kind":"output","message":"the result of the tool \"wrong\"`)
	if !strings.Contains(o.stdout, `"structuredContent":{"sum":"3"}`) {
		t.Errorf("%+v", o)
	}
	o = runCommand(t, "raw", url, "tools/call", `{"name":"wrong"}`)
	o.want(t, failure.Refused, o.stdout, wrong)
	runCommand(t, "raw", url, "tools/call", `{"name":"right"}`).want(t, 0, strings.NewReplacer(`"3"`, "3").Replace(o.stdout), "")
	o = runCommandWithInput(t, "call wrong\nraw tools/call {\"name\":\"none\"}\ncall right", "shell", url)
	if o.status != failure.Refused || !strings.Contains(o.stderr, wrong) || !strings.Contains(o.stderr, none) || strings.Count(o.stderr, "\n") != 2 {
		t.Errorf("%+v", o)
	}
}

// Before 2025-06-18, no version has output schemas: a server may list one and know
// nothing of structured content.
func TestOutputSchemasOfEarlyVersions(t *testing.T) {
	t.Parallel()
	url := outputServer(t)
	runCommand(t, "call", url, "none", "--protocol", "2025-03-26").want(t, 0, "three\n", "")
	runCommand(t, "call", url, "wrong", "--protocol", "2025-03-26").want(t, failure.Refused, "three\n", "violates")
}
