package terminal

import (
	"bytes"
	"encoding/json"
	"testing"
)

// indent does what json.Indent does.
func TestIndent(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`null`, ` 12.5e3 `, `"a\"b\\"`, `"{\"a\":[1,2]}"`, `[]`, `{}`, `[ ]`, "{\n}", `[[],{}]`, `[{},[]]`, `[1,"two",[3,{"four":[]}]]`,
		`{"a":1,"b" : {"c":[ true,false ,null],"d":"x, y: z"},"":""}`, "[\n  1,\t2\r\n]", `{"a":"\\"}`, `["\\\"",":"]`,
	} {
		var want bytes.Buffer
		if err := json.Indent(&want, bytes.TrimSpace([]byte(text)), "", "  "); err != nil {
			t.Fatal(err)
		}
		if got := Indent([]byte(text)); got != want.String() {
			t.Errorf("%s: got\n%s\nwant\n%s", text, got, &want)
		}
	}
	for _, text := range []string{"", "{", `{"a":}`, "plain text", `"open`, "]"} {
		if got := Indent([]byte(text)); got != text {
			t.Errorf("%q: got %q", text, got)
		}
	}
}
