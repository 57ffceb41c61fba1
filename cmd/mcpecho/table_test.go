package main

import (
	"strings"
	"testing"
)

func TestTextWidth(t *testing.T) {
	for text, want := range map[string]int{
		"":                0,
		"echo":            4,
		"Grüße":           5,
		"e\u0301te\u0301": 3, // accents of their own
		"世界":              4,
		"ｶﾅ":              2,
		"한국어":             6,
		"✅ done":          7,
		"🔍🙂":              4,
		"שָׁלוֹם":         4,
		"สวัสดี":          4,
		"→ …":             3,
	} {
		if got := textWidth(text); got != want {
			t.Errorf("textWidth(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestWideNamesStayInColumns(t *testing.T) {
	rows := []row{{name: "echo", description: "Returns what it is given", rest: "message"}, {name: "検索", description: "ファイルを検索します", rest: "クエリ"}, {name: "✅", description: "done"}}
	text := columns(row{name: "NAME", description: "WHAT IT DOES", rest: "NEEDS"}, rows, 60, false, func(_ style, s string) string { return s })
	for line := range strings.Lines(text) {
		for i, column := range []string{"WHAT IT DOES", "Returns", "ファイル", "done"} {
			if at := strings.Index(line, column); at >= 0 && textWidth(line[:at]) != 6 {
				t.Errorf("column %d of %q begins at %d", i, line, textWidth(line[:at]))
			}
		}
		for _, column := range []string{"NEEDS", "message", "クエリ"} {
			if at := strings.Index(line, column); at >= 0 && textWidth(line[:at]) != 53 {
				t.Errorf("%q begins at %d of %q", column, textWidth(line[:at]), line)
			}
		}
	}
}

func TestCut(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{{"echo", 4, "echo"}, {"echoes", 4, "ech…"}, {"世界世界", 5, "世界…"}, {"世界世界", 4, "世…"}, {"世", 1, "…"}, {"a", 0, ""}} {
		if got := cut(test.text, test.width); got != test.want {
			t.Errorf("cut(%q, %d) = %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

func TestWrap(t *testing.T) {
	const width = 20
	for text, want := range map[string]string{
		"":                                  "",
		"short\nlines\n":                    "short\nlines\n",
		"exactly twenty wide.":              "exactly twenty wide.",
		"exactly twenty wide. More":         "exactly twenty wide.\nMore",
		"one two three four five six seven": "one two three four\nfive six seven",
		"  - an item that goes on and on":   "  - an item that\n  goes on and on",
		"https://example.com/a/long/address and more":     "https://example.com/a/long/address\nand more",
		"see https://example.com/a/long/address":          "see\nhttps://example.com/a/long/address",
		"世界世界 世界世界 世界世界":                                  "世界世界 世界世界\n世界世界",
		"nothing                        but blanks \nend": "nothing\nbut blanks \nend",
	} {
		if got := wrap(text, width); got != want {
			t.Errorf("wrap(%q) = %q, want %q", text, got, want)
		}
	}
	if got := wrap("no room at all", 3); got != "no room at all" {
		t.Errorf("got %q", got)
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("  one two\n three … 世界", 21)
	f.Fuzz(func(t *testing.T, text string, width int) {
		got := wrap(text, width)
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(text), " ") {
			t.Errorf("wrap(%q, %d) changes words: %q", text, width, got)
		}
	})
}

// What the user may type is never broken, and what does not fit is dropped or has
// several lines.
func TestNarrowTables(t *testing.T) {
	t.Parallel()
	unchanged := func(_ style, s string) string { return s }
	text := columns(row{name: "NAME", description: "STATUS", rest: "FROM", whole: true}, []row{
		{name: "broken", description: "failed: the program was not found; install it, or use its full path", rest: "/home/someone/.mcp.json"},
		{name: "theirs", description: "untrusted: to trust it, type: mcpecho trust theirs --with-a-long-name", rest: ".mcp.json"},
		{name: "fine", description: "connected", rest: ".mcp.json"},
	}, 50, false, unchanged)
	const want = `NAME    STATUS
broken  failed: the program was not found; install
        it, or use its full path
theirs  untrusted: to trust it, type:
        mcpecho trust theirs --with-a-long-name
fine    connected
`
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	uri := "demo://resource/static/document/architecture.md"
	text = columns(row{name: "URI", rest: "TYPE"}, []row{{name: uri, description: "Architecture", rest: "text/markdown"}}, 60, false, unchanged)
	if text != "URI\n"+uri+"\n    Architecture\n" {
		t.Errorf("got\n%s", text)
	}
}
