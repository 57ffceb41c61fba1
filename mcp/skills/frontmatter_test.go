package skills_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/skills"
)

func TestParseFrontmatter(t *testing.T) {
	for text, want := range map[string]string{
		"":              `{}`,
		"# only this\n": `{}`,
		"name: pdf\ndescription: Extract, fill: no\n":                     "error 2:27",
		"name: pdf\ndescription: Extract, and fill # not this\n":          `{"name":"pdf","description":"Extract, and fill"}`,
		"a: http://x.org/#y\n":                                            `{"a":"http://x.org/#y"}`,
		"a: one\n  two\n\n  three\nb: 1\n":                                `{"a":"one two\nthree","b":1}`,
		"a:\n  one\n  two\n":                                              `{"a":"one two"}`,
		"a: \"x: \\\"y\\\" \\u00e9\\n\"\n":                                `{"a":"x: \"y\" é\n"}`,
		"'a b': 'it''s'\n":                                                `{"a b":"it's"}`,
		"a: |\n  one\n   two\n\n  three\n\nb: ~\n":                        `{"a":"one\n two\n\nthree\n","b":null}`,
		"a: |-\n  one\n  # two\n":                                         `{"a":"one\n# two"}`,
		"a: |+\n  one\n\nb: x\n":                                          `{"a":"one\n\n","b":"x"}`,
		"a: >\n  one\n  two\n\n  three\n    four\n  five\n":               `{"a":"one two\nthree\n  four\nfive\n"}`,
		"a: >-\n  one\n  two\n":                                           `{"a":"one two"}`,
		"a:\n  - x\n  - y: 1\n    z: 2\n  -\n    - q\n  - - r\n    - s\n": `{"a":["x",{"y":1,"z":2},["q"],["r","s"]]}`,
		"a:\n- x\n- y\nb:\n":                                              `{"a":["x","y"],"b":null}`,
		"a: [x, \"y, z\", 1, true, {b: c, d}, []]\n":                      `{"a":["x","y, z",1,true,{"b":"c","d":null},[]]}`,
		"a: {b: {c: [1]}, 'd': e f}  # ok\n":                              `{"a":{"b":{"c":[1]},"d":"e f"}}`,
		"a: yes\nb: 2024-01-01\nc: 1.0\nd: 1.2.3\ne: 0x1F\nf: 0o17\ng: -1e3\nh: .5\ni: +1\nj: 1_000\nk: Null\nl: -\u00e9\n": `{"a":"yes","b":"2024-01-01","c":1,"d":"1.2.3","e":31,"f":15,"g":-1000,"h":0.5,"i":1,"j":"1_000","k":null,"l":"-é"}`,
		"metadata:\n  version: \"2.1\"\n  deep:\n    x: y\nallowed-tools: Bash(git:*) Read\n":                               `{"metadata":{"version":"2.1","deep":{"x":"y"}},"allowed-tools":"Bash(git:*) Read"}`,
		"a: 1\r\nb: 2\r\n":                                    `{"a":1,"b":2}`,
		"1: x\n":                                              `{"1":"x"}`,
		"a: \ufffd\u0085b\n":                                  "{\"a\":\"\ufffd\u0085b\"}",
		"a: \"\\L\\P\\N\\x41\\U0001F600\"\n":                  "{\"a\":\"\u2028\u2029\u0085A\U0001F600\"}",
		"---a: b\n...c: d\n":                                  `{"---a":"b","...c":"d"}`,
		"a: 'b\\n'\n":                                         `{"a":"b\\n"}`,
		"a: 'x\n  y  \n\n\n  z'\nb: 1\n":                      `{"a":"x y\n\nz","b":1}`,
		"a: \"x \\\n  y\\\n\n  \\  z\\\r\n \"\n":              `{"a":"x y\n  z"}`,
		"a: [x, # one\n  y,\n  {b: c,\n   d}]\n":              `{"a":["x","y",{"b":"c","d":null}]}`,
		"a:\n  {\n    \"b\": {\"c\": [1, 2,],},\n  }\nd: e\n": `{"a":{"b":{"c":[1,2]}},"d":"e"}`,
		"- \"a\": b\n":                                        "error 1:1",
		"\"a\n  b\": c\n":                                     "error 1:1",
		"a: \"b\n":                                            "error 1:4",
		"a: 'b\n":                                             "error 1:4",
		"a: \"b\n---\nc\"\n":                                  "error 2:1",
		"a: [b\n  c]\n":                                       "error 2:3",
		"a: [b,\n":                                            "error 2:1",
		"'':0\n":                                              "error 1:3",
		"a:\n  'b':0\n":                                       "error 2:6",
		"a: [b]: c\n":                                         "error 1:7",
		"a:\tb\n":                                             "error 1:3",
		"a: [b?, c]\n":                                        `{"a":["b?","c"]}`,
		"a: {b:, c:}\n":                                       `{"a":{"b":null,"c":null}}`,
		"a: b\n  \t  c\n":                                     `{"a":"b c"}`,
		"a: 0xffffffffffffffff\nb: -0x1\nc: 0o8\n": `{"a":18446744073709551615,"b":"-0x1","c":"0o8"}`,

		"a: &x 1\n":                         "error 1:4",
		"a: *x\n":                           "error 1:4",
		"a: !!str 1\n":                      "error 1:4",
		"a: 1\na: 2\n":                      "error 2:1",
		"a: {b: 1, b: 2}\n":                 "error 1:11",
		"<<: x\n":                           "error 1:1",
		"? x\n: y\n":                        "error 1:1",
		"a:\n\tb: 1\n":                      "error 2:1",
		"a: |2\n   x\n":                     "error 1:4",
		"a: .inf\n":                         "error 1:4",
		"a: 1e999\n":                        "error 1:4",
		"a: 0x10000000000000000\n":          "error 1:4",
		"a: b\n  \"c: d\"\n":                "error 2:5",
		"- a\n":                             "error 1:1",
		"just text\n":                       "error 1:10",
		" a: 1\n":                           "error 1:2",
		"a: 1\n  b: 2\n":                    "error 2:4",
		"a: - b\n":                          "error 1:4",
		"a: \"\\q\"\n":                      "error 1:5",
		"a: \"x\" y\n":                      "error 1:8",
		"a: `x`\n":                          "error 1:4",
		"a: 1\n...\n":                       "error 2:1",
		"a: \x01\n":                         "error 1:4",
		"a: \xff\n":                         "error 1:4",
		"a: [b #c]\n":                       "error 2:1",
		"a: \"b\"'c'\n":                     "error 1:7",
		"a: {b: ]\n":                        "error 1:8",
		"a: {b, ?c}\n":                      "error 1:8",
		"a: [:b]\n":                         "error 1:5",
		"a: 1\n- b: c\n":                    "error 2:1",
		"a:\n - \tb: c\n":                   "error 2:4",
		"a: 1\n--- b: c\n":                  "error 2:1",
		"a: 1\n... b: c\n":                  "error 2:1",
		"a: 1\n---\tb: c\n":                 "error 2:1",
		"a: 1\n%b: c\n":                     "error 2:1",
		"a: 'x'\n  y: z\n":                  "error 2:3",
		"a:\n- 'x'\n  y\n":                  "error 3:3",
		"a: [x]#c\n":                        "error 1:7",
		"a: b # c\n  d\n":                   "error 2:3",
		"a: b\n  # c\n  d\n":                "error 3:3",
		"a: |\n    \n  x\n":                 "error 3:1",
		"a: |\n  x\n y\n":                   "error 3:2",
		"a: x\ufeffy\n":                     "error 1:5",
		"a: x\u0080y\n":                     "error 1:5",
		"a: \"\\ud800\"\n":                  "error 1:5",
		"a: \"\\u12\"\n":                    "error 1:5",
		"a: [1}\n":                          "error 1:6",
		"a: [,]\n":                          "error 1:5",
		"a:\n  b: 1\n c: 2\n":               "error 3:2",
		strings.Repeat("k", 1025) + ": x\n": "error 1:1",
		"a:\n" + strings.Repeat("- x: 1\n", 40_000): "error 1:1",
		"a: " + strings.Repeat("[", 40) + "\n":      "error 1:35",
		"a: " + strings.Repeat("- ", 40) + "\n":     "error 1:4",
	} {
		v, err := skills.ParseFrontmatter([]byte(text))
		got, _ := json.Marshal(v)
		if position, ok := strings.CutPrefix(want, "error "); ok {
			var at *skills.SyntaxError
			if !errors.As(err, &at) || !errors.Is(err, skills.ErrFrontmatter) {
				t.Errorf("%q: %s, %v", text, got, err)
			} else if have := strings.Replace(strings.TrimPrefix(strings.SplitN(at.Error(), ": ", 2)[0], "line "), ", column ", ":", 1); have != position {
				t.Errorf("%q: error at %s, want %s: %v", text, have, position, err)
			}
			continue
		}
		parsed, _ := mcp.DecodeValue(mcp.RawMessage(want))
		if sorted, _ := json.Marshal(parsed); string(got) != string(sorted) || err != nil {
			t.Errorf("%q: %s, %v, want %s", text, got, err, sorted)
		}
	}
}

