package frontmatter

import (
	"math/big"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/skills"
	"gopkg.in/yaml.v3"
)

// seeds has a text for each part of the syntax.
var seeds = []string{
	"name: pdf\ndescription: Extract, and fill # not this\n",
	"a: one\n  two\n\n  three\nb: 1\n",
	"a:\n  one\n  two\n",
	"a: \"x: \\\"y\\\" \\u00e9\\n\"\n",
	"'a b': 'it''s'\n",
	"a: |\n  one\n   two\n\n  three\n\nb: ~\n",
	"a: |-\n  one\n  # two\n",
	"a: |+\n  one\n\nb: x\n",
	"a: >\n  one\n  two\n\n  three\n    four\n  five\n",
	"a: >-\n\n  one\n  two\n",
	"a:\n  - x\n  - y: 1\n    z: 2\n  -\n    - q\n  - - r\n    - s\n",
	"a:\n- x\n- y\nb:\n",
	"a: [x, \"y, z\", 1, true, {b: c, d}, []]\n",
	"a: {b: {c: [1]}, 'd': e f}  # ok\n",
	"a: yes\nb: 2024-01-01\nc: 1.0\nd: 0x1F\ne: 0o17\nf: -1e3\ng: .5\nh: +1\ni: 1_000\nj: Null\n",
	"metadata:\n  version: \"2.1\"\n  deep:\n    x: y\nallowed-tools: Bash(git:*) Read\n",
	"a: 1\r\nb: 2\r\n",
	"a: x#y\nb: x: y\nc: -x\nd: ?x\ne: :x\n",
	"a: >+\n  \n   b\n\tc\n",
	"a: [b?, c]\n",
	"a: b\n  \"c d\"\n  \t  e\n",
	"'':0\n",
	"a: \"x \\\n  y\\\n\n  \\  z\\\n \"\n",
	"a: 'x\n  y  \n\n\n  z'\nb: 1\n",
	"a:\n  {\n    \"b\": {\"c\": [1, 2,],},\n  }\nd: [e, # f\n  g]\n",
}

func FuzzFrontmatter(f *testing.F) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text += "\n" // as before the line "---"
		if strings.ContainsAny(text, "\u0085\u2028\u2029") {
			return // the reference takes these as line breaks, as YAML 1.1 did
		}
		if colon.MatchString(text) {
			return // the reference takes this colon as part of plain text, as YAML 1.1 did
		}
		got, err := skills.ParseFrontmatter([]byte(text))
		if err != nil {
			return
		}
		var document yaml.Node
		if err := yaml.Unmarshal([]byte(text), &document); err != nil {
			if strings.Contains(text, "\t") && tab.MatchString(err.Error()) {
				return // the reference refuses tabs that the specification allows between tokens
			}
			if strings.Contains(text, "?") && strings.ContainsAny(text, "[{") {
				return // in lists and objects, the reference ends plain text at a question mark, as YAML 1.1 did
			}
			if strings.Contains(text, `\/`) && strings.Contains(err.Error(), "unknown escape") {
				return // the reference lacks the escape that YAML 1.2 has because JSON has it
			}
			if colonBelow.MatchString(text) && strings.ContainsAny(text, "[{") {
				return // the reference wants the colon in the line of the key, even in an object
			}
			t.Fatalf("%q is %v, but in the reference %v", text, got, err)
		}
		want := any(map[string]any{})
		if len(document.Content) > 0 {
			if want, err = value(document.Content[0]); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(any(got), want) {
			t.Fatalf("%q is %#v, want %#v", text, got, want)
		}
	})
}

var colon = regexp.MustCompile(`:[],[{}]`)

var colonBelow = regexp.MustCompile(`\n\s*:`)

var tab = regexp.MustCompile("a tab character|found character that cannot start any token")

// value returns the value of a node, as package skills has it.
func value(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.MappingNode:
		m := make(map[string]any)
		for i := 0; i < len(n.Content); i += 2 {
			v, err := value(n.Content[i+1])
			if err != nil {
				return nil, err
			}
			m[n.Content[i].Value] = v
		}
		return m, nil
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			v, err := value(item)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	}
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return n.Value, nil
	}
	return scalar(n.Value)
}

// The core schema of YAML 1.2.2, section 10.3.2.
var (
	null    = regexp.MustCompile(`^(null|Null|NULL|~|)$`)
	boolean = regexp.MustCompile(`^(true|True|TRUE|false|False|FALSE)$`)
	octal   = regexp.MustCompile(`^0o([0-7]+)$`)
	hex     = regexp.MustCompile(`^0x([0-9a-fA-F]+)$`)
	number  = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
)

// scalar returns the value of a plain scalar.
func scalar(s string) (any, error) {
	switch {
	case null.MatchString(s):
		return nil, nil
	case boolean.MatchString(s):
		return strings.EqualFold(s, "true"), nil
	case octal.MatchString(s):
		return integer(s[2:], 8), nil
	case hex.MatchString(s):
		return integer(s[2:], 16), nil
	case number.MatchString(s):
		return strconv.ParseFloat(s, 64)
	}
	return s, nil
}

func integer(digits string, base int) float64 {
	n, _ := new(big.Int).SetString(digits, base)
	f, _ := new(big.Float).SetInt(n).Float64()
	return f
}
