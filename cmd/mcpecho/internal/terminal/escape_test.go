package terminal

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"plain, Grüße, 世界 🙂 👩‍👩‍👧":               "plain, Grüße, 世界 🙂 👩‍👩‍👧",
		"two\nlines\tand a tab":                  "two\nlines\tand a tab",
		"dos\r\nlines\r\n":                       "dos\r\nlines\r\n",
		"over\rwritten":                          `over\u000dwritten`,
		"\x1b[31mred\x1b[0m":                     `\u001b[31mred\u001b[0m`,
		"\x1b]52;c;cm0gLXJm\a":                   `\u001b]52;c;cm0gLXJm\u0007`,
		"\x00\b\x7f":                             `\u0000\u0008\u007f`,
		"\u009b31m":                              `\u009b31m`,
		"abc\u202edcba\u2066x\u2069\u061c\u200f": `abc\u202edcba\u2066x\u2069\u061c\u200f`,
		"a\u2028b":                               `a\u2028b`,
		"hidden\U000e0041":                       `hidden\udb40\udc41`,
		"broken \xff\xc3(":                       `broken \xff\xc3(`,
		"\x9b31m":                                `\x9b31m`,
		"replacement \ufffd":                     "replacement \ufffd",
	} {
		if got := Escape(text); got != want {
			t.Errorf("escape(%q) = %q, want %q", text, got, want)
		}
	}
	if got, want := EscapeLine("a\nb\tc\r\n"), `a\u000ab\u0009c\u000d\u000a`; got != want {
		t.Errorf("escapeLine: %q, want %q", got, want)
	}
}

// What is escaped is harmless, nothing else is touched, and in JSON it means
// the same as before.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"plain", "\x1b[2J", "\u202e\u009b\r\n\r", "\xff\xfe", `{"a":"\u001b"}`, "\U000e0041\U0010ffff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, got := range []string{Escape(s), EscapeLine(s)} {
			for i, r := range got {
				if mustEscape(r) && !(r == '\r' && strings.HasPrefix(got[i:], "\r\n")) {
					t.Errorf("%q in %q", r, got)
				}
			}
			if !utf8.ValidString(got) {
				t.Errorf("%q is not UTF-8", got)
			}
		}
		if strings.ContainsAny(EscapeLine(s), "\n\r\t") {
			t.Errorf("more than a line: %q", EscapeLine(s))
		}
		if utf8.ValidString(s) && !strings.ContainsFunc(s, mustEscape) && Escape(s) != s {
			t.Errorf("%q has become %q", s, Escape(s))
		}
		quoted, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var before, after string
		_ = json.Unmarshal(quoted, &before)
		if err := json.Unmarshal([]byte(Escape(string(quoted))), &after); err != nil || before != after {
			t.Errorf("%s means %q, then %q, %v", quoted, before, after, err)
		}
	})
}

func TestCutCountsColumns(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"short", 5, "short"}, {"longer", 5, "long…"}, {"世界世界", 8, "世界世界"}, {"世界世界", 7, "世界世…"}, {"世界世界", 6, "世界…"},
		{"é́é́é́", 3, "é́é́é́"}, {"x", 0, ""}, {"xy", 1, "…"}, {"", 0, ""},
	} {
		if got := Cut(test.text, test.width); got != test.want {
			t.Errorf("cut(%q, %d) = %q, want %q", test.text, test.width, got, test.want)
		}
	}
}