// FuzzParseFrontmatter checks that JSON, which is YAML, parses as JSON does, and
// that every result is valid JSON.
func FuzzParseFrontmatter(f *testing.F) {
	for _, seed := range []string{"a: b", "a:\n - b: c\n   d: >\n    e\n", `a: {"b": [1, "c", null, true]}`, "a: 'b'\n\nc: |+\n  d\n\n", "a: \"\\x41\"", "? a", "a: [b, {c: d}]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := skills.ParseFrontmatter(text)
		if (v == nil) == (err == nil) {
			t.Fatal(v, err)
		}
		if err != nil {
			return
		}
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		spaced := strings.NewReplacer(`\u003c`, `<`, `\u003e`, `>`, `\u0026`, `&`).Replace(string(data))
		if strings.Contains(spaced, `\u`) || strings.ContainsAny(spaced, "\u0085\ufeff") || strings.ContainsFunc(spaced, func(r rune) bool { return r >= 0x7f && r < 0xa0 }) {
			return
		}
		again, err := skills.ParseFrontmatter([]byte("v: " + jsonWithSpaces(spaced)))
		if err != nil {
			if strings.Contains(err.Error(), "levels") {
				return
			}
			t.Fatalf("%s: %v", spaced, err)
		}
		if got, _ := json.Marshal(again["v"]); string(got) != string(data) {
			t.Fatalf("%s becomes %s", data, got)
		}
	})
}

// jsonWithSpaces puts a space after each colon outside strings, as YAML wants.
func jsonWithSpaces(s string) string {
	var b strings.Builder
	inside := false
	for i := 0; i < len(s); i++ {
		b.WriteByte(s[i])
		switch {
		case s[i] == '\\' && inside:
			i++
			b.WriteByte(s[i])
		case s[i] == '"':
			inside = !inside
		case s[i] == ':' && !inside:
			b.WriteByte(' ')
		}
	}
	return b.String()
}
