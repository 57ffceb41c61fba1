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
		{"as if it were a task", number, `{"content":[],"structuredContent":"1","task":{"taskId":"1","status":"working"}}`, false, "want number"},
		{"as if it were a null task", number, `{"content":[],"structuredContent":"1","task":null}`, false, "want number"},
		{"as if input were required", number, `{"content":[],"structuredContent":"1","resultType":"input_required"}`, false, "want number"},
		{"no content, as if it were a task", number, `{"content":[],"task":{"taskId":"1","status":"working"}}`, false, "no structured content"},
		{"no schema", `null`, `{"content":[],"structuredContent":"1"}`, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			outputs := &jsonschema.Outputs{Strict: tt.strict}
			c, err := mcp.Connect(t.Context(), serving(t, tt.schema, tt.result),
				&mcp.Options{Interceptors: []mcp.Interceptor{outputs.Intercept}, Handlers: []mcp.Handler{mcp.Tasks{}}})
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
				wrong.Result == nil || wrong.Err == nil ||
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
	c := server.Connect(&mcp.Options{Interceptors: []mcp.Interceptor{new(jsonschema.Outputs).Intercept}, Handlers: []mcp.Handler{mcp.Tasks{}}})
	if _, err := c.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := c.CallTool(t.Context(), "t", nil)
	var place *jsonschema.Error
	if !errors.Is(err, mcp.ErrMalformed) || !errors.As(err, &place) || place.Path != "" || place.Reason != "want number, got string" {
		t.Error(err)
	}
	if len(server.Requests("tasks/get", "tasks/result")) == 0 {
		t.Error("the call did not become a task")
	}
}

// TestResultsThatAreNoTasks: in the legacy era, a result is a task only if the call asked for
// one, and its type says nothing; a task ends with a result that is none.
func TestResultsThatAreNoTasks(t *testing.T) {
	for _, result := range []string{`"resultType":"input_required"`, `"resultType":"task"`, `"task":{"taskId":"1","status":"working"}`} {
		server := serving(t, `{"type":"number"}`, `{"content":[],`+result+`}`)
		server.ProtocolVersions = []string{mcp.ProtocolVersion20251125}
		final := server.Tool("final", nil, func(*mcptest.Call) (any, error) {
			return &mcp.CallToolResult{Result: mcp.Result{Extra: map[string]mcp.RawMessage{"task": mcp.RawMessage(`{"taskId":"1","status":"working"}`)}}}, nil
		})
		final.OutputSchema, final.Execution = mcp.RawMessage(`{"type":"number"}`), &mcp.ToolExecution{TaskSupport: "required"}
		c := server.Connect(&mcp.Options{Interceptors: []mcp.Interceptor{new(jsonschema.Outputs).Intercept}, Handlers: []mcp.Handler{mcp.Tasks{}}})
		if _, err := c.ListTools(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"t", "final"} {
			if _, err := c.CallTool(t.Context(), name, nil); !errors.Is(err, mcp.ErrMalformed) || !strings.Contains(err.Error(), "no structured content") {
				t.Errorf("%s, %s: %v", name, result, err)
			}
		}
		if len(server.Requests("tasks/result")) == 0 {
			t.Error("no call became a task")
		}
	}
}

// TestSharedOutputsKeepClientsApart has servers with a tool of the same name but
// different schemas.
func TestSharedOutputsKeepClientsApart(t *testing.T) {
	outputs := new(jsonschema.Outputs)
	connect := func(schema, result string) *mcp.Client {
		c, err := mcp.Connect(t.Context(), serving(t, schema, result), &mcp.Options{Interceptors: []mcp.Interceptor{outputs.Intercept}})
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
	s, err := jsonschema.Compile(context.Background(), mcp.RawMessage(`{"properties":{"a/b":{"items":{"required":["c"],"properties":{"c":{"minimum":3}}}}},"additionalProperties":false}`))
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		`{"a/b":[{"c":3},{"c":2}]}`: "/a~1b/1/c: 2 violates minimum 3",
		`{"\u001b[1m\u202eb\n":1}`:  "/?b : no value is allowed here",
		`{"a/b":[{}]}`:              `/a~1b/0: "c" is missing`,
		`{"d":1}`:                   "/d: no value is allowed here",
		`{"a/b":`:                   "JSON: unexpected end of input at byte 7",
		`1 2`:                       "JSON: unexpected text after the value at byte 2",
		`"any"`:                     "",
	} {
		err := s.Validate(context.Background(), mcp.RawMessage(value))
		if err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %s", value, err, want)
		}
	}
}

