package form

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
	"github.com/stdmcp/stdmcp/mcp"
)

// oneField returns the only field of a form.
func oneField(t *testing.T, schema string) *mcp.FormField {
	t.Helper()
	p := mcp.ElicitParams{RequestedSchema: mcp.RawMessage(`{"type":"object","properties":{"f":` + schema + `},"required":["f"]}`)}
	fields, err := p.Fields()
	if err != nil || len(fields) != 1 {
		t.Fatalf("%s: %v, %v", schema, fields, err)
	}
	return &fields[0]
}

func TestFieldValues(t *testing.T) {
	colors := `"enum":["red","green","2"],"enumNames":["Rouge","Vert","Deux"]`
	for _, test := range []struct {
		schema, line string
		want         any // nil for an error
	}{
		{`{"type":"string"}`, "a b", "a b"},
		{`{"type":"string"}`, "", nil},
		{`{"type":"string","minLength":2,"maxLength":3}`, "äö", "äö"},
		{`{"type":"string","minLength":2,"maxLength":3}`, "a", nil},
		{`{"type":"string","minLength":2,"maxLength":3}`, "abcd", nil},
		{`{"type":"string","format":"email"}`, "ada@example.com", "ada@example.com"},
		{`{"type":"string","format":"email"}`, "ada@", nil},
		{`{"type":"string","format":"uri"}`, "urn:a", "urn:a"},
		{`{"type":"string","format":"uri"}`, "a", nil},
		{`{"type":"string","format":"date"}`, "2026-02-28", "2026-02-28"},
		{`{"type":"string","format":"date"}`, "2026-02-30", nil},
		{`{"type":"string","format":"date-time"}`, "2026-02-28T12:00:00Z", "2026-02-28T12:00:00Z"},
		{`{"type":"string","format":"date-time"}`, "2026-02-28", nil},
		{`{"type":"boolean"}`, "Yes", true},
		{`{"type":"boolean"}`, "n", false},
		{`{"type":"boolean"}`, "perhaps", nil},
		{`{"type":"integer","minimum":1}`, "9007199254740993", int64(9007199254740993)},
		{`{"type":"integer"}`, "1.5", nil},
		{`{"type":"integer","minimum":1}`, "0", nil},
		{`{"type":"number","maximum":2}`, "1.5", 1.5},
		{`{"type":"number","maximum":2}`, "2.5", nil},
		{`{"type":"number"}`, "NaN", nil},
		{`{"type":"number"}`, "inf", nil},
		{`{"type":"string",` + colors + `}`, "green", "green"},
		{`{"type":"string",` + colors + `}`, "vert", "green"},
		{`{"type":"string",` + colors + `}`, "1", "red"},
		{`{"type":"string",` + colors + `}`, "2", "2"},
		{`{"type":"string",` + colors + `}`, "4", nil},
		{`{"type":"string",` + colors + `}`, "0", nil},
		{`{"type":"string",` + colors + `}`, "blue", nil},
		{`{"type":"array","items":{"type":"string","enum":["a","b"]}}`, "b, 1,b", []string{"b", "a"}},
		{`{"type":"array","items":{"type":"string","enum":["a","b"]}}`, "", []string{}},
		{`{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1}`, ",", nil},
		{`{"type":"array","items":{"type":"string","enum":["a","b"]},"maxItems":1}`, "a,b", nil},
		{`{"type":"array","items":{"type":"string","enum":["a","b"]}}`, "c", nil},
	} {
		got, err := FieldValue(oneField(t, test.schema), test.line)
		if wantErr := test.want == nil; (err != nil) != wantErr || err == nil && !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %q is %#v, %v", test.schema, test.line, got, err)
		}
	}
}

func TestFieldPrompts(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"boolean","default":true}`:                                                   "  f: yes or no [yes]: ",
		`{"type":"number","title":"Size","description":"of it","minimum":1.5,"default":2}`:    "  Size: a number, at least 1.5 (of it) [2]: ",
		`{"type":"string","format":"email","minLength":3}`:                                    "  f: email, 3 characters or more: ",
		`{"type":"array","items":{"enum":["a","b"]},"maxItems":2,"default":["a","b"]}`:        "  f: 2 choices at most\n    1  a\n    2  b\n  which, separated by commas [a, b]: ",
		`{"type":"string","oneOf":[{"const":"a","title":"\u001b[2JA"}],"description":"x\ny"}`: "  f (x\\u000ay)\n    1  \\u001b[2JA\n  which (arrow keys): ",
	} {
		if got := fieldPrompt(oneField(t, schema)); got != want {
			t.Errorf("%s: %q, want %q", schema, got, want)
		}
	}
}

func TestValuesOfMissingArguments(t *testing.T) {
	t.Parallel()
	const schemaText = `{"properties":{"color":{"type":"string","enum":["red","green"],"default":"green"},"on":{"type":"boolean"},
		"n":{"type":"integer","maximum":9},"list":{"type":"array"},"o":{"type":"object","properties":{"x":{}}},"any":{},
		"u":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`
	input := toolargs.ParseSchema([]byte(schemaText))
	for _, test := range []struct{ name, line, want string }{
		{"color", "", `"green"`}, {"color", "1", `"red"`}, {"color", "blue", "enter one of"},
		{"on", "y", "true"}, {"on", "x", "enter yes or no"},
		{"n", "9", "9"}, {"n", "10", "above the maximum of 9"},
		{"list", "[1, 2]", "[1, 2]"}, {"list", "1", "as JSON"}, {"list", "", "required"},
		{"o", `{"x": 1}`, `{"x": 1}`}, {"any", "text", `"text"`}, {"u", "null", "null"}, {"u", "a b", `"a b"`},
	} {
		raw := toolargs.Member([]byte(toolargs.Member([]byte(schemaText), "properties")), test.name)
		field, simple := SimpleField(test.name, raw)
		value, err := ArgumentValue(field, simple, input.Property(test.name), test.line)
		have := string(value)
		if err != nil {
			have = err.Error()
		}
		if !strings.Contains(have, test.want) {
			t.Errorf("%s %q: %s, want %s", test.name, test.line, have, test.want)
		}
	}
}
