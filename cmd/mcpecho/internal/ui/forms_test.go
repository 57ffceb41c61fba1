package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/growth"
)

// outline describes a form on one line.
func outline(f *field) string {
	text := f.Key
	if f.Required {
		text += "!"
	}
	text += ":" + f.Kind
	if f.Reason != "" {
		text += "(" + f.Reason + ")"
	}
	for _, o := range f.Options {
		text += "|" + string(o.Value) + o.Title
	}
	var inner []string
	for _, c := range append(append([]*field{}, f.Fields...), f.Choices...) {
		inner = append(inner, outline(c))
	}
	if f.Item != nil {
		inner = append(inner, outline(f.Item))
	}
	if len(inner) > 0 {
		text += "{" + strings.Join(inner, " ") + "}"
	}
	return text
}

func TestForms(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer"}},"required":["a"]}`: ":object{b:string a!:integer}",
		`{"type":"object"}`: ":object",
		`{}`:                ":raw(the schema has no type)",
		`true`:              ":raw(the schema accepts every value)",
		`[]`:                ":raw(the schema is not an object)",
		`{"type":"thing"}`:  `:raw(the schema has the unknown type "thing")`,
		`{"properties":{"a":{"enum":["x",1,null]}}}`:                                                           `:object{a:enum|"x"|1|null}`,
		`{"properties":{"a":{"oneOf":[{"const":"x","title":"X"},{"const":"y"}]}}}`:                             `:object{a:enum|"x"X|"y"}`,
		`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`:                                   ":object{a:choice{:string :null}}",
		`{"properties":{"a":{"type":["number","boolean"]}}}`:                                                   ":object{a:choice{:number :boolean}}",
		`{"properties":{"a":{"type":"array","items":{"type":"object","properties":{"x":{"type":"string"}}}}}}`: ":object{a:array{:object{x:string}}}",
		`{"properties":{"a":{"type":"array","items":{"enum":["x","y"]}}}}`:                                     `:object{a:multi|"x"|"y"}`,
		`{"properties":{"a":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string"}}}`:                            ":object{a:string}",
		`{"properties":{"a":{"allOf":[{"$ref":"#/$defs/s"}],"title":"A"}},"$defs":{"s":{"type":"string"}}}`:    ":object{a:string}",
		`{"properties":{"a":{"$ref":"#/$defs/a~1b~0c"}},"$defs":{"a/b~c":{"type":"null"}}}`:                    ":object{a:null}",
		`{"properties":{"a":{"$ref":"https://example.com/x"}}}`:                                                `:object{a:raw(the reference "https://example.com/x" leads to no schema of this document)}`,
		`{"properties":{"a":{"$ref":"#/properties/a"}}}`:                                                       ":object{a:raw(the references of the schema do not end)}",
		`{"properties":{"a":{"type":"object"}}}`:                                                               ":object{a:raw(the schema names no members of the object)}",
		`{"properties":{"a":{"type":"array"}}}`:                                                                ":object{a:raw(the schema does not describe the elements of the array)}",
		`{"properties":{"a":{"allOf":[{},{}]}}}`:                                                               ":object{a:raw(the schema combines several schemas with allOf)}",
		`{"properties":{"a":{"if":{}}}}`:                                                                       ":object{a:raw(the schema uses if)}",
		`{"type":"object","required":["lost"]}`:                                                                ":object{lost!:raw(the member is required, and the schema does not describe it)}",
	} {
		if got := outline(formOf([]byte(schema))); got != want {
			t.Errorf("%s\nis the form %s\nwant        %s", schema, got, want)
		}
	}
}