func TestInvalidSchemas(t *testing.T) {
	long := strings.Repeat("\u007f", 8000)
	for _, schema := range []string{
		`{"$id":"x:` + long + `"}`, `{"$id":"%zz` + long + `"}`, `{"$ref":"%zz` + long + `"}`, `{"$ref":"http://h:port` + long + `"}`, `{"properties":{"` + long + `":1}}`,
		"", "1", "[]", `"x"`, "{} {}", `{"properties":{"a":1}}`, `{"allOf":[1]}`, `{"not":[]}`, `{"$ref":"#/nowhere"}`, `{"$ref":"#nowhere"}`,
		`{"$ref":"other.json"}`, `{"$ref":"%zz"}`, `{"$ref":"#%zz"}`, `{"$schema":"http://json-schema.org/draft-04/schema#"}`,
		strings.Repeat(`{"not":`, 200) + "{}" + strings.Repeat("}", 200),
	} {
		if _, err := jsonschema.Compile(context.Background(), mcp.RawMessage(schema)); err == nil {
			t.Errorf("%.50s was accepted", schema)
		} else if text := err.Error(); len(text) > 2500 || strings.Contains(text, "\u007f") { // with 256 bytes, escaped, twice
			t.Errorf("%.50s: the error has %d bytes: %.300q", schema, len(text), text)
		}
	}
}

