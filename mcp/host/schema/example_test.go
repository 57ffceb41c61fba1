package schema_test

import (
	"errors"
	"fmt"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
)

// A search is a tool. A program uses the tools of a host.
type search struct{}

func (search) Name() string        { return "mcp__web__search" }
func (search) Description() string { return "Searches the web." }
func (search) InputSchema() mcp.RawMessage {
	return mcp.RawMessage(`{"type":"object","properties":{"query":{"type":["string","null"]}},"required":["query"]}`)
}

// The definition of a tool in the format of each provider.
func ExampleDefiner() {
	for _, define := range []schema.Definer{schema.Anthropic, schema.OpenAI, schema.OpenAIResponses, schema.Gemini} {
		definition, err := define(search{})
		fmt.Println(string(definition), err)
	}
	// Output:
	// {"name":"mcp__web__search","description":"Searches the web.","input_schema":{"type":"object","properties":{"query":{"type":["string","null"]}},"required":["query"]}} <nil>
	// {"type":"function","function":{"name":"mcp__web__search","description":"Searches the web.","parameters":{"type":"object","properties":{"query":{"type":["string","null"]}},"required":["query"]}}} <nil>
	// {"type":"function","strict":false,"name":"mcp__web__search","description":"Searches the web.","parameters":{"type":"object","properties":{"query":{"type":["string","null"]}},"required":["query"]}} <nil>
	// {"name":"mcp__web__search","description":"Searches the web.","parametersJsonSchema":{"type":"object","properties":{"query":{"type":["string","null"]}},"required":["query"]}} <nil>
}

// The APIs of Gemini that lack the field parametersJsonSchema, and Vertex AI.
func ExampleGeminiParameters() {
	for _, define := range []schema.Definer{schema.GeminiParameters, schema.Vertex} {
		definition, err := define(search{})
		fmt.Println(string(definition), err)
	}
	// Output:
	// {"name":"mcp__web__search","description":"Searches the web.","parameters":{"type":"object","properties":{"query":{"type":"string","nullable":true}},"required":["query"]}} <nil>
	// {"name":"mcp__web__search","description":"Searches the web.","parametersJsonSchema":{"type":"object","properties":{"query":{"type":["string","null"]}},"required":["query"]}} <nil>
}

// A tool that is not of a host: the model gets another name for the argument.
func ExampleArguments() {
	definition, err := schema.Anthropic(odata{})
	fmt.Println(string(definition), err)
	args, err := schema.Arguments(odata{}, mcp.RawMessage(`{"top_483071aa":3}`))
	fmt.Println(string(args), err)
	// Output:
	// {"name":"mcp__web__search","description":"Searches the web.","input_schema":{"type":"object","properties":{"top_483071aa":{"type":"integer"}}}} <nil>
	// {"$top":3} <nil>
}

type odata struct{ search }

func (odata) InputSchema() mcp.RawMessage {
	return mcp.RawMessage(`{"type":"object","properties":{"$top":{"type":"integer"}}}`)
}

// A program tells the author of a server what providers reject.
func ExampleCheck() {
	for _, provider := range schema.Providers() {
		found, err := schema.Check(provider, search{})
		for _, f := range found {
			fmt.Println(provider, f.Path, f.Rule.Text)
		}
		if err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(len(schema.Rules()) > 10)
	// Output:
	// openai-strict  an object without additionalProperties: false
	// gemini-parameters /properties/query/type what OpenAPI 3.0 does not have: references, several types, other keywords, numbers and "" in enum, members beside anyOf
	// true
}

// The result of a tool in the format of each provider.
func ExampleAnthropicResult() {
	res := &mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent("3 pages")}}
	fmt.Println(string(schema.AnthropicResult("toolu_1", res)))
	fmt.Println(string(schema.OpenAIResult("call_1", res)))
	fmt.Println(string(schema.OpenAIResponsesResult("call_1", res)))
	fmt.Println(string(schema.GeminiResult("mcp__web__search", res)))
	// Output:
	// {"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"3 pages"}]}
	// {"role":"tool","tool_call_id":"call_1","content":"3 pages"}
	// {"type":"function_call_output","call_id":"call_1","output":"3 pages"}
	// {"functionResponse":{"name":"mcp__web__search","response":{"output":"3 pages"}}}
}

func ExampleErrorResult() {
	res := schema.ErrorResult(errors.New("unknown tool"))
	fmt.Println(string(schema.AnthropicResult("toolu_1", res)))
	// Output:
	// {"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"unknown tool"}],"is_error":true}
}

type searchable struct{}

func (searchable) Name() string        { return "mcp__files__read" }
func (searchable) Description() string { return "Reads a file" }
func (searchable) InputSchema() mcp.RawMessage {
	return mcp.RawMessage(`{"type":"object","properties":{}}`)
}

func ExampleDeferLoading() {
	definition, err := schema.DeferLoading(schema.Anthropic, nil)(searchable{})
	fmt.Println(string(definition), err)
	// Output: {"name":"mcp__files__read","description":"Reads a file","input_schema":{"type":"object","properties":{}},"defer_loading":true} <nil>
}
