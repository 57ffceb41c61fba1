package wire_test

import (
	"testing"

	"github.com/stdmcp/stdmcp/internal/wire"
)

func TestLookup(t *testing.T) {
	const text = ` {"a":{"b":[1],"":null},"c":"\u0061"} `
	for _, c := range []struct {
		text string
		path []string
		want string
	}{
		{text, nil, text},
		{text, []string{"a"}, `{"b":[1],"":null}`},
		{text, []string{"a", "b"}, `[1]`},
		{text, []string{"a", ""}, `null`},
		{text, []string{"c"}, `"\u0061"`},
		{text, []string{"x"}, ""},
		{text, []string{"x", "b"}, ""},
		{text, []string{"c", "d"}, ""},
		{text, []string{"a", "b", "0"}, ""},
		{`{"a":1,"a":2}`, []string{"a"}, ""},
		{`{"a":1`, []string{"a"}, ""},
		{`["a"]`, []string{"a"}, ""},
		{``, []string{"a"}, ""},
		{`null`, []string{"a"}, ""},
	} {
		if got := wire.Lookup([]byte(c.text), c.path...); string(got) != c.want {
			t.Errorf("%q in %s: %s, want %s", c.path, c.text, got, c.want)
		}
	}
	if wire.Lookup([]byte("{}"), "a") != nil {
		t.Error("a missing value is not nil")
	}
}
