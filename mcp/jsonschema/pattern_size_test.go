package jsonschema

import (
	"regexp/syntax"
	"strings"
	"testing"
)

// FuzzPatternSize compares the estimate with the program of package regexp.
func FuzzPatternSize(f *testing.F) {
	for _, s := range []string{
		``, `a`, `abc`, `^[a-z0-9_-]{1,64}$`, `(abc|de|f)+`, `(?i)straße`, `\d{4}-\d{2}-\d{2}`, `\p{Greek}{3}`, `\Qa.b\E{2}`, `\Q`, `\`, `[`, `[]a]`, `[^]a]{9}`, `[[:alpha:]x]*`,
		`[[:x]`, `(a?){1000}b`, `((a{10}){10}){10}`, `(abcdefghij){1000}`, `x{2}{3}`, `x{,5}`, `x{5,}`, `x{0}`, `{`, `{1}`, `a{1`, `)`, `((`, `(?:a*b*c*|d+?e??){7}`, `a{99999999999999999999}`,
		`.{1,1000}`, `\x{10FFFF}{5}`, `a**`, `(a|b){500}(c|dd){500}`, `(?P<name>x){3}`, `a{2147483647}{2147483647}`, strings.Repeat("(a{100}", 20) + strings.Repeat(")", 20),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := patternSize(s)
		if got < 1 || got > maxPatterns+1 {
			t.Fatalf("%q: %d", s, got)
		}
		parsed, err := syntax.Parse(s, syntax.Perl)
		if err != nil {
			return
		}
		if want := instructions(parsed); want > 3*got+len(s) {
			t.Errorf("%q: %d, and package regexp has %d", s, got, want)
		}
	})
}

// TestClassesThatIgnoreCase: 438 such classes took 68 ms to compile, which the context does
// not end.
func TestClassesThatIgnoreCase(t *testing.T) {
	t.Parallel()
	for _, s := range []string{`(?i:\p{Lu})`, `(?i)[^\PL]`, `\pN(?i)\PL`} {
		if got := patternSize(strings.Repeat(s+"*x", 300)); got <= maxPatterns {
			t.Errorf("%s: %d", s, got)
		}
	}
}

// The estimate of ordinary patterns is close.
func TestPatternSize(t *testing.T) {
	t.Parallel()
	for _, s := range []string{`abc`, `^[a-z0-9_-]{1,64}$`, `(abc|de|f)+`, `\d{4}-\d{2}-\d{2}`, `(a?){1000}b`, `((a{10}){10}){10}`, `(abcdefghij){1000}`, `[^]a]{90}`, `(a|b){500}(cc|dd){500}`} {
		parsed, err := syntax.Parse(s, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := patternSize(s), instructions(parsed); got < want/2 || got > 2*want {
			t.Errorf("%s: %d, and package regexp has %d", s, got, want)
		}
	}
}
