package toolargs

import (
	"fmt"
	"runtime"
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

// A schema that refers to a long part of itself a thousand times takes little memory, and so do
// the members of an object whose name has many spellings.
func TestReferencesToLongParts(t *testing.T) {
	part := make([]string, 500)
	for i := range part {
		part[i] = fmt.Sprintf(`"p%d":{}`, i)
	}
	wide, values := `{"properties":{`+strings.Join(part, ",")+`}}`, `{"enum":[`+strings.Repeat("1,", 60_000)+`2]}`
	spelling := func(i int) (name string) {
		for bit := range 10 {
			name += [...]string{"~a", "~0a"}[i>>bit&1]
		}
		return name
	}
	refs, members := make([]string, 1000), ""
	for i := range refs {
		members += fmt.Sprintf(`"n%d":0,`, i)
		refs[i] = `{"$ref":"#/` + spelling(i) + `/m"}`
	}
	for what, text := range map[string]string{
		"properties": `{"allOf":[` + strings.Repeat(`{"$ref":"#/d"},`, 5000) + `{}],"d":` + wide + `}`,
		"values":     `{"allOf":[` + strings.Repeat(`{"$ref":"#/d"},`, 150) + `{}],"d":` + values + `}`,
		"spellings":  `{"allOf":[` + strings.Join(refs, ",") + `],"` + spelling(0) + `":{` + members + `"m":{}}}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		ParseSchema([]byte(text))
		if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 3000*uint64(len(text)) {
			t.Errorf("%s: %d MiB for a schema of %d bytes", what, (after.TotalAlloc-before.TotalAlloc)>>20, len(text))
		}
	}
}

// All properties are read, also those after the 512 that other objects may have.
func TestThousandProperties(t *testing.T) {
	part := make([]string, 1000)
	for i := range part {
		part[i] = fmt.Sprintf(`"p%d":{"$ref":"#/$defs/p%[1]d"}`, i)
	}
	if s := ParseSchema([]byte(`{"properties":{` + strings.Join(part, ",") + `},"$defs":{` + strings.ReplaceAll(strings.Join(part, ","), `"$ref":`, `"type":"number","title":`) + `}}`)); s.Property("p999") == nil || s.Property("p999").Kind() != "number" {
		t.Errorf("%d properties, the last is %v", len(s.Properties), s.Property("p999"))
	}
}

// Lists of thousands of schemas and references are read in linear time.
func TestLongLists(t *testing.T) {
	var consts, refs strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&consts, `{"const":"%d"},`, i)
		fmt.Fprintf(&refs, `{"$ref":"#/$defs/x","$id":"%d"},`, i)
	}
	began := time.Now()
	s := ParseSchema([]byte(`{"properties":{"a":{"anyOf":[` + consts.String() + `{"const":"last"}]},"b":{"anyOf":[` + refs.String() + `{}]}},"$defs":{"x":{"type":"null"}}}`))
	if a := s.Property("a"); len(a.Enum) != 10_001 || !a.accepts(`"last"`) {
		t.Errorf("%d values", len(a.Enum))
	}
	if took := time.Since(began); took > 10*time.Second { // 0.3 s, or minutes
		t.Errorf("it took %s", took)
	}
}
