package compat

import (
	"os"
	"strings"
	"testing"
)

// TestDocument compares the tables of the document with the program.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/mcpecho-diff.md")
	if err != nil {
		t.Fatal(err)
	}
	rules, items := 0, 0
	for _, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(line, "|")
		for i := range cells {
			cells[i] = strings.Trim(cells[i], " ")
		}
		old := func(i int) string { return strings.Trim(cells[i], "`") }
		switch {
		case len(cells) == 7 && strings.HasPrefix(cells[2], "`{"):
			rules++
			for i, s := range [2]side{input, output} {
				if got := Worst(schemas(t, s, old(2), old(3))).String(); got != cells[4+i] {
					t.Errorf("%s: as %s %s, and the document says %s", cells[1], s, got, cells[4+i])
				}
			}
		case len(cells) == 6 && strings.Contains(cells[2]+cells[3], "`{"):
			items++
			if got := Worst(Compare(catalog(old(2)), catalog(old(3)))).String(); got != cells[4] {
				t.Errorf("%s: %s, and the document says %s", cells[1], got, cells[4])
			}
		}
	}
	if rules < 25 || items < 10 {
		t.Errorf("only %d rules for schemas and %d others were found", rules, items)
	}
}
