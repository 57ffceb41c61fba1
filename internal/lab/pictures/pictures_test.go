package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../../.."

func TestNoTextTouchesABox(t *testing.T) {
	for name, draw := range pictures {
		d, err := draw(root)
		if err != nil {
			t.Fatal(name, ": ", err)
		}
		for _, problem := range d.problems() {
			t.Errorf("%s: %s", name, problem)
		}
	}
}

// TestPicturesAreCurrent: a picture changes with the figures that it shows. The one of
// vendored files changes with each line of code, and is drawn anew for a release.
func TestPicturesAreCurrent(t *testing.T) {
	for name, draw := range pictures {
		d, err := draw(root)
		if err != nil {
			t.Fatal(name, ": ", err)
		}
		text, err := os.ReadFile(filepath.Join(root, "docs", "pictures", name))
		if err != nil {
			t.Error(err)
		} else if string(text) != d.String() && name != "vendor.svg" {
			t.Errorf("docs/pictures/%s is not what this program draws: run scripts/docs pictures", name)
		}
	}
}

// TestFiguresOfPages compares the sizes and allocations in the README, and the size in
// the guide about small programs, with the tables.
func TestFiguresOfPages(t *testing.T) {
	list, err := panels(root)
	if err != nil {
		t.Fatal(err)
	}
	size, calls := list[0].values, list[2].values
	for _, want := range []struct{ page, text string }{
		{"README.md", fmt.Sprintf("| %s MB | %s MB | %s MB |", short(size[0]), short(size[1]), short(size[2]))},
		{"README.md", fmt.Sprintf("%s MB against %s and %s; %s allocations of a small call against %s and %s",
			short(size[0]), short(size[1]), short(size[2]), short(calls[0]), short(calls[1]), short(calls[2]))},
		{"docs/guides/small-binaries.md", fmt.Sprintf("`mcp`, `mcp/stdio` | %s MB |", short(size[0]))},
	} {
		page, err := os.ReadFile(filepath.Join(root, want.page))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), want.text) {
			t.Errorf("%s does not contain %q", want.page, want.text)
		}
	}
}

// TestProblemsAreFound: a text over the edge of a box, one over another text, and one
// outside the picture.
func TestProblemsAreFound(t *testing.T) {
	d := newDrawing("test", 200, 100)
	d.box("plain", 60, 20, 40, 20, "a long text", "")
	d.text("s", "start", 30, 80, "one")
	d.text("s", "start", 40, 84, "two")
	d.text("s", "start", 190, 60, "outside")
	if got := d.problems(); len(got) != 3 {
		t.Errorf("found %q, want 3 problems", got)
	}
}
