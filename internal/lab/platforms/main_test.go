package main

import (
	"strings"
	"testing"
)

func TestPackageWhoseFailuresAreExcusedPasses(t *testing.T) {
	p := &platform{excused: startsProgram, reason: "they start programs"}
	for output, want := range map[string]bool{
		"no processes on wasip1": true,
		"got 1, want 2":          false,
	} {
		events := `{"Action":"output","Package":"a","Test":"TestA","Output":"` + output + `"}
{"Action":"fail","Package":"a","Test":"TestA"}
{"Action":"fail","Package":"a"}`
		ended := 0
		read(strings.NewReader(events), func(r *result) {
			ended++
			if got := p.passes(r); got != want {
				t.Errorf("after %q the package passes: %v", output, got)
			}
		})
		if ended != 1 {
			t.Errorf("%d packages ended", ended)
		}
	}
	if p.passes(&result{ended: true}) {
		t.Error("a package that failed without a failed test passes")
	}
}
