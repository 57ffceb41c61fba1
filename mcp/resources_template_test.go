package mcp_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/mcp"
)

// TestExpand has the kinds of expressions that RFC 6570 tells apart.
func TestExpand(t *testing.T) {
	values := map[string]any{
		"v": "value", "hello": "Hello World!", "half": "50%", "path": "/foo/bar", "empty": "", "list": []string{"red", "green", "blue"},
		"none": []string{}, "x": "1024", "y": "768", "é": "ignored", "a.b": "dotted", "base": "http://example.com/home/", "greek": "αβγδ",
		"done": "%41",
	}
	for template, want := range map[string]string{
		"":                     "",
		"echo://greeting/ü":    "echo://greeting/%C3%BC",
		"a%20b":                "a%20b",
		"{v}":                  "value",
		"{hello}":              "Hello%20World%21",
		"{half}":               "50%25",
		"O{empty}X":            "OX",
		"O{undef}X":            "OX",
		"{x,y}":                "1024,768",
		"{x,hello,y}":          "1024,Hello%20World%21,768",
		"?{x,undef}":           "?1024",
		"{v:3}":                "val",
		"{v:30}":               "value",
		"{greek:2}":            "%CE%B1%CE%B2",
		"{list}":               "red,green,blue",
		"{list*}":              "red,green,blue",
		"{none}":               "",
		"{a.b}":                "dotted",
		"{+v}":                 "value",
		"{+hello}":             "Hello%20World!",
		"{+half}":              "50%25",
		"{+done}{done}":        "%41%2541",
		"{base}index":          "http%3A%2F%2Fexample.com%2Fhome%2Findex",
		"{+base}index":         "http://example.com/home/index",
		"{+path}/here":         "/foo/bar/here",
		"{+path:6}/here":       "/foo/b/here",
		"{+x,hello,y}":         "1024,Hello%20World!,768",
		"{#v}":                 "#value",
		"{#path,x}/here":       "#/foo/bar,1024/here",
		"foo{#empty}":          "foo#",
		"foo{#undef}":          "foo",
		"X{.v}":                "X.value",
		"X{.x,y}":              "X.1024.768",
		"X{.list}":             "X.red,green,blue",
		"X{.list*}":            "X.red.green.blue",
		"X{.empty}":            "X.",
		"{/v}":                 "/value",
		"{/v,x}/here":          "/value/1024/here",
		"{/v:1,v}":             "/v/value",
		"{/list*,path:4}":      "/red/green/blue/%2Ffoo",
		"{;x,y}":               ";x=1024;y=768",
		"{;x,y,empty}":         ";x=1024;y=768;empty",
		"{;list}":              ";list=red,green,blue",
		"{;list*}":             ";list=red;list=green;list=blue",
		"{?x,y}":               "?x=1024&y=768",
		"{?x,y,empty}":         "?x=1024&y=768&empty=",
		"{?x,y,undef}":         "?x=1024&y=768",
		"{?list}":              "?list=red,green,blue",
		"{?list*}":             "?list=red&list=green&list=blue",
		"?fixed=yes{&x}":       "?fixed=yes&x=1024",
		"{&x,y,empty}":         "&x=1024&y=768&empty=",
		"file:///{+path}{?v*}": "file:////foo/bar?v=value",
	} {
		got, err := (&mcp.ResourceTemplate{URITemplate: template}).Expand(values)
		if got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", template, got, err, want)
		}
	}
	for _, template := range []string{"{", "}", "{}", "{a", "a}", "{{a}}", "{=a}", "{!a}", "{|a}", "{a b}", "{a,}", "{v:0}", "{v:x}", "{v:-1}", "{v:10000}", "{v:+3}", "{v:03}", "{v:}",
		"{v:3*}", "{.}", "{a..b}", "{list:3}", "{number}"} {
		values := map[string]any{"list": []string{"a"}, "number": 1, "v": "v"}
		if got, err := (&mcp.ResourceTemplate{URITemplate: template}).Expand(values); err == nil {
			t.Errorf("%s became %s", template, got)
		}
	}
}

func FuzzExpand(f *testing.F) {
	for _, s := range []string{"{a}", "{+a}/b{?c*}", "{/a:3}", "{#a", "é{;a,b}"} {
		f.Add(s, "value/%20é", "x")
	}
	f.Fuzz(func(t *testing.T, template, a, b string) {
		uri, err := (&mcp.ResourceTemplate{URITemplate: template}).Expand(map[string]any{"a": a, "b": []string{a, b}, "c": b})
		if err != nil {
			return
		}
		for i := range len(uri) {
			if c := uri[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"<>\^{|}`+"`", c) >= 0 {
				t.Fatalf("%q became %q", template, uri)
			}
		}
		want := referenceExpand(template, map[string][]string{"a": {a}, "c": {b}}, map[string][]string{"b": {a, b}})
		if uri != want {
			t.Fatalf("%q became %q, want %q", template, uri, want)
		}
	})
}

var expression = regexp.MustCompile(`\{([+#./;?&]?)([^}]*)\}|[^{]+`)

// referenceExpand expands a valid template literally as section 3.2
// of RFC 6570 has it.
func referenceExpand(template string, texts, lists map[string][]string) string {
	return expression.ReplaceAllStringFunc(template, func(part string) string {
		m := expression.FindStringSubmatch(part)
		if part[0] != '{' {
			return percent(part, true)
		}
		op, first, sep := m[1], m[1], m[1]
		switch op {
		case "", "+", "#":
			sep = ","
			first = strings.TrimPrefix(op, "+")
		case "?":
			sep = "&"
		}
		named, reserved := strings.Contains("?&;", op) && op != "", op == "+" || op == "#"
		var all []string
		for spec := range strings.SplitSeq(m[2], ",") {
			name, length, cut := strings.Cut(spec, ":")
			name, explode := strings.CutSuffix(name, "*")
			values, isText := texts[name]
			if !isText {
				values = lists[name]
			}
			var words []string
			for _, v := range values {
				for n, _ := strconv.Atoi(length); cut && utf8.RuneCountInString(v) > n; {
					_, last := utf8.DecodeLastRuneInString(v)
					v = v[:len(v)-last]
				}
				words = append(words, percent(v, reserved))
			}
			if words != nil && !explode {
				words = []string{strings.Join(words, ",")}
			}
			for _, word := range words {
				if named && (word != "" || op != ";") {
					word = name + "=" + word
				} else if named {
					word = name
				}
				all = append(all, word)
			}
		}
		if all == nil {
			return ""
		}
		return first + strings.Join(all, sep)
	})
}

// percent encodes what may not stand in a URI, and what has a meaning there
// unless that is meant.
func percent(text string, reserved bool) (s string) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		triplet := len(text)-i >= 3 && c == '%' && strings.Trim(text[i+1:i+3], "0123456789abcdefABCDEF") == ""
		if strings.IndexByte("-._~", c) >= 0 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' ||
			reserved && (triplet || strings.IndexByte(":/?#[]@!$&'()*+,;=", c) >= 0) {
			s += string(rune(c))
		} else {
			s += fmt.Sprintf("%%%02X", c)
		}
	}
	return s
}

// A template may be as long as a message; to expand it takes a moment, not hours.
func TestExpandLongTemplate(t *testing.T) {
	t.Parallel()
	const n = 1 << 20
	uri, err := (&mcp.ResourceTemplate{URITemplate: strings.Repeat("a{v}", n)}).Expand(map[string]any{"v": "b"})
	if err != nil || len(uri) != 2*n {
		t.Errorf("%d bytes, %v", len(uri), err)
	}
}
