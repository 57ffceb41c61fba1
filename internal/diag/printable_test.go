package diag

import (
	"strings"
	"testing"
)

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                              "plain",
		"größe 😀":                            "größe 😀",
		"\t {\"a\":\r\n1} ":                  `{"a":  1}`,
		"\x1b[31;1mred\x1b[0m\x1b]0;title\a": "red?]0;title?",
		"a\tb\u202ec\xff\x00\x9b2J\u009b":    "a b?c???2J?",
		"a\u2066b\u2028c\u00a0d\ufffde":      "a?b c d?e",
		"\x1b[":                              "",
		"\x1b[12":                            "",
		"":                                   "",
	} {
		if got := Printable(in, 0); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"1234567890": "1234567890", "12345678901": "1234567890...", "123456789ö": "123456789...", strings.Repeat(" ", 20): ""} {
		if got := Printable(in, 10); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
