package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A tool is a tool with the given schema.
type tool string

func (tool) Name() string                  { return "t" }
func (tool) Description() string           { return "d" }
func (t tool) InputSchema() mcp.RawMessage { return mcp.RawMessage(t) }

// member returns a member of a definition, at nested keys.
func member(t *testing.T, raw mcp.RawMessage, keys ...string) string {
	t.Helper()
	for _, key := range keys {
		var m map[string]json.RawMessage
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		raw = m[key]
	}
	return string(raw)
}

func TestRootForAnthropicAndOpenAI(t *testing.T) {
	for _, test := range []struct{ schema, want string }{
		{`{"type":"object","properties":{"a":{"type":["string","null"],"x":1e400}},"$schema":"s"}`, ""},
		{`{"type":"object"}`, `{"type":"object","properties":{}}`},
		{`{"type":"object","properties":null,"required":null}`, `{"type":"object","properties":{}}`},
		{`{}`, `{"type":"object","properties":{}}`},
		{`true`, `{"type":"object","properties":{}}`},
		{`{"type":"string"}`, `{"type":"object","properties":{}}`},
		{`{"type":["object","null"],"properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}}}`},
		{`{"properties":{"a":{"type":"string"}}}`, `{"properties":{"a":{"type":"string"}},"type":"object"}`},
		{`{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"a":{}},"required":["a"]}}}`,
			`{"$defs":{"A":{"type":"object","properties":{"a":{}},"required":["a"]}},"type":"object","properties":{"a":{}},"required":["a"]}`},
		{`{"oneOf":[{"properties":{"a":{},"b":{}},"required":["a","b"]},{"properties":{"b":{},"c":{}},"required":["b"]}]}`,
			`{"properties":{"a":{},"b":{},"c":{}},"required":["b"],"type":"object"}`},
		{`{"type":"object","allOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}],"required":["z"]}`,
			`{"type":"object","required":["z","a","b"],"properties":{"a":{},"b":{}}}`},
		{`{"$ref":"#"}`, `{"type":"object","properties":{}}`},
		{`{"$ref":"https://elsewhere.invalid/s"}`, `{"type":"object","properties":{}}`},
	} {
		if test.want == "" {
			test.want = test.schema
		}
		d, err := schema.Anthropic(tool(test.schema))
		if err != nil {
			t.Errorf("%s: %v", test.schema, err)
			continue
		}
		if got := member(t, d, "input_schema"); got != test.want {
			t.Errorf("%s:\nhave %s\nwant %s", test.schema, got, test.want)
		}
		d, _ = schema.OpenAI(tool(test.schema))
		if got := member(t, d, "function", "parameters"); got != test.want {
			t.Errorf("OpenAI: have %s", got)
		}
		d, _ = schema.OpenAIResponses(tool(test.schema))
		if got := member(t, d, "parameters"); got != test.want || member(t, d, "name") != `"t"` {
			t.Errorf("Responses: have %s", got)
		}
	}
}