// TestKeywords has a value that fits and one that does not for each keyword.
func TestKeywords(t *testing.T) {
	for _, tt := range [][3]string{
		{`{"type":"integer"}`, `-1.0e1`, `1e-1`},
		{`{"type":["null","string"]}`, `null`, `1`},
		{`{"type":"unheard of"}`, ``, `1`},
		{`{"enum":[1,[2],{"a":"b"}]}`, `{"a":"b"}`, `[1]`},
		{`{"const":{"a":[1,true],"b":null}}`, `{"b":null,"a":[1.0,true]}`, `{"a":[1,false],"b":null}`},
		{`{"minimum":-0.5,"exclusiveMaximum":1e2}`, `99.99`, `100`},
		{`{"exclusiveMinimum":0,"maximum":0.30}`, `3e-1`, `0`},
		{`{"maximum":-2}`, `-2.5`, `-1.5`},
		{`{"multipleOf":0.01}`, `19.99`, `0.011`},
		{`{"multipleOf":7}`, `7e300`, `1e300`},
		{`{"minLength":2,"maxLength":3}`, `"\u00e9\ud83d\ude00x"`, `"\ud83d\ude00"`},
		{`{"minLength":1e100}`, `1`, `"a"`},
		{`{"maxLength":1e100,"minLength":-1}`, `"a"`, ``},
		{`{"pattern":"^a+$"}`, `"aa"`, `"ab"`},
		{`{"minItems":1,"maxItems":2}`, `[1,2]`, `[]`},
		{`{"prefixItems":[{"const":1}],"items":{"const":2}}`, `[1,2,2]`, `[2]`},
		{`{"items":[{"const":1}],"additionalItems":false}`, `[1]`, `[1,2]`},
		{`{"contains":{"const":1},"minContains":2,"maxContains":3}`, `[1,2,1]`, `[1,1,1,1]`},
		{`{"unevaluatedItems":false,"allOf":[{"prefixItems":[true]}],"contains":{"const":3}}`, `[1,3]`, `[1,2]`},
		{`{"minProperties":1,"maxProperties":2}`, `{"a":1,"a":2,"b":3}`, `{}`},
		{`{"required":["a","b"]}`, `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}`, `{"a":1}`},
		{`{"properties":{"a":{"type":"null"}},"patternProperties":{"^b":{"const":1}},"additionalProperties":{"const":2}}`, `{"a":null,"bb":1,"c":2}`, `{"c":1}`},
		{`{"propertyNames":{"maxLength":2}}`, `{"ab":1}`, `{"abc":1}`},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1,"b":2}`, `{"a":1}`},
		{`{"dependentSchemas":{"a":{"minProperties":2}}}`, `{"b":1}`, `{"a":1}`},
		{`{"dependencies":{"a":["b"],"c":false}}`, `{"a":1,"b":1}`, `{"c":1}`},
		{`{"unevaluatedProperties":false,"anyOf":[{"properties":{"a":{"const":1}},"required":["a"]},{"properties":{"b":true}}]}`, `{"a":1,"b":1}`, `{"a":2}`},
		{`{"unevaluatedProperties":false,"not":{"properties":{"a":true},"required":["b"]}}`, `{}`, `{"a":1}`},
		{`{"unevaluatedProperties":false,"if":{"properties":{"a":true},"required":["a"]},"then":true,"else":{"properties":{"b":true}}}`, `{"b":1}`, `{"a":1,"b":1}`},
		{`{"allOf":[{"minimum":1},{"maximum":2}]}`, `1`, `3`},
		{`{"anyOf":[{"minimum":3},{"maximum":1}]}`, `1`, `2`},
		{`{"oneOf":[{"minimum":3},{"minimum":5}]}`, `4`, `5`},
		{`{"not":{"type":"string"}}`, `1`, `"a"`},
		{`{"if":{"minimum":3},"then":{"maximum":4},"else":{"const":1}}`, `4`, `2`},
		{`{"$ref":"#/$defs/a~1b%25","$defs":{"a/b%":{"const":1}}}`, `1`, `2`},
		{`{"$id":"x://h/","$ref":"b#c","$defs":{"a":{"$id":"b","$defs":{"d":{"$anchor":"c","const":1}}}}}`, `1`, `2`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/a","const":5,"definitions":{"a":{"const":1}}}`, `1`, `5`},
		{`{"$id":"x://h/t","$dynamicAnchor":"n","required":["d"],"$ref":"s","$defs":{"s":{"$id":"s","$dynamicAnchor":"n","items":{"$dynamicRef":"#n"},"properties":{"c":{"$dynamicRef":"#n"}}}}}`,
			`{"d":1,"c":{"d":1}}`, `{"d":1,"c":{}}`},
		{`false`, ``, `1`},
	} {
		s, err := jsonschema.Compile(context.Background(), mcp.RawMessage(tt[0]))
		if err != nil {
			t.Errorf("%s: %v", tt[0], err)
			continue
		}
		var misfit *jsonschema.Error
		if err := s.Validate(context.Background(), mcp.RawMessage(tt[1])); err != nil && tt[1] != "" {
			t.Errorf("%s, %s: %v", tt[0], tt[1], err)
		}
		if err := s.Validate(context.Background(), mcp.RawMessage(tt[2])); !errors.As(err, &misfit) && tt[2] != "" {
			t.Errorf("%s, %s: %v", tt[0], tt[2], err)
		}
	}
}

