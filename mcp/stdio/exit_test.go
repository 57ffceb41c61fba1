package stdio

import (
	"strings"
	"testing"
)

func TestLastLines(t *testing.T) {
	for in, want := range map[string]string{
		"":                                   "",
		"\n \n\t\n":                          "",
		"one\n":                              "one",
		"one\r\n\r\ntwo":                     "one\n\ttwo",
		"1\n2\n3\n4\n5\n6\n":                 "2\n\t3\n\t4\n\t5\n\t6",
		"\x1b[31;1mred\x1b[0m\x1b]0;title\a": "red?]0;title?",
		"a\tb\u202ec\xff\x00\x9b2J\u009b":    "a b?c???2J?",
		"\x1b[":                              "",
		"\x1b[12":                            "",
		strings.Repeat("x", 3000):            strings.Repeat("x", 2048),
		strings.Repeat("x", 3000) + "\nlast": "last",
		"größe 😀":                            "größe 😀",
	} {
		if got := lastLines(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestErrorsRedactCommandLine(t *testing.T) {
	tr := Command("srv", "--api-key", "s1", "--token=s2", "DB_PASSWORD=s3", "--verbose", "file", "-auth", "--x")
	if got, want := tr.String(), "srv --api-key *** --token=*** DB_PASSWORD=*** --verbose file -auth --x"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
