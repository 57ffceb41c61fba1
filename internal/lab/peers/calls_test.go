package main

import "testing"

// TestCells: every work is measured somewhere, with stdmcp and its floor, and every
// transport measures a small call and connecting.
func TestCells(t *testing.T) {
	done := make(map[string]bool)
	for _, tr := range transports {
		for _, w := range works {
			if !tr.does(w) {
				continue
			}
			done[w.name], done[tr.name+w.name] = true, true
			have := make(map[string]bool)
			for _, c := range cells(tr, w) {
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

// TestWorkerTags: each client is measured by a program that links no other.
func TestWorkerTags(t *testing.T) {
	for _, library := range append([]string{ours}, peers...) {
		if workerOf("", library) == workerOf("", bare) {
			t.Errorf("%s has no program of its own", library)
		}
	}
}
