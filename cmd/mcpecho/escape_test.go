package main

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/mcp"
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
		if got := escape(text); got != want {
			t.Errorf("escape(%q) = %q, want %q", text, got, want)
		}
	}
	if got, want := escapeLine("a\nb\tc\r\n"), `a\u000ab\u0009c\u000d\u000a`; got != want {
		t.Errorf("escapeLine: %q, want %q", got, want)
	}
}

func TestInvisibleCharactersInNames(t *testing.T) {
	for text, want := range map[string]string{
		"read\u200b_file":           `read\u200b_file`,
		"\u2060a\ufeffb\u00adc":     `\u2060a\ufeffb\u00adc`,
		"a\u200d\u200cb\ufe0f":      `a\u200d\u200cb\ufe0f`,
		"\u3164\u2800":              `\u3164\u2800`,
		"x\U000e0101":               `x\udb40\udd01`,
		"Grüße 👩‍👩‍👧 ⚙️ 世界":         "Grüße 👩‍👩‍👧 ⚙️ 世界",
		"line\nbreak\u202ereversed": `line\u000abreak\u202ereversed`,
	} {
		if got := escapeName(text); got != want {
			t.Errorf("escapeName(%q) = %q, want %q", text, got, want)
		}
	}
	c := &invocation{environment: &environment{stdout: new(strings.Builder), getenv: os.Getenv}}
	if got := c.table(row{}, []row{{name: "a\u200bb", description: "text\u200b"}}); !strings.Contains(got, `a\u200bb`) {
		t.Errorf("%q", got)
	}
}

// What is escaped is harmless, nothing else is touched, and in JSON it means
// the same as before.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"plain", "\x1b[2J", "\u202e\u009b\r\n\r", "\xff\xfe", `{"a":"\u001b"}`, "\U000e0041\U0010ffff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, got := range []string{escape(s), escapeLine(s)} {
			for i, r := range got {
				if mustEscape(r) && !(r == '\r' && strings.HasPrefix(got[i:], "\r\n")) {
					t.Errorf("%q in %q", r, got)
				}
			}
			if !utf8.ValidString(got) {
				t.Errorf("%q is not UTF-8", got)
			}
		}
		if strings.ContainsAny(escapeLine(s), "\n\r\t") {
			t.Errorf("more than a line: %q", escapeLine(s))
		}
		if utf8.ValidString(s) && !strings.ContainsFunc(s, mustEscape) && escape(s) != s {
			t.Errorf("%q has become %q", s, escape(s))
		}
		quoted, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var before, after string
		_ = json.Unmarshal(quoted, &before)
		if err := json.Unmarshal([]byte(escape(string(quoted))), &after); err != nil || before != after {
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
		if got := cut(test.text, test.width); got != test.want {
			t.Errorf("cut(%q, %d) = %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

func TestServersCannotImitateMcpecho(t *testing.T) {
	c := &invocation{environment: &environment{stdout: new(strings.Builder), getenv: os.Getenv}}
	sheet := c.describeServer(&mcp.ServerInfo{Implementation: mcp.Implementation{Name: "x\nmcpecho: all is well", Version: "1"}})
	if !strings.HasPrefix(sheet, "x\\u000amcpecho: all is well 1\n") {
		t.Errorf("a name has more than a line: %q", sheet)
	}
	o := runWithServer(t, "call", "no\u202e\u009bsuch\nmcpecho: done", "--json")
	if strings.ContainsAny(o.stderr, "\u202e\u009b") || strings.Count(o.stderr, "\n") != 1 || !json.Valid([]byte(o.stderr)) {
		t.Errorf("%q", o.stderr)
	}
	if got := classify(errors.New("no\nmcpecho: yes")).message; got != "no\n\tmcpecho: yes" {
		t.Errorf("%q", got)
	}
	if got := describe([]part{{mime: "image/png\n\x1b", data: []byte{1}}}); got != `image/png\u000a\u001b, 1 bytes` {
		t.Errorf("%q", got)
	}
}
