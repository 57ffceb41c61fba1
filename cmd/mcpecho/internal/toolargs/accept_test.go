package toolargs

import "testing"

// A value outside of an enum, and a fraction for an integer, are refused as a wrong
// boolean is; k:=json forces them.
func TestValuesThatTheSchemaForbids(t *testing.T) {
	for _, test := range []struct{ schema, value, want string }{
		{`{"type":"integer"}`, "1.5", ""},
		{`{"type":"integer"}`, "2", "2"},
		{`{"type":"integer"}`, "1e2", "1e2"},
		{`{"type":["integer","string"]}`, "1.5", `"1.5"`},
		{`{"type":["integer","number"]}`, "1.5", "1.5"},
		{`{"type":"number"}`, "1.5", "1.5"},
		{`{}`, "1.5", "1.5"},
		{`{"type":"string","enum":["small","large"]}`, "small", `"small"`},
		{`{"type":"string","enum":["small","large"]}`, "medium", ""},
		{`{"enum":["1","2"]}`, "1", `"1"`},
		{`{"const":"a"}`, "b", ""},
		{`{"enum":[1,2]}`, "1", "1"},
		{`{"enum":["a",null]}`, "null", "null"},
		{`{"anyOf":[{"enum":["a"]},{"type":"string"}]}`, "b", `"b"`},
		{`{"anyOf":[{"enum":["a"]},{"const":"b"}]}`, "c", ""},
		{`{"anyOf":[{"enum":["a"]},{"const":"b"}]}`, "b", `"b"`},
		{`{"allOf":[{"type":"string"},{"enum":["a"]}]}`, "b", ""},
		{`{"$ref":"#/$defs/x","$defs":{"x":{"enum":["a"]}}}`, "b", ""},
		{`{"type":"boolean"}`, "maybe", ""},
	} {
		s := ParseSchema([]byte(test.schema))
		if got := string((&Argument{Value: test.value}).Encode(s)); got != test.want {
			t.Errorf("%s for %s is %s, want %s", test.value, test.schema, got, test.want)
		}
		if got := string((&Argument{Value: `"x"`, Json: true}).Encode(s)); got != `"x"` {
			t.Errorf("JSON for %s is %s", test.schema, got)
		}
	}
}
