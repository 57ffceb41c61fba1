package main

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/lab/peers/sample"
)

// TestCells: every work is measured somewhere, with stdmcp and its floor, and every
// transport measures a small call and connecting.
func TestCells(t *testing.T) {
	done := make(map[string]bool)
	for _, tr := range transports {
		for _, w := range works {
			list := new(measuring).cells(tr, w)
			if len(list) == 0 {
				continue
			}
			done[w.name], done[tr.name+w.name] = true, true
			have := make(map[string]bool)
			for _, c := range list {
				have[c.library+c.era] = true
			}
			if !have[bare+"legacy"] || !have[ours+"legacy"] || have[ours+"modern"] && !tr.modern {
				t.Errorf("%s, %s: have %v", tr.name, w.name, have)
			}
		}
		if !done[tr.name+"small"] || !done[tr.name+"connect"] {
			t.Errorf("%s has no small call or does not connect", tr.name)
		}
	}
	for _, w := range works {
		if !done[w.name] {
			t.Errorf("%s is not measured", w.name)
		}
	}
}

// TestShortMeasuresBudgets: the short form has each figure of a budget.
func TestShortMeasuresBudgets(t *testing.T) {
	p := &page{calls: &table{series: make(map[cell]sample.Series), best: true}, programs: &programTable{starts: map[program]start{budgeted: {peak: 1}}}}
	m := &measuring{short: true}
	for _, tr := range transports {
		for _, w := range works {
			for _, c := range m.cells(tr, w) {
				p.calls.series[c] = sample.Series{{Time: 1, CPU: 1, Allocs: 1, Bytes: 1 << 20}}
			}
		}
	}
	for _, b := range p.budgets() { // which panics without a cell, or its floor
		if strings.HasPrefix(b.Measured, "0.00") || strings.Contains(b.Measured, "N") {
			t.Errorf("%s: %s", b.Title, b.Measured)
		}
	}
}

// TestWorkerTags: each client is measured by a program that links no other.
func TestWorkerTags(t *testing.T) {
	for _, library := range append([]string{ours}, peers...) {
		if workerOf("", library) == workerOf("", bare) {
			t.Errorf("%s has no program of its own", library)
		}
	}
}
