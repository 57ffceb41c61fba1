package template

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/yosida95/uritemplate/v3"
)

// FuzzExpand expands a template with a string a, a list b of two strings, and an empty
// string and list. What one of the two accepts has the same expansion in the other.
func FuzzExpand(f *testing.F) {
	for _, text := range []string{
		"x://{a}/{b}", "{+a}{#a}{.a}{/a}{;a}{?a}{&a}", "{a*,b*}{+b*}{#b*}{.b*}{/b*}{;b*}{?b*}{&b*}", "{a:3}{/a:1,b}{?a:2}",
		"{?a,b,c,d,e}", "{;c,d}{?c,d}{.c,d}", "a b%20ü{+a}%zz", "{%41}{a.b}{a_b}{1}", "{a}{", "}", "{}", "{=a}", "{a:0}", "{a:10000}", "{b:3}", "{a*:3}",
	} {
		f.Add(text, "a/b?!", "c d", "")
	}
	f.Fuzz(func(t *testing.T, text, a, b1, b2 string) {
		if values := a + b1 + b2; !isASCII(text+values) || strings.Contains(values, "\x00") {
			return // the reference escapes code points below 256 as one byte, not as UTF-8, and drops NUL
		} else if strings.Contains(values, "%") && strings.ContainsAny(text, "+#") {
			return // the reference escapes the percent sign of an escape, which {+a} and {#a} keep (section 3.2.3)
		}
		have, err := (&mcp.ResourceTemplate{URITemplate: text}).Expand(map[string]any{"a": a, "b": []string{b1, b2}, "c": "", "d": []string{}})
		reference, invalid := uritemplate.New(text)
		want := ""
		if invalid == nil {
			values := uritemplate.Values{}
			values.Set("a", uritemplate.String(a))
			values.Set("b", uritemplate.List(b1, b2))
			values.Set("c", uritemplate.String(""))
			values.Set("d", uritemplate.List())
			want, invalid = reference.Expand(values)
		}
		if prefixOfList.MatchString(text) && err != nil {
			return // which RFC 6570 leaves undefined (section 2.4.1), and the reference ignores
		}
		if invalid != nil && (strings.Contains(invalid.Error(), "unacceptable character") || strings.Contains(invalid.Error(), "incomplete pct-encodeed")) {
			return // in a literal: ours escapes it, as servers write spaces and percent signs
		}
		if (err == nil) != (invalid == nil) {
			t.Fatalf("%q: %q, %v; in the reference %q, %v", text, have, err, want, invalid)
		}
		if have != want {
			t.Fatalf("%q: %q, want %q", text, have, want)
		}
	})
}

var prefixOfList = regexp.MustCompile(`\{[^}]*[bd]:`)

func isASCII(s string) bool { return strings.IndexFunc(s, func(c rune) bool { return c >= 0x80 }) < 0 }
