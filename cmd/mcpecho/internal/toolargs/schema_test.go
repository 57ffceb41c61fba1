package toolargs

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func count(s *Schema) int {
	n := 1
	for _, p := range s.Properties {
		n += count(p.Schema)
	}
	if s.Items != nil {
		n += count(s.Items)
	}
	return n
}

// A short schema that refers to itself often takes neither gigabytes nor minutes.
func TestSchemasThatReferToThemselves(t *testing.T) {
	var each strings.Builder
	for i := range 24 {
		fmt.Fprintf(&each, `"p%d":{"$ref":"#/$defs/x"},`, i)
	}
	if s := ParseSchema([]byte(`{"type":"object","properties":{` + each.String() + `"a":{"type":"array"}},"$defs":{"x":{"$ref":"#"}}}`)); s.Property("p23").Kind() != "object" {
		t.Errorf("%q", s.Property("p23").Kind())
	}
	for _, text := range []string{
		`{"$defs":{"x":{"type":"object","properties":{` + each.String() + `"last":{"type":"array","items":{"$ref":"#/$defs/x"}}}}},"$ref":"#/$defs/x"}`,
		`{"$defs":{"x":{"type":"object","anyOf":[{"properties":{` + each.String() + `"last":{"type":"array"}}}]}},"allOf":[{"$ref":"#/$defs/x"}]}`,
	} {
		s := ParseSchema([]byte(text))
		if n := count(s); n > 10_000 {
			t.Errorf("%d schemas of %d bytes", n, len(text))
		}
		if s.Property("p23") == nil || s.Property("last") == nil {
			t.Errorf("%s: %q", text, s.Names())
		}
	}
}

// Lists of thousands of schemas and references are read in linear time.
func TestLongLists(t *testing.T) {
	var consts, refs strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&consts, `{"const":"%d"},`, i)
		fmt.Fprintf(&refs, `{"$ref":"#/$defs/x","$id":"%d"},`, i)
	}
	began := time.Now()
	s := ParseSchema([]byte(`{"properties":{"a":{"anyOf":[` + consts.String() + `{"const":"last"}]},"b":{"anyOf":[` + refs.String() + `{}]}},"$defs":{"x":{"type":"null"}}}`))
	if a := s.Property("a"); len(a.Enum) != 40_001 || !a.accepts(`"last"`) {
		t.Errorf("%d values", len(a.Enum))
	}
	if took := time.Since(began); took > 10*time.Second { // 0.3 s, or minutes
		t.Errorf("it took %s", took)
	}
}
