package documents

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestFiguresAreThoseOfTheTables compares the figures in the tables of each page of
// evidence with the generated page of the same name.
func TestFiguresAreThoseOfTheTables(t *testing.T) {
	for _, name := range []string{"performance", "scale"} {
		page, err := os.ReadFile(filepath.Join(root, "docs", "evidence", name+".md"))
		testutil.Must(t, err)
		tables, err := os.ReadFile(filepath.Join(root, "docs", "evidence", "tables", name+".md"))
		testutil.Must(t, err)
		found := 0
		for line := range strings.Lines(string(page)) {
			for cell := range strings.SplitSeq(line, "|") {
				if figure := strings.Trim(cell, " *\n"); strings.HasPrefix(line, "|") && regexp.MustCompile(`^\d[\d,.]* ?(×|[a-zµA-Z]+)?$`).MatchString(figure) {
					if found++; !regexp.MustCompile(`(^|[^\d.])` + regexp.QuoteMeta(figure) + `($|[^\w.])`).Match(tables) {
						t.Errorf("docs/evidence/%s.md: %q is not in the tables", name, figure)
					}
				}
			}
		}
		if found < 20 {
			t.Errorf("docs/evidence/%s.md: only %d figures found", name, found)
		}
	}
}

// TestFiguresInProse compares the figures of pages without such tables, as exact
// texts.
func TestFiguresInProse(t *testing.T) {
	tables, err := os.ReadFile(root + "/docs/evidence/tables/reliability.md")
	testutil.Must(t, err)
	page, err := os.ReadFile(root + "/docs/evidence/reliability.md")
	testutil.Must(t, err)
	for figure, there := range map[string]string{
		"1292 cells": "1292 cells", "603 mutations": "603 mutations", "kill 590": "590 killed", "; 13 change": "13 survived", "41400 calls": "41400 calls",
		"42 goroutines": "42 → 42 goroutines", "1017000 calls": "1017000 calls", "1308 killed": "1308 servers killed", "130.5 MiB": "130.5 MiB",
		"p99 2.048ms": "p99 2.048ms", "2182 MB": "2182 MB",
	} {
		if !strings.Contains(string(page), figure) || !strings.Contains(string(tables), there) {
			t.Errorf("docs/evidence/reliability.md and its tables must both have %q", figure)
		}
	}
}

// guides are the pages for users, in which no page of tables belongs.
func guides(t *testing.T) []string {
	return slices.DeleteFunc(documents(t), func(path string) bool {
		return strings.Contains(path, "/docs/evidence/") || strings.Contains(path, "/docs/contributing/") || strings.HasSuffix(path, "CHANGELOG.md") || strings.HasSuffix(path, "CONTRIBUTING.md") || strings.HasSuffix(path, "SECURITY.md")
	})
}

func TestNoGuideLinksToTables(t *testing.T) {
	for _, path := range guides(t) {
		text, err := os.ReadFile(path)
		testutil.Must(t, err)
		if strings.Contains(string(text), "evidence/tables/") {
			t.Errorf("%s links to docs/evidence/tables", path)
		}
	}
}

// words counts words: what has a letter or a digit.
func words(text string) (n int) {
	for word := range strings.FieldsSeq(text) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}

// excerptPattern matches code that is in another file of the repository, which
// TestCodeCompiles compares.
var excerptPattern = regexp.MustCompile("(?s)\n```go\n// from .*?\n```\n")

// TestLengthOfPages: a page that grows beyond its limit has to be divided, or say less.
func TestLengthOfPages(t *testing.T) {
	all := 0
	for _, path := range documents(t) {
		if strings.Contains(path, "/evidence/tables/") {
			continue // generated
		}
		text, err := os.ReadFile(path)
		testutil.Must(t, err)
		n := words(excerptPattern.ReplaceAllString(string(text), "\n"))
		all += n
		limit := 5000
		switch {
		case strings.HasSuffix(path, root+"/README.md"):
			limit = 900
		case strings.Contains(path, "/docs/guides/"):
			limit = 1500
		case strings.Contains(path, "/docs/evidence/"):
			limit = 450
		}
		if n > limit {
			t.Errorf("%s has %d words, at most %d are permitted", path, n, limit)
		}
	}
	t.Logf("%d words", all)
	if all > 31000 {
		t.Errorf("all pages have %d words, at most 31,000 are permitted", all)
	}
}
