package faulttest

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
)

// report counts the cells of this run.
var report tally

// A tally counts cells by row and transport.
type tally struct {
	mu         sync.Mutex
	green, red map[string]int
}

func key(row int, transport byte) string { return fmt.Sprint(row, string(transport)) }

// watch counts the cell when its test ends.
func (r *tally) watch(t *testing.T, c *cell) {
	t.Cleanup(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.green == nil {
			r.green, r.red = make(map[string]int), make(map[string]int)
		}
		if t.Failed() {
			r.red[key(c.row.n, c.transport)]++
		} else {
			r.green[key(c.row.n, c.transport)]++
		}
	})
}

// print writes the matrix in Markdown if STDMCP_MATRIX is set.
func (r *tally) print(w io.Writer) {
	if os.Getenv("STDMCP_MATRIX") == "" {
		return
	}
	fmt.Fprint(w, "| # | fault | S | E | H | expected |\n|---|---|---|---|---|---|\n")
	total, red := 0, 0
	for i := range rows {
		row := &rows[i]
		fmt.Fprintf(w, "| %d | %s |", row.n, row.title)
		for _, transport := range []byte("SEH") {
			k := key(row.n, transport)
			total, red = total+r.green[k]+r.red[k], red+r.red[k]
			fmt.Fprintf(w, " %s |", r.mark(row, transport))
		}
		fmt.Fprintf(w, " %s |\n", row.expected)
	}
	fmt.Fprintf(w, "\n%d cells, %d of them red.\n", total, red)
	for i := range rows {
		if folder, tests, ok := strings.Cut(rows[i].otherTests, " "); ok {
			fmt.Fprintf(w, "\nRow %d in %s: %s.\n", rows[i].n, folder, strings.ReplaceAll(tests, " ", ", "))
		}
	}
}

// mark returns the state of a row on a transport.
func (r *tally) mark(row *row, transport byte) string {
	green, red := r.green[key(row.n, transport)], r.red[key(row.n, transport)]
	switch {
	case red > 0:
		return fmt.Sprintf("🔴 %d of %d", red, red+green)
	case green > 0:
		return fmt.Sprintf("🟢 %d", green)
	case !strings.Contains(row.on, string(transport)):
		return ""
	case row.otherTests != "":
		folder, _, _ := strings.Cut(row.otherTests, " ")
		return "in " + folder
	}
	return "did not run"
}