// TestLimits: what is exceeded and the limit are in the error.
func TestLimits(t *testing.T) {
	long := strings.Repeat("x", 9000)
	for schema, want := range map[string]string{
		`{"$id":"` + long + `"}`: "$id of the schema has 9000 bytes, more than 8192",
		`{"$id":"x:/` + long[:4500] + `/","not":{"$id":"` + long[:4500] + `"}}`: "an $id of the schema has 9006 bytes when it is resolved, more than 8192",
		`{"$anchor":"` + long + `"}`:                    "$anchor of the schema has 9000 bytes, more than 8192",
		`{"$dynamicAnchor":"` + long + `"}`:             "$dynamicAnchor of the schema has 9000 bytes, more than 8192",
		`{"$schema":"` + long + `"}`:                    "$schema of the schema has 9000 bytes, more than 8192",
		`{"$ref":"#/` + long + `"}`:                     "$ref of the schema has 9002 bytes, more than 8192",
		`{"$dynamicRef":"#` + long + `"}`:               "$dynamicRef of the schema has 9001 bytes, more than 8192",
		`{"pattern":"` + long + `"}`:                    "a pattern of the schema has 9000 bytes, more than 8192",
		`{"anyOf":[` + times("{},", 50_000) + `{}]}`:    "the schema has more than 50000 subschemas",
		`{"allOf":[` + times("true,", 50_000) + `{}]}`:  "the schema has more than 50000 subschemas",
		nested(`{"not":`, "{}", "}", 129):               "the schema has more than 128 levels",
		`{"not":` + times(" ", 300) + `"` + long + `"}`: "#/not is not a schema",
	} {
		if _, err := jsonschema.Compile(context.Background(), mcp.RawMessage(schema)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.50s…: %v, want %s", schema, err, want)
		}
	}
	var ids strings.Builder
	for i := range 600 {
		fmt.Fprintf(&ids, `{"$id":"%d"},`, i)
	}
	_, err := jsonschema.Compile(context.Background(), mcp.RawMessage(`{"$id":"x:/`+long[:8000]+`/","allOf":[`+ids.String()+`true]}`))
	if err == nil || err.Error() != "the $ids of the schema have more than 4194304 bytes when they are resolved" {
		t.Error(err)
	}
	for value, want := range map[string]string{
		`{"` + long + `":[1]}`:                       "/" + long[:256] + "…/0: fits a schema that it must not fit",
		`{"a":[1` + strings.Repeat("0", 9000) + `]}`: "/a/0: fits a schema that it must not fit",
	} {
		s, err := jsonschema.Compile(context.Background(), mcp.RawMessage(`{"additionalProperties":{"items":{"not":{"minimum":1}}}}`))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(context.Background(), mcp.RawMessage(value)); err == nil || err.Error() != want {
			t.Errorf("%.50s…: %.500v, want %s", value, err, want)
		}
	}
}

// TestUniqueItems has lists that are longer than a comparison of all pairs could be.
func TestUniqueItems(t *testing.T) {
	s, err := jsonschema.Compile(context.Background(), mcp.RawMessage(`{"uniqueItems":true}`))
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		"[" + list("%d,", 100_000) + "]":                              "",
		"[" + list("%d,", 100_000) + ",17]":                           "items 17 and ",
		`[1,[1],"1",{"a":1},{"b":1},{"a":2},{},[],null,false,true,0]`: "",
		`[0,{"a":1,"b":[1e2,null]},{"b":[100.0,null],"a":1.0}]`:       "items 1 and 2 are equal",
		`[0,-0.0]`:                "items 0 and 1 are equal",
		`[{"a":1,"a":2},{"a":2}]`: "items 0 and 1 are equal",
		`[[1,2],[2,1],[[1],2]]`:   "",
		`[2.7,-7e12]`:             "",
		`[2.7,-7e12,2.7]`:         "items 0 and 2 are equal", // the exponent and the digits of both are 1027 as text
	} {
		if err := s.Validate(context.Background(), mcp.RawMessage(value)); err == nil && want != "" || err != nil && (want == "" || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%.60s: %v, want %q", value, err, want)
		}
	}
}

