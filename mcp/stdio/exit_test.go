package stdio

import (
	"runtime"
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
		npmError: "npm error code E404\n\tnpm error 404 Not Found - GET https://registry.example/no-such-package\n\t" +
			"npm error 404  The requested resource 'no-such-package@*' could not be found or you do not have permission to access it.\n\t" +
			"npm error 404 tarball, folder, http url, or git url.\n\tnpm error A complete log of this run can be found in: /home/u/.npm/_logs/debug-0.log",
		"npm error request to https://u:pw@proxy.corp:3128/ failed\n": "npm error request to https://***@proxy.corp:3128/ failed",
	} {
		if got := quoteStderr(in, nil); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// npmError is what npx writes if a package does not exist.
const npmError = `npm error code E404
npm error 404 Not Found - GET https://registry.example/no-such-package
npm error 404
npm error 404  The requested resource 'no-such-package@*' could not be found or you do not have permission to access it.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git url.
npm error A complete log of this run can be found in: /home/u/.npm/_logs/debug-0.log
`

func TestErrorsRedactCommandLine(t *testing.T) {
	tr := Command("srv", "--api-key", "s1", "--token=s2", "DB_PASSWORD=s3", "--verbose", "file", "-auth", "--x")
	if got, want := tr.String(), "srv --api-key *** --token=*** DB_PASSWORD=*** --verbose file -auth --x"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestErrorsRedactStandardError: a program that refuses its arguments quotes them.
func TestErrorsRedactStandardError(t *testing.T) {
	tr := child("exit", "3", "unknown --api-key=hunter22, hunter33, hunter44", "--api-key=hunter22", "mysql://hunter33@h/")
	tr.Env = append(tr.Env, "DB_PASSWORD=hunter44")
	p := open(t, tr)
	if _, err := p.Read(); err == nil || !strings.HasSuffix(err.Error(), ": unknown --api-key=*** ***, ***") {
		t.Error(err)
	}
	tr = &Transport{Args: []string{"--token=hunter"}, Env: []string{"API_KEY=hunter-of-mine"}}
	for in, want := range map[string]string{
		"hunter-of-mine, hunter": "***, ***", "": "", "hunte": "hunte", "hunter": "***", "a hunterhunter!": "a ******!",
		"the hunter-of-minefield-of-mine": "the ***", "abababab-abababa": "***-abababa", "ababababababab.": "***.",
	} {
		if got := hide(in, append(tr.secrets(), "minefield-of-mine", "abababab")); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestManySecrets: a server may repeat a secret in all that is kept of its standard error.
func TestManySecrets(t *testing.T) {
	s := strings.Repeat("hunte", maxStderr/5)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if got := hide(s, []string{"hunte"}); got != strings.Repeat("***", maxStderr/5) {
		t.Errorf("%.100q", got)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 20*maxStderr {
		t.Errorf("%d bytes for %d", n, len(s))
	}
}

// TestEndsOfSecrets: what is kept of standard error may begin inside of a secret.
func TestEndsOfSecrets(t *testing.T) {
	const secret = "hunter-of-mine"
	var s stderr
	s.store([]byte("Error: " + secret[:6]))
	said := s.total.Load()
	s.store([]byte(secret[6:] + " is wrong\nmore\n"))
	if got := hide(s.since(said), []string{secret}); got != "Error: *** is wrong\nmore\n" {
		t.Errorf("%q", got)
	}
	if got := s.since(s.total.Load()); got != "" {
		t.Errorf("%q", got)
	}
	lost := int(said) - len(secret[:6]) + 3 // of the line
	s.store([]byte(strings.Repeat("x", maxStderr-int(s.total.Load())+lost)))
	if kept := s.String(); !strings.HasPrefix(kept, secret[3:]) {
		t.Fatalf("%.100q", kept)
	}
	for _, got := range []string{s.since(0), (&ExitError{Stderr: s.String(), hidden: []string{secret}}).Error()} {
		if strings.Contains(got, secret[6:]) || !strings.Contains(got, "xxx") {
			t.Errorf("%.100q", got)
		}
	}
}

// TestLongLineOfStandardError: a line that is longer than what is kept may begin inside of a
// secret, and ends where a program that shows its progress returns the carriage.
func TestLongLineOfStandardError(t *testing.T) {
	const secret = "hunter-of-mine"
	for end, want := range map[string]string{"": " closed its standard output", "\rError: gone\n": " closed its standard output: Error: gone"} {
		var s stderr
		s.store([]byte(secret + ": error " + strings.Repeat("x", maxStderr-len(secret+": error "+end)+3) + end))
		if kept := s.String(); !strings.HasPrefix(kept, secret[3:]) {
			t.Fatalf("%.100q", kept)
		}
		if got := (&ExitError{Stderr: s.String(), hidden: []string{secret}}).Error(); got != want {
			t.Errorf("%.100q", got)
		}
		if got := s.since(0); strings.Contains(got, secret[6:]) {
			t.Errorf("%.100q", got)
		}
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

		"npm warn x\nnpm error code E404\nnpm error 404 Not Found - GET https://r/x\nnpm error 404\nnpm error 404  'x@*' could not be found\nnpm error 404 Note\n": "npm error code E404|npm error 404 Not Found - GET https://r/x|npm error 404  'x@*' could not be found",
		"npm ERR! code X\nnpm ERR! syscall open\nnpm ERR! enoent no such file\nnpm ERR! a is missing\nnpm ERR! b is missing":                                       "npm ERR! enoent no such file|npm ERR! a is missing|npm ERR! b is missing",
		"npm error x\nnpm error y":                                       "npm error x",
		"error: a failed\nerror: b failed\nc was not found":              "error: a failed",
		"error: a cannot be read\nerror: b is missing\nerror: c is left": "error: a cannot be read",
		"12:01 ERROR x\n12:01 ERROR no such y\n12:02 ERROR no such z":    "12:01 ERROR x|12:01 ERROR no such y",
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
