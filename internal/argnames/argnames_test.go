package argnames_test

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/argnames"
)

func TestAlias(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"$top", "top", "uids[]", "project path", "größe", "名前", "", "9", "-", "@odata.type", strings.Repeat("x", 65), strings.Repeat("x", 66), strings.Repeat("$", 70), "a\x00b"} {
		alias := argnames.Alias(name)
		if !argnames.FitsVertex(alias) || !argnames.Fits(alias) || seen[alias] != "" {
			t.Errorf("%q becomes %q, as does %q", name, alias, seen[alias])
		}
		seen[alias] = name
	}
}

func TestRestore(t *testing.T) {
	top, path := argnames.Alias("$top"), argnames.Alias("a b")
	for _, test := range []struct{ schema, args, want string }{
		{`{"properties":{"$top":{}}}`, `{"` + top + `":1e400,"x":{"` + top + `":2}}`, `{"$top":1e400,"x":{"` + top + `":2}}`},
		{`{"properties":{"$top":{}}}`, `{"$top":1}`, `{"$top":1}`},
		{`{"properties":{"$top":{},"` + top + `":{}}}`, `{"` + top + `":1}`, `{"` + top + `":1}`},
		{`{"properties":{"other":{}}}`, `{"` + top + `":1}`, `{"` + top + `":1}`},
		{`{"properties":{"x":{"properties":{"$top":{}}}}}`, `{"` + top + `":1}`, `{"` + top + `":1}`},
		{`{"oneOf":[{"$ref":"#/$defs/a~1b"}],"$defs":{"a/b":{"allOf":[{"properties":{"a b":{}}}]}}}`, `{"` + path + `":[1]}`, `{"a b":[1]}`},
		{`{"$ref":"#"}`, `{"` + top + `":1}`, `{"` + top + `":1}`},
		{`{"properties":{"$top":{}}}`, `[]`, `[]`},
		{`{"properties":{"$top":{}}}`, ``, ``},
	} {
		if got, err := argnames.Restore([]byte(test.schema), []byte(test.args)); err != nil || string(got) != test.want {
			t.Errorf("%s with %s: %s, %v; want %s", test.schema, test.args, got, err, test.want)
		}
	}
	if _, err := argnames.Restore([]byte(`{"properties":{"$top":{}}}`), []byte(`{"$top":1,"`+top+`":2}`)); err == nil || !strings.Contains(err.Error(), `"$top" is there twice`) {
		t.Errorf("both names: %v", err)
	}
}

// TestRestoreReadsLittle: a schema that refers to its end 1,000 times is not read 1,000 times.
// One of 8 MiB took half an hour, in each call.
func TestRestoreReadsLittle(t *testing.T) {
	alias := argnames.Alias("a b")
	args := `{"` + alias + `":1}`
	for refs, want := range map[int]string{10: `{"a b":1}`, 1000: args} {
		schema := `{"allOf":[` + strings.Repeat(`{"$ref":"#/$defs/y"},`, refs) + `{"$ref":"#/$defs/z"}],"$defs":{"pad":"` + strings.Repeat("x", 64<<10) + `","y":{},"z":{"properties":{"a b":{}}}}}`
		if got, err := argnames.Restore([]byte(schema), []byte(args)); err != nil || string(got) != want {
			t.Errorf("%d references: %s, %v", refs, got, err)
		}
	}
}
