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
	rows := []row{{"echo", nil, "Returns what it is given", "message"}, {"検索", nil, "ファイルを検索します", "クエリ"}, {"✅", nil, "done", ""}}
	text := columns(row{"NAME", nil, "WHAT IT DOES", "NEEDS"}, rows, 60, false, func(_ style, s string) string { return s })
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
