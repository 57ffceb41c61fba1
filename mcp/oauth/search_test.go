package oauth

import "testing"

// TestEveryOrderOfAnswers checks the search against its rules for every sequence of what
// the locations can answer.
func TestEveryOrderOfAnswers(t *testing.T) {
	all := []outcome{absent, astray, unavailable, fits, exact, foreign}
	for places := 1; places <= 4; places++ {
		for _, q := range []quest{{places, false, false}, {places, true, false}, {places, false, true}, {places, true, true}} {
			var walk func(seen []outcome)
			walk = func(seen []outcome) {
				do, at := q.next(seen)
				checkVerdict(t, q, seen, do, at)
				if do != look {
					return
				}
				if at != len(seen) || at >= places {
					t.Fatalf("%+v %v: reads %d", q, seen, at)
				}
				for _, o := range all {
					walk(append(seen[:len(seen):len(seen)], o))
				}
			}
			walk(nil)
		}
	}
}

func checkVerdict(t *testing.T, q quest, seen []outcome, do verdict, at int) {
	t.Helper()
	bad := func(rule string) { t.Errorf("%+v %v: verdict %d at %d: %s", q, seen, do, at, rule) }
	first, hidden := -1, false // the first error; whether a document may be hidden before the last answer
	for i, o := range seen {
		if first < 0 && (o == astray || o == unavailable || o == foreign || o == fits && hidden || o == absent && q.named && i == 0) {
			first = i
		}
		if i < len(seen)-1 {
			hidden = hidden || o == unavailable || o == foreign || o == fits
		}
	}
	last := absent
	if len(seen) > 0 {
		last = seen[len(seen)-1]
	}
	switch do {
	case take:
		if at != len(seen)-1 || last != exact && (last != fits || hidden) {
			bad("only the last answer, and only a document that counts, may be used")
		}
	case look:
		if last == exact || last == fits && !hidden || last == foreign && q.foreignEnds {
			bad("the search goes on after its end")
		}
	case fail:
		if at != first || at < 0 {
			bad("the first error must be reported")
		}
	case nothing:
		if hidden || last == unavailable || last == foreign || len(seen) < q.places {
			bad("a failure is not a proof that there is nothing")
		}
	}
}
