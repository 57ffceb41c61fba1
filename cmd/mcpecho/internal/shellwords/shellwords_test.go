package shellwords

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		line, want string
		open       bool
	}{
		{"", "", false},
		{"tools", "[tools]", false},
		{"  call \techo   message=hi ", "[call echo message=hi]", false},
		{"call echo 'message=a b' \"c\\td\\u00e9\" e\\ f", "[call echo message=a b c\tdé e f]", false},
		{`call echo message='it'\''s'`, "[call echo message=it's]", false},
		{`call echo C:\dir\file`, `[call echo C:\dir\file]`, false},
		{`call add {"a": 1, "b": [2, "}"]} --json`, `[call add {"a": 1, "b": [2, "}"]} --json]`, false},
		{`call f o:={"a": "b c"} l:=[1, 2]`, `[call f o:={"a": "b c"} l:=[1, 2]]`, false},
		{"call add {\n\"a\": 1\n}\ntools", "[call add {\n\"a\": 1\n}][tools]", false},
		{"one\n\n# two\n  # three\nfour # five", "[one][four # five]", false},
		{"# only a comment", "", false},
		{"call add {\"a\": 1", "[call add {\"a\": 1]", true},
		{"call 'a b", "[call a b]", true},
		{`call "a \" b`, `[call a \" b]`, true},
		{`"two` + "\n" + `lines"`, "[two\nlines]", false},
		{`a''`, "[a]", false},
		{`''`, "[]", false},
	} {
		commands, open := Split(test.line)
		have := ""
		for _, words := range commands {
			texts := []string{}
			for _, w := range words {
				texts = append(texts, w.Text)
			}
			have += "[" + strings.Join(texts, " ") + "]"
		}
		if have != test.want || open != test.open {
			t.Errorf("%q: %q, open %v", test.line, have, open)
		}
	}
}

// TestFields: a command in quotes has the words that it has in the shell, in whatever form
// a user of another shell may write it.
func TestFields(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"node server.js --stdio":                 `["node" "server.js" "--stdio"] false`,
		"node 'my server.js' \"a b\"":            `["node" "my server.js" "a b"] false`,
		`C:\Program\node.exe C:\dir\server.js`:   `["C:\\Program\\node.exe" "C:\\dir\\server.js"] false`,
		`my\ server it\'s`:                       `["my server" "it's"] false`,
		`server --config {"a": [1, 2]} c=[3, 4]`: `["server" "--config" "{\"a\": [1, 2]}" "c=[3, 4]"] false`,
		"server #1 a#b":                          `["server" "#1" "a#b"] false`,
		"server\n --flag":                        `["server" "--flag"] false`,
		"server 'a b":                            `["server" "a b"] true`,
		"# server":                               "[] false",
	} {
		words, open := Fields(line)
		if got := fmt.Sprintf("%q %v", words, open); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
		again, _ := Fields(Join(words))
		if fmt.Sprint(again) != fmt.Sprint(words) {
			t.Errorf("%q joined and split are %q", words, again)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{`a 'b' "c" {"d": 1}`, "a\n#b\nc", `k:=[1,"]"]`, "\"\\", "é 世界", "a\x1b[31m \u202e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		commands, _ := Split(text)
		end := 0
		for _, words := range commands {
			for _, w := range words {
				if w.Start < end || w.End <= w.Start || w.End > len(text) {
					t.Fatalf("%q: %+v", text, words)
				}
				end = w.End
			}
		}
		// A word that is quoted is that word again.
		quoted := Quote(strings.ToValidUTF8(text, "?"))
		again, open := Split("x " + quoted)
		if open || len(again) != 1 || len(again[0]) != 2 || again[0][1].Text != strings.ToValidUTF8(text, "?") {
			t.Fatalf("%q became %q, read as %q", text, quoted, fmt.Sprint(again))
		}
		if terminal.EscapeName(quoted) != quoted {
			t.Fatalf("%q cannot be shown: %q", text, quoted)
		}
	})
}
