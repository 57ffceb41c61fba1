package jsonschema_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonschema"
)

// TestBudgetCountsParts: schemas of half a megabyte that look at all parts of a value for
// each of their parts. Together that took hours, which the budget did not see.
func TestBudgetCountsParts(t *testing.T) {
	if raceEnabled {
		t.Skip("all steps of the budget take a minute with the race detector")
	}
	t.Parallel()
	const n = 10_000
	list := func(format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	members, items, refs := "{"+list(`"k%d":1,`)+"}", "["+list("%d,")+"]", list(`{"$ref":"#/$defs/a","x":%d},`)
	for name, test := range map[string][2]string{
		"dependentSchemas":  {`{"dependentSchemas":{` + list(`"k%d":{},`) + `}}`, members},
		"dependencies":      {`{"dependencies":{` + list(`"k%d":{},`) + `}}`, members},
		"members":           {`{"dependentSchemas":{` + list(`"k%d":{"properties":{}},`) + `}}`, members},
		"required":          {`{"$defs":{"a":{"required":[` + list(`"k%d",`) + `]}},"allOf":[` + refs + `]}`, members},
		"dependentRequired": {`{"$defs":{"a":{"dependentRequired":{` + list(`"k%d":[],`) + `}}},"allOf":[` + refs + `]}`, members},
		"const":             {`{"$defs":{"a":{"const":` + items + `}},"allOf":[` + refs + `]}`, items},
		"enum":              {`{"$defs":{"a":{"enum":[` + items + `]}},"allOf":[` + refs + `]}`, items},
		"type":              {`{"$defs":{"a":{"type":[` + list(`"x%d",`) + `,"array"]}},"allOf":[` + refs + `]}`, items},
		"uniqueItems":       {`{"uniqueItems":true}`, "[" + strings.Repeat("["+strings.Repeat("1,", 1000)+"2],", 1000)[:1000*2004-1] + ",1]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := jsonschema.Compile(context.Background(), mcp.RawMessage(test[0]))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(context.Background(), mcp.RawMessage(test[1])); err != nil && !strings.Contains(err.Error(), "too many steps") && name != "uniqueItems" {
				t.Errorf("%.200v", err)
			}
		})
	}
}

// TestLongPatterns: the size of a pattern is known in a moment, or it is refused.
func TestLongPatterns(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"{", "{1", "a{1", "{1,", "[[:", "[[:a]", "(", "(?", `\Q`, "[^"} {
		for _, length := range []int{8 << 10, 4 << 20} {
			schema, err := json.Marshal(map[string]string{"pattern": strings.Repeat(part, length/len(part))})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := jsonschema.Compile(context.Background(), schema); length > 8<<10 && (err == nil || !strings.Contains(err.Error(), "more than 8192")) {
				t.Errorf("%q, %d bytes: %v", part, length, err)
			}
		}
	}
}

// Exponents that do not fit into an int of 32 bits.
func TestLargeExponents(t *testing.T) {
	for schema, value := range map[string]string{
		`{"maximum":5}`:                  `1e999999999999`,
		`{"exclusiveMinimum":1e1099511}`: `1e1099511`,
		`{"minimum":1e99999999999}`:      `2`,
		`{"multipleOf":7}`:               `1e4294967296`,
		`{"const":1}`:                    `1e4294967296`,
	} {
		s, err := jsonschema.Compile(context.Background(), mcp.RawMessage(schema))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(context.Background(), mcp.RawMessage(value)); err == nil {
			t.Errorf("%s matches %s", value, schema)
		}
	}
}
