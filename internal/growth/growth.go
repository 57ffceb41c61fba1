package growth

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

const (
	// maxMemoryExponent and maxBytes limit the memory that a reader allocates: the
	// exponent of its growth, and the bytes for each byte of input.
	maxMemoryExponent, maxBytes = 1.2, 32

	// maxTimeExponent limits the least exponent of rounds rounds, twice.
	maxTimeExponent, rounds = 1.5, 5

	// smallBytes is what reading any input may allocate in addition to reading the base,
	// and smallTime is how long reading the largest input may take that a limit permits.
	smallBytes = 64 << 10
	smallTime  = 10 * time.Millisecond

	// clearExponent is the exponent up to which one run of each input is enough. Few
	// readers need rounds.
	clearExponent = 1.25

	// minRound is the CPU time that a round takes at least.
	minRound = 20 * time.Millisecond

	// After longRounds there are no more rounds: so long a time is exact.
	longRounds = 2 * time.Second

	// Inputs of oneSize bytes grow in one dimension, and of pairSize in two, or of
	// productSize if the reader has a budget, up to which its work is the product. Each
	// is compared with one of a tenth of the size.
	oneSize, pairSize, productSize = 300 << 10, 60 << 10, 24 << 10

	// After maxFaults faults, a reader is not measured any more.
	maxFaults = 5

	// maxHeap limits the memory of a measurement.
	maxHeap = 1 << 30
)

// A Reader is code that reads what a server, a file or a model sent.
type Reader struct {
	Name string

	// Base is the input inside of which or beside which dimensions grow. A reader
	// of several texts has them in one, which Prepare separates.
	Base string

	// Prepare returns a function that reads an input. The function's error must be
	// nil, which proves that the reader has accepted the input, or name a limit.
	Prepare func(input string) (read func() error)

	// Limits are texts of the errors with which the reader refuses large inputs.
	Limits []string

	// Steps returns how much of its budget the reader took for the last input, each time
	// the same. A reader may take as much time for a step as for a byte of input, and
	// allocate a byte. Steps may be nil.
	Steps func() int

	// Dimensions surround each other unless Flat is set: then they are beside each
	// other, and their order does not matter.
	Dimensions []Dimension
	Flat       bool

	// Bytes is the limit of allocated bytes for each byte of input if that is not 32, and
	// Budget is how many a reader may allocate for any input, within 4 ns for each. Reason
	// says why.
	Bytes  float64
	Budget uint64
	Reason string
}

// A Dimension is a way in which inputs grow.
type Dimension struct {
	Name string

	// Grow returns an input around inner, or beside it, that is n bytes longer.
	Grow func(n int, inner string) string
}

// Test fails if the time or the memory of r grows faster than the input, for a
// dimension or a pair of dimensions.
func Test(t *testing.T, r *Reader) {
	t.Run(strings.ReplaceAll(r.Name, " ", "-"), func(t *testing.T) {
		switch {
		case raceDetector || testing.Short():
			t.Skip("the race detector changes what is measured")
		case runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64":
			t.Skip("the figures are those of 64 bits")
		}
		if (r.Bytes != 0 || r.Budget != 0) != (r.Reason != "") {
			t.Error("an exception needs a reason")
		}
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer debug.SetGCPercent(debug.SetGCPercent(-1)) // collections would take time of the thread
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(maxHeap))
		met, total, faults, began := make(map[string]bool), 0, 0, time.Now()
		probe := func(name string, size int, grow func(n int, base string) string) {
			if faults == maxFaults {
				return // each takes long
			}
			p := &probe{Reader: r, grow: grow, met: met}
			if err := p.run(size); err != nil {
				t.Errorf("%s: %v", name, err)
				faults++
			}
			total++
			if testing.Verbose() {
				t.Logf("%s: %s", name, strings.Join(p.log, "; "))
			}
		}
		pair := pairSize
		if r.Steps != nil {
			pair = productSize
		}
		for i, a := range r.Dimensions {
			probe(a.Name, oneSize, a.Grow)
			for _, b := range r.Dimensions[:i] {
				probe(a.Name+", "+b.Name, pair, func(n int, base string) string { // each around the other
					if r.Flat {
						return a.Grow(n/2, b.Grow(n/2, base))
					}
					return a.Grow(n/4, b.Grow(n/2, a.Grow(n/4, base)))
				})
			}
		}
		t.Logf("%d dimensions, %d with pairs of them, in %v", len(r.Dimensions), total, time.Since(began))
		if faults > 0 {
			return
		}
		for _, limit := range r.Limits {
			if !met[limit] {
				t.Errorf("no input meets the limit %q", limit)
			}
		}
	})
}
