package schemas

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	peer "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stdmcp/stdmcp/mcp/jsonschema"
)

// seeds has schemas and values. In both, a tilde and a digit are a long text, as is in
// the input of the target.
var seeds = [][2]string{
	{`{"properties":{"~1":{"items":{"type":"integer"}}},"required":["~1"]}`, `{"~1":[1,2.0,"x"]}`},
	{`{"$id":"http://h/~1/","$defs":{"a":{"$id":"~2","type":"string"}},"$ref":"~2"}`, `"x"`},
	{`{"$id":"http://h/~1","$defs":{"~2":{"$anchor":"a~3","minLength":3}},"$ref":"#a~3"}`, `"xy"`},
	{`{"$defs":{"~1":{"maxLength":3}},"allOf":[{"$ref":"#/$defs/~1"},true]}`, `"~1"`},
	{`{"const":"~1"}`, `"~1"`},
	{`{"const":"~1"}`, `0`},
	{`{"enum":["~1","~2",{"~1":["~2"]}]}`, `{"~1":["~2"]}`},
	{`{"uniqueItems":true}`, `["~1","~2","~1"]`},
	{`{"uniqueItems":true}`, `[1,1.0,[1],{"a":1,"b":2},{"b":2,"a":1e0}]`},
	{`{"minimum":1~10,"maximum":1e400}`, `1~10`},
	{`{"exclusiveMinimum":-0.5,"exclusiveMaximum":0.50}`, `0.5`},
	{`{"multipleOf":0.01}`, `19.99`},
	{`{"multipleOf":7e-3}`, `7e300`},
	{`{"unevaluatedProperties":false,"allOf":[{"properties":{"~1":true}}],"anyOf":[{"properties":{"b":{"type":"null"}}},{"required":["c"]}]}`, `{"~1":1,"b":null,"c":2}`},
	{`{"unevaluatedItems":false,"prefixItems":[true],"contains":{"type":"string"}}`, `[1,"~1","x"]`},
	{`{"patternProperties":{"^a+$":{"type":"null"}},"additionalProperties":false}`, `{"aaa":null,"b":1}`},
	{`{"propertyNames":{"maxLength":2000}}`, `{"~1":1,"~2":1}`},
	{`{"dependentSchemas":{"~1":{"required":["b"]}},"dependentRequired":{"b":["~2"]}}`, `{"~1":1,"b":2}`},
	{`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"~1":{"$id":"#a","type":"array"}},"items":[{"$ref":"#/definitions/~1"}],"additionalItems":{"$ref":"#"}}`, `[[],[[]],[1]]`},
	{`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"],"c":{"minProperties":3}}}`, `{"a":1,"c":2,"b":3}`},
	{`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"properties":{"a":{"$recursiveRef":"#"}},"unevaluatedProperties":false}`, `{"a":{"a":{"b":1}}}`},
	{`{"$id":"http://h/t","$dynamicAnchor":"n","$defs":{"s":{"$id":"s","$dynamicAnchor":"n","properties":{"c":{"items":{"$dynamicRef":"#n"}}}}},"$ref":"s","required":["d"]}`, `{"d":1,"c":[{"d":1},{}]}`},
	{`{"if":{"properties":{"a":{"const":"~1"}}},"then":{"required":["b"]},"else":{"maxProperties":1}}`, `{"a":"~1"}`},
	{`{"oneOf":[{"type":["string","null"]},{"minItems":2},{"not":{"type":"object"}}]}`, `[1]`},
	{`{"contains":{"minimum":3},"minContains":2,"maxContains":3}`, `[1,3,4,5,6]`},
	{`{"minLength":2,"maxLength":3}`, `"é\ud83d\ude00x"`},
	{`false`, `{}`},
	{`{"anyOf":[{"items":{"$ref":"#"}},{"type":"integer"}]}`, `[1,[2,["x"]]]`},
}

// lengthen replaces tildes with texts of the lengths that long has, of the letters a.
func lengthen(s, digits string) string {
	for i, length := range []int{7, 100, 1000, 7000} {
		long := strings.Repeat(digits, length)
		s = strings.ReplaceAll(s, "~"+string(rune('1'+i)), long)
	}
	return s
}

func FuzzSchema(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s[0]), []byte(s[1]))
	}
	f.Fuzz(func(t *testing.T, schema, value []byte) {
		for _, letter := range []string{"a", "0"} {
			compare(t, lengthen(string(schema), letter), lengthen(string(value), letter))
		}
	})
}

func compare(t *testing.T, schema, value string) {
	if !utf8.ValidString(schema) || !utf8.ValidString(value) || !json.Valid([]byte(schema)) || !json.Valid([]byte(value)) || differs(schema, value) {
		return
	}
	s, err := jsonschema.Compile(context.Background(), []byte(schema))
	if err != nil {
		return // that a schema is refused which the other accepts is a limit
	}
	other, err := compilePeer(schema)
	if err != nil {
		return // it checks schemas against their metaschema
	}
	v, err := peer.UnmarshalJSON(strings.NewReader(value))
	if err != nil {
		return
	}
	got, want := s.Validate(context.Background(), []byte(value)), other.Validate(v)
	var misfit *jsonschema.Error
	if got != nil && !errors.As(got, &misfit) {
		return // a limit
	}
	if (got == nil) != (want == nil) {
		t.Errorf("%s\n%s\n%v, want %v", schema, value, got, want)
	}
}

func compilePeer(schema string) (s *peer.Schema, err error) {
	raw, err := peer.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		return nil, err
	}
	c := peer.NewCompiler()
	c.UseLoader(peer.SchemeURLLoader{}) // fetches nothing
	if err := c.AddResource("http://example.com/", raw); err != nil {
		return nil, err
	}
	return c.Compile("http://example.com/")
}

// differs reports whether the two are meant to differ on a schema or a value.
func differs(schema, value string) bool {
	if numbersDiffer(schema) || numbersDiffer(value) {
		return true
	}
	if equality.MatchString(schema) {
		for text := range strings.SplitSeq(schema+" "+value+" ", `"`) {
			if _, ok := new(big.Rat).SetString(text); ok {
				return true // the peer finds the string equal to the number
			}
		}
	}
	d := json.NewDecoder(strings.NewReader(schema))
	d.UseNumber()
	var all any
	return d.Decode(&all) != nil || keywordsDiffer(all, true)
}

// Ours compares numbers in a time that is proportional to their length; the peer builds
// them with all zeros. Beyond 1,000 digits, ours does not check multipleOf.
func numbersDiffer(text string) bool {
	for _, n := range numbers.FindAllString(text, -1) {
		if _, exp, ok := strings.Cut(strings.ToLower(n), "e"); len(n) > 1000 || ok && len(strings.TrimLeft(exp, "+-0")) > 3 {
			return true
		}
	}
	return false
}

var equality = regexp.MustCompile(`const|enum|uniqueItems|\\u`)

var numbers = regexp.MustCompile(`[0-9][0-9.eE+-]*`)

func keywordsDiffer(v any, root bool) bool {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if keywordsDiffer(item, false) {
				return true
			}
		}
	case map[string]any:
		for name, member := range v {
			switch name {
			case "format", "contentEncoding", "contentMediaType": // ours takes them as annotations
				return true
			case "$schema", "$vocabulary": // ours looks at the first $schema only
				if !root || name != "$schema" {
					return true
				}
			}
			if keywordsDiffer(member, false) {
				return true
			}
		}
	}
	return false
}
