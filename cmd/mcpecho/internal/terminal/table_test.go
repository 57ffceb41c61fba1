package terminal

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
		if got := TextWidth(text); got != want {
			t.Errorf("textWidth(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestWideNamesStayInColumns(t *testing.T) {
	rows := []Row{{Name: "echo", Description: "Returns what it is given", Rest: "message"}, {Name: "検索", Description: "ファイルを検索します", Rest: "クエリ"}, {Name: "✅", Description: "done"}}
	text := Columns(Row{Name: "NAME", Description: "WHAT IT DOES", Rest: "NEEDS"}, rows, 60, false, func(_ Style, s string) string { return s })
	for line := range strings.Lines(text) {
		for i, column := range []string{"WHAT IT DOES", "Returns", "ファイル", "done"} {
			if at := strings.Index(line, column); at >= 0 && TextWidth(line[:at]) != 6 {
				t.Errorf("column %d of %q begins at %d", i, line, TextWidth(line[:at]))
			}
		}
		for _, column := range []string{"NEEDS", "message", "クエリ"} {
			if at := strings.Index(line, column); at >= 0 && TextWidth(line[:at]) != 53 {
				t.Errorf("%q begins at %d of %q", column, TextWidth(line[:at]), line)
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
		if got := Cut(test.text, test.width); got != test.want {
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
		if got := Wrap(text, width); got != want {
			t.Errorf("wrap(%q) = %q, want %q", text, got, want)
		}
	}
	if got := Wrap("no room at all", 3); got != "no room at all" {
		t.Errorf("got %q", got)
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("  one two\n three … 世界", 21)
	f.Fuzz(func(t *testing.T, text string, width int) {
		got := Wrap(text, width)
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(text), " ") {
			t.Errorf("wrap(%q, %d) changes words: %q", text, width, got)
		}
	})
}

// What the user may type is never broken, and what does not fit is dropped or has
// several lines.
func TestNarrowTables(t *testing.T) {
	t.Parallel()
	unchanged := func(_ Style, s string) string { return s }
	text := Columns(Row{Name: "NAME", Description: "STATUS", Rest: "FROM", Whole: true}, []Row{
		{Name: "broken", Description: "failed: the program was not found; install it, or use its full path", Rest: "/home/someone/.mcp.json"},
		{Name: "theirs", Description: "untrusted: to trust it, type: mcpecho trust theirs --with-a-long-name", Rest: ".mcp.json"},
		{Name: "fine", Description: "connected", Rest: ".mcp.json"},
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
	text = Columns(Row{Name: "URI", Rest: "TYPE"}, []Row{{Name: uri, Description: "Architecture", Rest: "text/markdown"}}, 60, false, unchanged)
	if text != "URI\n"+uri+"\n    Architecture\n" {
		t.Errorf("got\n%s", text)
	}
}

// A long name of a server's item makes no other line long, and many arguments take linear
// time.
func TestLongNamesAndManyArguments(t *testing.T) {
	arguments := []string{}
	for range 5000 {
		arguments = append(arguments, "argument")
	}
	rows := []Row{{Name: strings.Repeat("n", 5000), Description: "d"}}
	for range 1000 {
		rows = append(rows, Row{Name: "a", Arguments: []string{}, Description: "d", Rest: "destructive"})
	}
	for _, wide := range []bool{false, true} {
		for _, whole := range []bool{false, true} {
			if text := Columns(Row{Name: "NAME", Whole: whole}, rows, 80, wide, func(_ Style, s string) string { return s }); len(text) > 500_000 {
				t.Errorf("wide %v, whole %v: %d bytes", wide, whole, len(text))
			}
		}
	}
	row := Row{Name: "a", Arguments: arguments}
	if n := testing.AllocsPerRun(1, func() { _ = row.argumentsIn(40) }); n > 100 {
		t.Errorf("%v allocations", n)
	}
	if got := row.argumentsIn(40); got != "(argument, argument, argument, …)" {
		t.Error(got)
	}
}
