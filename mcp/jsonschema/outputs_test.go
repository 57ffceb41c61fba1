package jsonschema_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonschema"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// serving returns a server with a tool that has an output schema and responds to
// calls with a result.
func serving(t testing.TB, schema, result string) *mcptest.Server {
	server := mcptest.New(t)
	server.ProtocolVersions = []string{mcp.ProtocolVersion20260728}
	server.Tool("t", nil, nil).OutputSchema = mcp.RawMessage(schema)
	server.Inject("t", mcptest.Respond(result), mcptest.Respond(result))
	return server
}

func TestOutputsAreValidated(t *testing.T) {
	const number = `{"type":"number"}`
	for _, tt := range []struct {
		name, schema, result string
		strict               bool
		want                 string // part of the error; empty for none
	}{
		{"fits", number, `{"content":[],"structuredContent":1}`, false, ""},
		{"does not fit", number, `{"content":[],"structuredContent":"1"}`, false, "want number, got string"},
		{"null", number, `{"content":[],"structuredContent":null}`, false, "want number, got null"},
		{"missing", number, `{"content":[{"type":"text","text":"1"}]}`, false, "no structured content"},
		{"failed", number, `{"content":[],"isError":true}`, false, ""},
		{"failed, with content", number, `{"content":[],"isError":true,"structuredContent":"1"}`, false, ""},
		{"draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"number"}`, `{"content":[],"structuredContent":"1"}`, false, "want number"},
		{"unknown dialect", `{"$schema":"https://example.com/schema","type":"number"}`, `{"content":[],"structuredContent":"1"}`, false, ""},
		{"unknown dialect, strictly", `{"$schema":"https://example.com/schema"}`, `{"content":[],"structuredContent":1}`, true, "unsupported dialect"},
		{"another document", `{"$ref":"https://example.com/schema"}`, `{"content":[],"structuredContent":1}`, false, ""},
		{"another document, strictly", `{"$ref":"https://example.com/schema"}`, `{"content":[],"structuredContent":1}`, true, "to another document"},
		{"no schema", `null`, `{"content":[],"structuredContent":"1"}`, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			outputs := &jsonschema.Outputs{Strict: tt.strict}
			c, err := mcp.Connect(t.Context(), serving(t, tt.schema, tt.result),
				&mcp.Options{Intercept: outputs.Intercept, Handlers: []mcp.Handler{mcp.Tasks{}}})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := c.ListTools(t.Context()); err != nil {
				t.Fatal(err)
			}
			_, err = c.CallTool(t.Context(), "t", nil)
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var wrong *jsonschema.OutputError
			var call *mcp.CallError
			if !errors.Is(err, mcp.ErrMalformed) || !errors.As(err, &wrong) || !errors.As(err, &call) || wrong.Tool != "t" || call.Name != "t" ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func TestOutputsOfTasksAreValidated(t *testing.T) {
	server := mcptest.New(t)
	def := server.Tool("t", nil, func(*mcptest.Call) (any, error) {
		return &mcp.CallToolResult{StructuredContent: mcp.RawMessage(`"no number"`)}, nil
	})
	def.OutputSchema, def.Execution = mcp.RawMessage(`{"type":"number"}`), &mcp.ToolExecution{TaskSupport: "required"}
	c := server.Connect(&mcp.Options{Intercept: new(jsonschema.Outputs).Intercept, Handlers: []mcp.Handler{mcp.Tasks{}}})
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CallTool(t.Context(), "t", nil); !errors.Is(err, mcp.ErrMalformed) || !strings.Contains(err.Error(), "want number, got string") {
		t.Error(err)
	}
	if len(server.Requests("tasks/get", "tasks/result")) == 0 {
		t.Error("the call did not become a task")
	}
}

// TestSharedOutputsKeepClientsApart has servers with a tool of the same name but
// different schemas.
func TestSharedOutputsKeepClientsApart(t *testing.T) {
	outputs := new(jsonschema.Outputs)
	connect := func(schema, result string) *mcp.Client {
		c, err := mcp.Connect(t.Context(), serving(t, schema, result), &mcp.Options{Intercept: outputs.Intercept})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if _, err := c.ListTools(t.Context()); err != nil {
			t.Fatal(err)
		}
		return c
	}
	numbers := connect(`{"type":"number"}`, `{"content":[],"structuredContent":1}`)
	texts := connect(`{"type":"string"}`, `{"content":[],"structuredContent":"one"}`)
	wrong := connect(`{"type":"string"}`, `{"content":[],"structuredContent":1}`)
	for range 2 {
		for _, c := range []*mcp.Client{numbers, texts} {
			if _, err := c.CallTool(t.Context(), "t", nil); err != nil {
				t.Error(err)
			}
		}
		if _, err := wrong.CallTool(t.Context(), "t", nil); !errors.Is(err, mcp.ErrMalformed) {
			t.Errorf("a number where the schema has a string: %v", err)
		}
		numbers.Close() // the schemas of the others stay when a client ends
		numbers = connect(`{"type":"number"}`, `{"content":[],"structuredContent":1}`)
	}
}

func TestErrorsContainPath(t *testing.T) {
	s, err := jsonschema.Compile(mcp.RawMessage(`{"properties":{"a/b":{"items":{"required":["c"],"properties":{"c":{"minimum":3}}}}},"additionalProperties":false}`))
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		`{"a/b":[{"c":3},{"c":2}]}`: "/a~1b/1/c: 2 violates minimum 3",
		`{"a/b":[{}]}`:              `/a~1b/0: "c" is missing`,
		`{"d":1}`:                   "/d: no value is allowed here",
		`{"a/b":`:                   "JSON: unexpected end of input at byte 7",
		`1 2`:                       "JSON: unexpected text after the value at byte 2",
		`"any"`:                     "",
	} {
		err := s.Validate(mcp.RawMessage(value))
		if err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %s", value, err, want)
		}
	}
}

func TestInvalidSchemas(t *testing.T) {
	for _, schema := range []string{
		"", "1", "[]", `"x"`, "{} {}", `{"properties":{"a":1}}`, `{"allOf":[1]}`, `{"not":[]}`, `{"$ref":"#/nowhere"}`, `{"$ref":"#nowhere"}`,
		`{"$ref":"other.json"}`, `{"$ref":"%zz"}`, `{"$ref":"#%zz"}`, `{"$schema":"http://json-schema.org/draft-04/schema#"}`,
		strings.Repeat(`{"not":`, 200) + "{}" + strings.Repeat("}", 200),
	} {
		if _, err := jsonschema.Compile(mcp.RawMessage(schema)); err == nil {
			t.Errorf("%.50s was accepted", schema)
		}
	}
}

func TestEndlessSchemas(t *testing.T) {
	for _, schema := range []string{
		`{"$ref":"#"}`,
		`{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}`,
		`{"not":{"$ref":"#"}}`,
		`{"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"}]},"b":{"oneOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}`,
		`{"uniqueItems":true}`,
	} {
		s, err := jsonschema.Compile(mcp.RawMessage(schema))
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for i := range 3000 {
			list = append(list, fmt.Sprint(i))
		}
		if err := s.Validate(mcp.RawMessage("[" + strings.Join(list, ",") + "]")); err == nil || !strings.Contains(err.Error(), "too many steps") {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

func TestNilAndZeroValues(t *testing.T) {
	if _, err := new(jsonschema.Outputs).Intercept(t.Context(), nil); err == nil {
		t.Error("Intercept accepts a nil call")
	}
	if err := new(jsonschema.Schema).Validate(mcp.RawMessage(`1`)); err != nil {
		t.Errorf("the zero Schema: %v", err)
	}
	if err := new(jsonschema.Schema).Validate(nil); err == nil {
		t.Error("the zero Schema accepts text that is not JSON")
	}
}

func FuzzValidate(f *testing.F) {
	for _, s := range []string{`{"type":"object","properties":{"a":{"$ref":"#"}},"unevaluatedProperties":false}`, `{"enum":[1,"a",null]}`,
		`{"$id":"x:y","$defs":{"a":{"$anchor":"b"}},"$ref":"#b"}`, `{"multipleOf":0.01,"minimum":1e400}`, `{"pattern":"(","items":[true,false]}`} {
		f.Add([]byte(s), []byte(`{"a":{"a":[1,2.50,"x"]}}`))
	}
	f.Fuzz(func(t *testing.T, schema, value []byte) {
		s, err := jsonschema.Compile(schema)
		if err != nil {
			return
		}
		first := s.Validate(value)
		if again := s.Validate(value); (first == nil) != (again == nil) {
			t.Errorf("%s, %s: %v, then %v", schema, value, first, again)
		}
	})
}

func ExampleOutputs() {
	ctx := context.Background()
	server := serving(new(testing.T), `{"type":"object","properties":{"sum":{"type":"number"}}}`, `{"content":[],"structuredContent":{"sum":"three"}}`)
	client, err := mcp.Connect(ctx, server, &mcp.Options{Intercept: new(jsonschema.Outputs).Intercept})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	if _, err := client.ListTools(ctx); err != nil {
		log.Fatal(err)
	}
	_, err = client.CallTool(ctx, "t", nil)
	fmt.Println(errors.Is(err, mcp.ErrMalformed), err)
	// Output: true server "mcptest": tools/call "t": output of tool "t": /sum: want number, got string
}

func ExampleCompile() {
	schema, err := jsonschema.Compile(mcp.RawMessage(`{"type":"array","items":{"enum":["red","green"]},"minItems":1}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(schema.Validate(mcp.RawMessage(`["red"]`)))
	fmt.Println(schema.Validate(mcp.RawMessage(`["red","blue"]`)))
	// Output:
	// <nil>
	// /1: not one of the allowed values
}

func ExampleSchema_ValidateContext() {
	s, err := jsonschema.Compile(mcp.RawMessage(`{"type": "integer"}`))
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	fmt.Println(s.ValidateContext(ctx, mcp.RawMessage(`1.5`)))
	// Output: want integer, got number
}
