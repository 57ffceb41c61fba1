package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
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
	drawn, err := os.ReadFile(filepath.Join(root, "docs", "pictures", "vendor.svg"))
	testutil.Must(t, err)
	copied := regexp.MustCompile(`\d+ KB in \d+ files of (\d+) packages`).FindAllSubmatch(drawn, -1)
	least, most := copied[0], copied[len(copied)-1]
	for _, want := range []struct{ page, text string }{
		{"README.md", fmt.Sprintf("| %s MB | %s MB | %s MB |", short(size[0]), short(size[1]), short(size[2]))},
		{"README.md", fmt.Sprintf("%s MB against %s and %s; %s allocations of a small call against %s and %s",
			short(size[0]), short(size[1]), short(size[2]), short(calls[0]), short(calls[1]), short(calls[2]))},
		{"docs/guides/small-binaries.md", fmt.Sprintf("`mcp`, `mcp/stdio` | %s MB |", short(size[0]))},
		{"docs/guides/small-binaries.md", fmt.Sprintf("MB in %s packages for stdio to ", least[1])},
		{"docs/guides/small-binaries.md", fmt.Sprintf(" MB in %s for a host with all transports; 0 modules of others", most[1])},
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

// TestRoundedFigures compares figures in the text of pages with the tables of performance,
// which have more digits. # stands for the figure.
func TestRoundedFigures(t *testing.T) {
	const small, changes, decisions = "docs/guides/small-binaries.md", "CHANGELOG.md", "docs/contributing/decisions.md"
	const legacy, json = "### stdio, legacy", "### Streamable HTTP, responses as JSON, legacy"
	of := func(section string, column int, row ...string) float64 {
		rows, err := readTable(filepath.Join(root, "docs", "evidence", "tables", "performance.md"), section)
		testutil.Must(t, err)
		cells, err := rows.row(row...)
		testutil.Must(t, err)
		v, err := number(cells[column])
		testutil.Must(t, err)
		return v
	}
	more := 0.0 // than the faster peer takes to connect, in ms
	for _, section := range []string{legacy, "### stdio, modern"} {
		times := [5]float64{}
		for i := range times {
			if i != 1 { // json
				times[i] = of(section, i, "connect and close")
			}
		}
		more = max(more, times[0]*(times[2]-min(times[3], times[4])))
	}
	for _, f := range []struct {
		page, text string
		want       float64
	}{
		{"README.md", "| connecting over stdio | # ms |", of(legacy, 0, "connect and close") * of(legacy, 2, "connect and close")},
		{changes, "Connecting over stdio takes up to # ms longer", more},
		{"docs/evidence/performance.md", "Over stdio it takes up to # ms more", more},
		{decisions, "1,000 tools over HTTP take # times net/http", of(json, 2, "1,000 tools listed")},
		{decisions, "decodes one by one, # times the pipe", of(legacy, 2, "1 MB, `\\uXXXX` alone")},
		{decisions, "1,000 calls at once take # times the pipe", of(legacy, 2, "1,000 calls at once, each")},
		{small, "without MCP | # MB |", of("## Programs", 0, "stdio", "bare")},
		{small, "`mcp/host/config` | # MB |", of("## Programs", 0, "several servers of a configuration, over stdio", "stdmcp")},
		{small, "request with `net/http` | # MB |", of("## Programs", 0, "Streamable HTTP", "bare")},
		{small, "`mcp/streamhttp` | # MB |", of("## Programs", 0, "Streamable HTTP", "stdmcp")},
		{small, "with `mcp/oauth` | # MB |", of("## Programs", 0, "Streamable HTTP with authorization", "stdmcp")},
		{small, "`mcp/host/dialers` | # MB |", of("## Programs", 0, "several servers of a configuration, over any transport", "stdmcp")},
	} {
		page, err := os.ReadFile(filepath.Join(root, f.page))
		testutil.Must(t, err)
		figure := strings.Replace(regexp.QuoteMeta(f.text), "#", `([\d.]*\d)`, 1)
		found := regexp.MustCompile(strings.ReplaceAll(figure, " ", `\s`)).FindStringSubmatch(string(page))
		if found == nil {
			t.Errorf("%s does not have %q", f.page, f.text)
			continue
		}
		got, err := strconv.ParseFloat(found[1], 64)
		testutil.Must(t, err)
		_, digits, _ := strings.Cut(found[1], ".")
		off, allowed := math.Abs(got-f.want), 0.1*f.want // times vary
		if strings.Contains(f.text, "MB") {
			allowed = 0.5*math.Pow10(-len(digits)) + 0.006 // the tables are rounded, too
		}
		if off > allowed && (got < f.want || !strings.Contains(f.text, "up to")) {
			t.Errorf("%s: %q is %s, and the tables have %.2f", f.page, f.text, found[1], f.want)
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
