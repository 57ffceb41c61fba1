package oauth

import "time"

// searchTime limits the search for all metadata of one login.
const searchTime = 15 * time.Second

// An outcome is what the search for metadata saw at one location.
type outcome int

const (
	absent      outcome = iota // an answer without a document
	astray                     // redirects that cannot be followed
	unavailable                // no answer, or a failure that may hide a document
	fits                       // a document that may be used
	exact                      // a document for exactly this server, or of the bound issuer
	foreign                    // a document that must not be used
)

// A verdict is what the search does next.
type verdict int

const (
	look    verdict = iota // read the location with the index
	take                   // use the document with the index
	fail                   // report the error of the location with the index
	nothing                // there is no document; the index is that of the named location, or negative
)

// A quest describes a search for one document at locations in a fixed order.
type quest struct {
	places      int
	named       bool // the server named the first location, so nothing there is an error
	foreignEnds bool // a document that must not be used ends the search
}

// next returns what to do after these outcomes. It is the whole order of the search,
// and the first error is the one to report.
//
// After a failure that may hide a document, only an exact document counts: whoever can
// make a server fail must not be able to move the login to what a wider document says.
func (q quest) next(seen []outcome) (verdict, int) {
	first, hidden := -1, false
	for i, o := range seen {
		if o == exact || o == fits && !hidden {
			return take, i
		}
		if first < 0 && q.counts(i, o) {
			first = i
		}
		if o == foreign && q.foreignEnds {
			return fail, first
		}
		hidden = hidden || o != absent && o != astray
	}
	switch {
	case len(seen) < q.places:
		return look, len(seen)
	case hidden:
		return fail, first
	}
	return nothing, first
}

// counts reports whether an outcome is an error of the server.
func (q quest) counts(i int, o outcome) bool { return o != absent || q.named && i == 0 }