func TestGemini(t *testing.T) {
	for _, test := range []struct{ property, want string }{
		{`{"type":"string","format":"email","minLength":1}`, `{"type":"string","minLength":1,"description":"format: email"}`},
		{`{"type":"string","format":"date-time"}`, `{"type":"string","format":"date-time"}`},
		{`{"type":["string","null"]}`, `{"type":"string","nullable":true}`},
		{`{"type":["string","integer"],"description":"D"}`, `{"anyOf":[{"type":"string","description":"D"},{"type":"integer","description":"D"}]}`},
		{`{"const":"x"}`, `{"type":"string","enum":["x"]}`},
		{`{"enum":["a","b",null]}`, `{"type":"string","enum":["a","b"],"nullable":true}`},
		{`{"type":"integer","enum":[1,2],"description":"D."}`, `{"type":"integer","description":"D. One of: 1, 2."}`},
		{`{"anyOf":[{"type":"string"},{"type":"null"}],"default":"d"}`, `{"type":"string","default":"d","nullable":true}`},
		{`{"oneOf":[{"const":"a"},{"const":"b"}]}`, `{"type":"string","enum":["a","b"]}`},
		{`{"anyOf":[{"type":"string"},{"type":"number"}]}`, `{"anyOf":[{"type":"string"},{"type":"number"}]}`},
		{`{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"type":"object","properties":{"b":{"type":"string"}}}]}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`},
		{`{"allOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"required":["a"]}]}`,
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`},
		{`{"$ref":"#/$defs/S","description":"D"}`, `{"type":"string","description":"D","maxLength":3}`},
		{`{"$ref":"#/$defs/Day","description":"when"}`, `{"type":"string","description":"when\nformat: date"}`},
		{`{"$ref":"#/$defs/Tree"}`, `{"type":"object","properties":{"kids":{"type":"array","items":{"type":"object"}}}}`},
		{`{"$ref":"#/$defs/List"}`, `{"type":"object","properties":{"next":{"type":"object","nullable":true}}}`},
		{`{"allOf":[{"$ref":"#"}]}`, `{"type":"object"}`},
		{`{"$ref":"https://elsewhere.invalid/"}`, `{"type":"object"}`},
		{`{"type":"array"}`, `{"type":"array","items":{"type":"string"}}`},
		{`{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}]}`,
			`{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"number"}]}}`},
		{`{"type":"object","additionalProperties":false,"properties":{"a":true,"b":false},"required":["a","b"]}`,
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`},
		{`true`, `{"type":"string"}`},
		{`{}`, `{"type":"string"}`},
	} {
		s := `{"type":"object","properties":{"p":` + test.property + `},"$defs":{"S":{"type":"string","maxLength":3},"Day":{"type":"string","format":"date"},"List":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/List"},{"type":"null"}]}}},` +
			`"Tree":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/Tree"}}}}}}`
		d, err := schema.GeminiParameters(tool(s))
		if err != nil {
			t.Errorf("%s: %v", test.property, err)
			continue
		}
		if got := member(t, d, "parameters", "properties", "p"); got != test.want {
			t.Errorf("%s:\nhave %s\nwant %s", test.property, got, test.want)
		}
	}
	if d, err := schema.GeminiParameters(tool(`{"type":"object"}`)); err != nil || member(t, d, "parameters") != "" {
		t.Errorf("without parameters: %s, %v", d, err)
	}
}

