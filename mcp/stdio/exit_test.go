package stdio

import (
	"strings"
	"testing"
)

func TestQuoteStderr(t *testing.T) {
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

		"Error: unknown flag: --x\nUsage:\n" + strings.Repeat("  --error-format  how\n", 30) + "end\n": "Error: unknown flag: --x" +
			strings.Repeat("\n\t--error-format  how", 3) + "\n\tend",
		"starting\nlistening\npanic: no database\n\ngoroutine 1 [running]:\nmain.main()\nexit status 2\n":                                                          "panic: no database\n\tlistening\n\tgoroutine 1 [running]:\n\tmain.main()\n\texit status 2",
		"node:internal/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module '/x.js'\n    at a (b:1)\n    at c (d:2) {\n  code: 'M'\n}\n\nNode.js v20.1.0\n": "Error: Cannot find module '/x.js'\n\tnode:internal/loader:1228\n\tthrow err;\n\tcode: 'M'\n\tNode.js v20.1.0",
		"npm WARN EBADENGINE Unsupported engine {\n  required: { node: '>=99' }\n}\nnpm notice\n":                                                                  "npm WARN EBADENGINE Unsupported engine {\n\trequired: { node: '>=99' }\n\tnpm notice",
		"npm error request to https://u:pw@proxy.corp:3128/ failed\n":                                                                                              "npm error request to https://***@proxy.corp:3128/ failed",
	} {
		if got := quoteStderr(in); got != want {
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

// TestLinesThatStateReasons: neither flags nor stacks do, and a line may announce the next.
func TestLinesThatStateReasons(t *testing.T) {
	for in, want := range map[string]string{
		"-e: print the error\nfatal: x":     "fatal: x",
		"at error (a.js)\nat last: no such": "",
		"attention: not found":              "attention: not found",
		"Error:\n  the file is gone\nmore":  "Error:|the file is gone",
		"Error: {\n  code: 1\n}":            "Error: {|code: 1",
		"Error:\n\nmore":                    "Error:",
		"Error\nmore":                       "Error",
		"all is well":                       "",
	} {
		if got := strings.Join(findReason(in), "|"); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestLongCommandLines(t *testing.T) {
	s := Command("srv", strings.Repeat("x", 10_000)).String()
	if len(s) > 1000 || !strings.HasSuffix(s, "...") {
		t.Errorf("%d bytes", len(s))
	}
}
