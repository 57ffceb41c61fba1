package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A table holds the rows of the tables of a page, each as its cells.
type table [][]string

// readTable reads the tables in a section of a page.
func readTable(path, section string) (table, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	_, rest, ok := strings.Cut(string(text), "\n"+section+"\n")
	if !ok {
		return nil, fmt.Errorf("%s has no section %q", path, section)
	}
	level, _, _ := strings.Cut(section, " ")
	rest, _, _ = strings.Cut(rest, "\n"+level+" ")
	var t table
	for line := range strings.SplitSeq(rest, "\n") {
		if cells := strings.Split(strings.Trim(line, "|"), "|"); strings.HasPrefix(line, "|") {
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			t = append(t, cells)
		}
	}
	return t, nil
}

// row returns the cells after the given ones, which begin a row.
func (t table) row(begin ...string) ([]string, error) {
rows:
	for _, cells := range t {
		if len(cells) <= len(begin) {
			continue
		}
		for i, want := range begin {
			if cells[i] != want {
				continue rows
			}
		}
		return cells[len(begin):], nil
	}
	return nil, fmt.Errorf("no row %q", begin)
}

// number returns the number that a cell, or a part of one, begins with.
func number(cell string) (float64, error) {
	word, _, _ := strings.Cut(cell, " ")
	return strconv.ParseFloat(word, 64)
}

// A panel is a group of bars: stdmcp, go-sdk and mcp-go.
type panel struct {
	title, unit string
	values      [3]float64
}

// panels returns the figures of the performance page.
func panels(root string) ([]panel, error) {
	page := filepath.Join(root, "docs", "evidence", "tables", "performance.md")
	calls, err := readTable(page, "### stdio, legacy")
	if err != nil {
		return nil, err
	}
	programs, err := readTable(page, "## Programs")
	if err != nil {
		return nil, err
	}
	started := programs
	for i, cells := range programs { // the second table of the section
		if slices.Contains(cells, "peak memory") {
			programs, started = programs[:i], programs[i:]
			break
		}
	}
	size := panel{title: "stripped program with one call", unit: "MB"}
	for i, client := range []string{"stdmcp", "go-sdk", "mcp-go"} {
		cells, err := programs.row("stdio", client)
		if err == nil {
			size.values[i], err = number(cells[0])
		}
		if err != nil {
			return nil, err
		}
	}
	memory := panel{title: "peak memory of its process", unit: "MB"}
	for i, client := range []string{"stdmcp", "go-sdk", "mcp-go"} {
		cells, err := started.row("stdio", client)
		if err == nil {
			memory.values[i], err = number(cells[1])
		}
		if err != nil {
			return nil, err
		}
	}
	list := []panel{size, memory}
	// A cell has time, CPU time, allocations and bytes; times are multiples of that
	// of the bare pipe, which is the first column.
	for _, p := range []struct {
		row, title, unit string
		part             int
	}{
		{"a small call", "allocations of a small call", "", 2},
		{"a small call", "time of a small call", "µs", 0},
		{"1 MB text", "time of a result of 1 MB", "ms", 0},
		{"50 tools listed", "time to list 50 tools", "µs", 0},
	} {
		cells, err := calls.row(p.row)
		if err != nil {
			return nil, err
		}
		bare, err := number(cells[0])
		if err != nil {
			return nil, err
		}
		if strings.Contains(cells[0], " µs") && p.unit == "ms" {
			bare /= 1000
		}
		one := panel{title: p.title, unit: p.unit}
		for i := range 3 {
			parts := strings.Split(cells[2+i], " · ")
			if one.values[i], err = number(parts[p.part]); err != nil {
				return nil, err
			}
			if p.part == 0 {
				one.values[i] *= bare
			}
		}
		list = append(list, one)
	}
	return list, nil
}

// sizeAndSpeed draws the figures of stdmcp beside those of the other clients.
func sizeAndSpeed(root string) (*drawing, error) {
	list, err := panels(root)
	if err != nil {
		return nil, err
	}
	const column, left, width, row, height = 440.0, 96.0, 240.0, 20.0, 104.0
	d := newDrawing("Size and speed of stdmcp, go-sdk 1.8 and mcp-go 1.2 as clients over stdio", 880, 12+height*float64((len(list)+1)/2))
	for n, p := range list {
		x, y := 20+column*float64(n%2), 30+height*float64(n/2)
		d.text("h", "start", x, y, p.title)
		most := max(p.values[0], p.values[1], p.values[2])
		for i, name := range []string{"stdmcp", "go-sdk", "mcp-go"} {
			names, bars := "s", "theirs"
			if i == 0 {
				names, bars = "t", "ours"
			}
			at := y + 10 + float64(i)*row
			d.text(names, "end", x+left-20, at+14, name)
			d.bar(bars, x+left-10, at+3, max(2, p.values[i]/most*width), row-6, 2)
			d.text("n", "start", x+left+p.values[i]/most*width, at+14, strings.TrimSpace(short(p.values[i])+" "+p.unit))
		}
	}
	return d, nil
}

// short writes a number with two digits or three.
func short(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(float64(int(v/10+0.5))*10, 'f', 0, 64)
	case v >= 10 || v == float64(int(v)):
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}