// bomb returns a schema that expands to 2^n values.
func bomb(n int) tool {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"p":{"$ref":"#/$defs/0"}},"$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/%d"},"b":{"$ref":"#/$defs/%d"}}},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"%d":{"type":"string"}}}`, n)
	return tool(b.String())
}

func TestSchemaBombs(t *testing.T) {
	if _, err := schema.GeminiParameters(bomb(40)); !errors.Is(err, schema.ErrTooComplex) {
		t.Errorf("40 doublings: %v", err)
	}
	wide := tool(`{"type":"object","properties":{"p":{"enum":[` + strings.Repeat("1,", 20_000) + `1]}}}`)
	if _, err := schema.Anthropic(wide); !errors.Is(err, schema.ErrTooComplex) {
		t.Errorf("20,000 values: %v", err)
	}
	list, err := schema.List(schema.GeminiParameters, []tool{`{}`, bomb(40), `{}`})
	if err == nil || !strings.Contains(err.Error(), `tool "t"`) || strings.Count(string(list), `"name"`) != 2 {
		t.Errorf("%s, %v", list, err)
	}
}

func TestResults(t *testing.T) {
	res := &mcp.CallToolResult{Content: []mcp.Content{
		mcp.TextContent("one"), {Type: mcp.ContentImage, MIMEType: "image/png", Data: "R0lGODlhAQABAA=="},
		{Type: mcp.ContentAudio, MIMEType: "audio/wav", Data: "AAAA"},
		{Type: mcp.ContentResource, Resource: &mcp.ResourceContents{URI: "u", Text: "two"}},
	}}
	failure := schema.ErrorResult(errors.New("gone"))
	structured := &mcp.CallToolResult{StructuredContent: mcp.RawMessage(`{"a":9007199254740993}`)}
	for _, test := range []struct{ got, want string }{
		{string(schema.AnthropicResult("i", res)), `{"type":"tool_result","tool_use_id":"i","content":[{"type":"text","text":"one"},` +
			`{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"R0lGODlhAQABAA=="}},` +
			`{"type":"text","text":"[audio content: audio/wav, 3 bytes]"},{"type":"text","text":"two"}]}`},
		{string(schema.AnthropicResult("i", failure)), `{"type":"tool_result","tool_use_id":"i","content":[{"type":"text","text":"gone"}],"is_error":true}`},
		{string(schema.AnthropicResult("i", &mcp.CallToolResult{})), `{"type":"tool_result","tool_use_id":"i","content":[{"type":"text","text":"(empty result)"}]}`},
		{string(schema.OpenAIResult("i", res)), `{"role":"tool","tool_call_id":"i","content":"one\n[image content: image/png, 10 bytes]\n[audio content: audio/wav, 3 bytes]\ntwo"}`},
		{string(schema.OpenAIResult("i", failure)), `{"role":"tool","tool_call_id":"i","content":"Error: gone"}`},
		{string(schema.OpenAIResponsesResult("i", res)), `{"type":"function_call_output","call_id":"i","output":[{"type":"input_text","text":"one"},` +
			`{"type":"input_image","image_url":"data:image/gif;base64,R0lGODlhAQABAA=="},{"type":"input_text","text":"[audio content: audio/wav, 3 bytes]"},{"type":"input_text","text":"two"}]}`},
		{string(schema.OpenAIResponsesResult("i", failure)), `{"type":"function_call_output","call_id":"i","output":"Error: gone"}`},
		{string(schema.GeminiResult("n", structured)), `{"functionResponse":{"name":"n","response":{"output":{"a":9007199254740993}}}}`},
		{string(schema.GeminiResult("n", failure)), `{"functionResponse":{"name":"n","response":{"error":"gone"}}}`},
	} {
		if test.got != test.want {
			t.Errorf("have %s\nwant %s", test.got, test.want)
		}
	}
}

func TestNilArguments(t *testing.T) {
	if _, err := schema.List(nil, []tool{`{}`}); err == nil {
		t.Error("List accepts a nil Definer")
	}
	for _, define := range []schema.Definer{schema.Anthropic, schema.OpenAI, schema.OpenAIResponses, schema.Gemini, schema.GeminiParameters, schema.Vertex} {
		if _, err := define(nil); err == nil {
			t.Error("a Definer accepts a nil Tool")
		}
	}
	reason := &jsonrpc.Error{Code: -32602, Message: "Invalid params", Data: mcp.RawMessage(`"city must be one of Rome, Oslo"`)}
	for _, err := range []error{reason, &host.Error{Message: "m", Err: reason}} { // the text of a host.Error has the reason, if it may be shown
		if _, ofHost := err.(*host.Error); strings.HasSuffix(schema.ErrorResult(err).Text(), ": city must be one of Rome, Oslo") == ofHost {
			t.Error(schema.ErrorResult(err).Text())
		}
	}
	if res := schema.ErrorResult(nil); !res.IsError || res.Text() == "" {
		t.Errorf("ErrorResult: %+v", res)
	}
	for _, got := range []mcp.RawMessage{schema.AnthropicResult("i", nil), schema.OpenAIResult("i", nil), schema.OpenAIResponsesResult("i", nil), schema.GeminiResult("n", nil)} {
		if !strings.Contains(string(got), "(empty result)") {
			t.Errorf("a nil result: %s", got)
		}
	}
}

func FuzzSchema(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#/$defs/A"},{"type":["null","string"]}]}},"$defs":{"A":{"allOf":[{"$ref":"#/$defs/A"}]}}}`)
	f.Add(`{"$ref":"#/properties/a","properties":{"a":{"$ref":"#"}}}`)
	f.Add(`{"oneOf":[true,{"const":1}],"items":[{}]}`)
	for _, s := range corpus(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, p := range providers {
			if d, err := p.define(tool(s)); err == nil && !json.Valid(d) {
				t.Errorf("%s becomes %s", s, d)
			} else if err == nil {
				accepted(t, p, s)
			}
		}
	})
}

func Example() {
	var tools []tool
	tools = append(tools, `{"type":"object"}`)
	list, err := schema.List(schema.Anthropic, tools)
	fmt.Println(string(list), err)
	// Output: [{"name":"t","description":"d","input_schema":{"type":"object","properties":{}}}] <nil>
}