// TestRulesOfValues: the type of a field has the format.
func TestRulesOfValues(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"string","format":"date"}`:                                "",
		`{"type":"string","minLength":1,"maxLength":80,"pattern":"^a"}`:    "length at least 1, length at most 80, matches ^a",
		`{"type":"integer","minimum":1,"exclusiveMaximum":9}`:              "at least 1, less than 9",
		`{"type":"array","items":{"type":"string"},"minItems":1}`:          "length at least 1",
		`{"type":"number","multipleOf":0.5,"description":"with a period"}`: "a multiple of 0.5",
	} {
		if got := formOf([]byte(schema)).Rules; got != want {
			t.Errorf("%s\nhas the rules %q, want %q", schema, got, want)
		}
	}
}

// TestFormsAreBounded in depth and in fields, whatever the schema refers to.
func TestFormsAreBounded(t *testing.T) {
	var wide strings.Builder
	for i := range 30 {
		fmt.Fprintf(&wide, `"p%d":{"$ref":"#"},`, i)
	}
	f := &former{root: []byte(`{"type":"object","properties":{` + strings.TrimSuffix(wide.String(), ",") + `}}`)}
	made := f.make(f.root, 0)
	if n := count(made); n > 40_000 || made.Kind != fieldObject {
		t.Errorf("%d fields", n)
	}
	deep := formOf([]byte(`{"type":"object","properties":{"next":{"$ref":"#"}}}`))
	depth := 0
	for deep.Kind == fieldObject {
		deep = deep.Fields[0]
		depth++
	}
	if depth != maxFormDepth+1 || deep.Kind != fieldRaw || !strings.Contains(deep.Reason, "8 levels") {
		t.Errorf("depth %d ends with %+v", depth, deep)
	}
}

// TestReferencesAreBounded: in the bytes that they lead to, and in the options of all
// fields.
func TestReferencesAreBounded(t *testing.T) {
	references := strings.TrimSuffix(growth.Numbered(15_000, `"p00000000":{"$ref":"#/$defs/d"},`), ",")
	schema := func(d string) *field {
		return formOf([]byte(`{"type":"object","properties":{` + references + `},"$defs":{"d":` + d + `}}`))
	}
	options := 0
	for _, f := range schema(`{"enum":[` + growth.Numbered(4000, `"e00000000",`) + `"e"]}`).Fields {
		if options += len(f.Options); f.Kind == fieldRaw && f.Reason != tooManyOptions {
			t.Error(f.Reason)
		}
	}
	if options < maxFormOptions || options > maxFormOptions+maxOptions {
		t.Errorf("%d options", options)
	}
	long := schema(`{"type":"string","description":"` + strings.Repeat("d", 100_000) + `"}`).Fields
	if last := long[len(long)-1]; long[0].Kind != fieldString || !strings.Contains(last.Reason, "more than 32 MiB") {
		t.Errorf("%+v", last)
	}
}

func count(f *field) int {
	n := 1
	for _, c := range append(append([]*field{f.Item}, f.Fields...), f.Choices...) {
		if c != nil {
			n += count(c)
		}
	}
	return n
}

func FuzzForm(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"oneOf":[{"const":1},{"$ref":"#"}]}},"required":["a"]}`)
	f.Add(`{"$ref":"#/a","a":{"allOf":[{"type":["string",1]}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if n := count(formOf([]byte(text))); n > 100*maxFormFields {
			t.Errorf("%d fields", n)
		}
	})
}

// TestAllProblems: each member that does not match, and each that is missing, at once.
func TestAllProblems(t *testing.T) {
	const schema = `{"type":"object","properties":{"a":{"type":"string"},"b":{"$ref":"#/$defs/n"},"c":{"type":"array","items":{"type":"integer"}},"constructor":{"maxLength":1}},
		"required":["a","x","y"],"$defs":{"n":{"minimum":3}}}`
	for value, want := range map[string]string{
		`{"a":1,"b":2,"c":[1,"2"],"constructor":"ab"}`: "/a /b /c/1 /constructor x y",
		`{"a":"","x":1,"b":3}`:                         "y",
		`{"a":"","x":1,"y":2}`:                         "",
		`{}`:                                           "a x y",
	} {
		var first *invalidValue
		var got []string
		if errors.As(validateAll([]byte(schema), []byte(value)), &first) {
			for _, e := range append([]*invalidValue{first}, first.More...) {
				name, missing := strings.CutSuffix(e.Message, " is missing")
				if !missing {
					name = ""
				}
				got = append(got, e.Path+strings.Trim(name, `"`))
			}
		}
		slices.Sort(got)
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %q, want %q", value, text, want)
		}
	}
}