func TestEndlessSchemas(t *testing.T) {
	for _, schema := range []string{
		`{"$ref":"#"}`,
		`{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}`,
		`{"not":{"$ref":"#"}}`,
		`{"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"}]},"b":{"oneOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}`,
		`{"$ref":"#/$defs/0","$defs":{` + doubling(24) + `}}`,
	} {
		s, err := jsonschema.Compile(context.Background(), mcp.RawMessage(schema))
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for i := range 3000 {
			list = append(list, fmt.Sprint(i))
		}
		if err := s.Validate(context.Background(), mcp.RawMessage("["+strings.Join(list, ",")+"]")); err == nil || !strings.Contains(err.Error(), "too many steps") {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

// doubling returns n schemas, each of which applies the next one twice.
func doubling(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"%d":{"allOf":[{"$ref":"#/$defs/%[2]d"},{"$ref":"#/$defs/%[2]d"}]},`, i, i+1)
	}
	return b.String() + fmt.Sprintf(`"%d":true`, n)
}

func TestNilAndZeroValues(t *testing.T) {
	if _, err := new(jsonschema.Outputs).Intercept(t.Context(), nil); err == nil {
		t.Error("Intercept accepts a nil call")
	}
	if err := new(jsonschema.Schema).Validate(context.Background(), mcp.RawMessage(`1`)); err != nil {
		t.Errorf("the zero Schema: %v", err)
	}
	if err := new(jsonschema.Schema).Validate(context.Background(), nil); err == nil {
		t.Error("the zero Schema accepts text that is not JSON")
	}
}

func FuzzValidate(f *testing.F) {
	for _, s := range []string{`{"type":"object","properties":{"a":{"$ref":"#"}},"unevaluatedProperties":false}`, `{"enum":[1,"a",null]}`,
		`{"$id":"x:y","$defs":{"a":{"$anchor":"b"}},"$ref":"#b"}`, `{"multipleOf":0.01,"minimum":1e400}`, `{"pattern":"(","items":[true,false]}`} {
		f.Add([]byte(s), []byte(`{"a":{"a":[1,2.50,"x"]}}`))
	}
	f.Fuzz(func(t *testing.T, schema, value []byte) {
		s, err := jsonschema.Compile(context.Background(), schema)
		if err != nil {
			return
		}
		first := s.Validate(context.Background(), value)
		if again := s.Validate(context.Background(), value); (first == nil) != (again == nil) {
			t.Errorf("%s, %s: %v, then %v", schema, value, first, again)
		}
	})
}

func ExampleOutputs() {
	ctx := context.Background()
	server := serving(new(testing.T), `{"type":"object","properties":{"sum":{"type":"number"}}}`, `{"content":[],"structuredContent":{"sum":"three"}}`)
	client, err := mcp.Connect(ctx, server, &mcp.Options{Interceptors: []mcp.Interceptor{new(jsonschema.Outputs).Intercept}})
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
	schema, err := jsonschema.Compile(context.Background(), mcp.RawMessage(`{"type":"array","items":{"enum":["red","green"]},"minItems":1}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(schema.Validate(context.Background(), mcp.RawMessage(`["red"]`)))
	fmt.Println(schema.Validate(context.Background(), mcp.RawMessage(`["red","blue"]`)))
	// Output:
	// <nil>
	// /1: not one of the allowed values
}

func ExampleCompile_context() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := jsonschema.Compile(ctx, mcp.RawMessage(`{"$id": "`+strings.Repeat("x", 10_000)+`"}`))
	fmt.Println(err)
	// Output: $id of the schema has 10000 bytes, more than 8192
}

func ExampleSchema_Validate() {
	s, err := jsonschema.Compile(context.Background(), mcp.RawMessage(`{"type": "integer"}`))
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	fmt.Println(s.Validate(ctx, mcp.RawMessage(`1.5`)))
	// Output: want integer, got number
}

func TestErrDialect(t *testing.T) {
	_, err := jsonschema.Compile(t.Context(), mcp.RawMessage(`{"$schema":"http://json-schema.org/draft-03/schema#"}`))
	if !errors.Is(err, jsonschema.ErrDialect) {
		t.Errorf("%v does not match ErrDialect", err)
	}
}
