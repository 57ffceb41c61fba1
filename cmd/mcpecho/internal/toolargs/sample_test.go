package toolargs

import (
	"fmt"
	"testing"
)

func TestFormShowsWhatJSONAnArgumentIs(t *testing.T) {
	t.Parallel()
	for schemaText, want := range map[string]string{
		`{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}`: `; as JSON, such as [{"name":"…"}]`,
		`{"type":"object","properties":{"on":{"type":"boolean"}},"required":["on"]}`:                             `; as JSON, such as {"on":true}`,
		`{"type":"array"}`:  "",
		`{"type":"string"}`: "",
		`{}`:                "",
	} {
		if have := ParseSchema([]byte(schemaText)).InJSON(); have != want {
			t.Errorf("%s: %q, want %q", schemaText, have, want)
		}
	}
}

func TestTemplateVariables(t *testing.T) {
	if got := fmt.Sprint(TemplateVariables("file:///{+path*}/{name:3}{?q,name}{")); got != "[path name q]" {
		t.Error(got)
	}
}
