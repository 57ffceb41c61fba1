package faulttest

import (
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/lab/documents"
	"github.com/stdmcp/stdmcp/internal/testserver"
)

// A row is one of the matrix.
type row struct {
	n        int
	title    string // the fault
	on       string // the transports
	expected string
	lines    []line

	// elsewhere names the tests of another package that have what is missing
	// here, behind the package's folder.
	otherTests string
}

// A line has the expectation of faults, or a scenario.
type line struct {
	on          string // transports, perhaps followed by an era or a protocol version
	faults      []string
	expectation expectation
	location    location
	title       string // of a scenario
	scenario    func(*testing.T, *env)
}

// on is a line for some transports, as in "SEH" or "H modern", and some faults.
func on(where, faults string, f expectation) line {
	return line{on: where, faults: strings.Fields(faults), expectation: f}
}

// scenario is a line with a scenario.
func scenario(where, words string, do func(*testing.T, *env)) line {
	return line{on: where, title: words, scenario: do}
}

// at sets the location of a line.
func (l line) at(p location) line { l.location = p; return l }

// allows sets the allowed violation of a line.
func (l line) allows(what string) line { l.expectation = l.expectation.allows(what); return l }

// catalog has all faults by name.
var catalog = func() map[string]testserver.Fault {
	all := make(map[string]testserver.Fault)
	for _, f := range testserver.Faults() {
		all[f.Name] = f
	}
	return all
}()

// versionsOf are the protocol versions of a transport.
var versionsOf = map[byte][]string{'S': {modern, legacy, batches}, 'E': {oldest, batches}, 'H': {modern, legacy}}

// wrappedClients is set if transports are wrapped, in a second run of the cells.
var wrappedClients = os.Getenv("STDMCP_WRAP") != ""

// cells yields the cells of all rows.
func cells() iter.Seq[*cell] {
	return func(yield func(*cell) bool) {
		for i := range rows {
			for j := range rows[i].lines {
				for _, c := range rows[i].lines[j].cells(&rows[i]) {
					if !yield(c) {
						return
					}
				}
			}
		}
	}
}

func (l *line) cells(r *row) (list []*cell) {
	transports, era, _ := strings.Cut(l.on, " ")
	faults := l.faults
	if l.scenario != nil {
		faults = []string{""}
	}
	for _, name := range faults {
		for _, transport := range []byte(transports) {
			for i, version := range versionsOf[transport] {
				if wrappedClients && i == 2 && era+catalog[name].Era == "" {
					continue // the wrapped matrix leaves out the third version
				}
				if matches(era, version) && matches(catalog[name].Era, version) {
					list = append(list, &cell{r, l, name, transport, version})
				}
			}
		}
	}
	return list
}

// matches reports whether a protocol version is the one named, or of that era.
func matches(era, version string) bool {
	return era == "" || era == version || era == "modern" && version == modern || era == "legacy" && version != modern
}

// TestTableIsComplete: every fault of the catalog has its cells, in its own
// row, and every row has cells on all of its transports.
func TestTableIsComplete(t *testing.T) {
	have := make(map[string]bool) // by fault, transport and protocol version
	covered := make(map[int]string)
	for c := range cells() {
		covered[c.row.n] += string(c.transport)
		if c.fault == "" {
			continue
		}
		f, ok := catalog[c.fault]
		switch {
		case !ok:
			t.Errorf("row %d: there is no fault %s", c.row.n, c.fault)
		case f.Row != c.row.n:
			t.Errorf("%s is in row %d and not %d", c.fault, f.Row, c.row.n)
		case !strings.Contains(f.On, string(c.transport)):
			t.Errorf("%s is not for %c", c.fault, c.transport)
		}
		have[c.fault+string(c.transport)+c.version] = true
	}
	for name, f := range catalog {
		for _, transport := range []byte(f.On) {
			for _, version := range versionsOf[transport] {
				if matches(f.Era, version) && !have[name+string(transport)+version] {
					t.Errorf("row %d: %s on %c with %s has no cell", f.Row, name, transport, version)
				}
			}
		}
	}
	for i, r := range rows {
		documents.CheckNamedTests(t, r.otherTests)
		if r.n != i && r.n <= rows[max(0, i-1)].n {
			t.Errorf("row %d follows row %d", r.n, rows[max(0, i-1)].n)
		}
		for _, transport := range []byte(r.on) {
			if !strings.Contains(covered[r.n], string(transport)) && r.otherTests == "" {
				t.Errorf("row %d (%s) has no cell on %c", r.n, r.title, transport)
			}
		}
	}
	if len(rows) != 47 || rows[42].n != 42 {
		t.Errorf("%d rows", len(rows))
	}
}
