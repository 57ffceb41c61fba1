package testutil

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil/process"
)

// Timeout is how long a test waits on a busy machine for something that ends without
// its help. It is less than the minute after which the test servers end in any case.
const Timeout = 50 * time.Second

// BestOf calls f, which returns how long it took, until that is at most limit, and
// returns the shortest time. It calls f up to ten times, as other programs may slow
// it down.
func BestOf(limit time.Duration, f func() time.Duration) time.Duration {
	best := f()
	for range 9 {
		if best <= limit {
			break
		}
		best = min(best, f())
	}
	return best
}

// Best returns the shortest time of ten calls of f, as other programs may slow some
// of them down.
func Best(f func()) time.Duration {
	return BestOf(0, func() time.Duration {
		began := time.Now()
		f()
		return time.Since(began)
	})
}

// Percentile returns the p-th percentile, or 0 of an empty list.
func Percentile[T cmp.Ordered](list []T, p int) (value T) {
	if sorted := slices.Sorted(slices.Values(list)); len(sorted) > 0 {
		value = sorted[min(len(sorted)-1, len(sorted)*p/100)]
	}
	return value
}

// Main is a TestMain that fails when the tests leak. It does not return.
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run runs the tests and returns the status to exit with.
func Run(m *testing.M) int {
	LimitDepth()
	flag.Parse()
	if r, w, err := os.Pipe(); err == nil { // opens the descriptors with which the runtime waits for files
		_, _ = r.Close(), w.Close()
	}
	before := TakeSnapshot()
	code := m.Run()
	if flag.Lookup("test.fuzz").Value.String() != "" {
		return code // fuzzing has processes of its own
	}
	if err := CheckLeaks(before); err != nil {
		fmt.Fprintln(os.Stderr, "after all tests:", err)
		code = max(code, 1)
	}
	return code
}

// A Snapshot counts what a process holds. A count that the system does not provide is 0.
type Snapshot struct{ Goroutines, Descriptors, Children int }

// TakeSnapshot returns what this process holds.
func TakeSnapshot() (h Snapshot) {
	h.Goroutines = runtime.NumGoroutine()
	if runtime.GOOS != "linux" {
		return h // Wine shows a /proc that is not of this process
	}
	descriptors, _ := filepath.Glob("/proc/self/fd/*")
	h.Descriptors = len(descriptors)
	h.Children = len(process.Children())
	return h
}

func (h Snapshot) exceed(than Snapshot) bool {
	return h.Goroutines > than.Goroutines || h.Descriptors > than.Descriptors || h.Children > than.Children
}

// CheckLeaks waits until the process holds no more than before. After Timeout it
// returns an error with what both hold and the stacks of all goroutines.
func CheckLeaks(before Snapshot) error {
	if Eventually(func() bool { return !TakeSnapshot().exceed(before) }) {
		return nil
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return fmt.Errorf("leaked: before %+v, now %+v\n%s", before, TakeSnapshot(), stacks)
}

// Eventually waits up to Timeout for a condition and reports whether it became
// true. It is for conditions that no channel signals.
func Eventually(ok func() bool) bool {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(Timeout); !ok(); <-tick.C {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// BubbleGoroutines returns how many goroutines the testing/synctest bubble of the
// caller has; runtime.NumGoroutine counts those of other tests as well.
func BubbleGoroutines() int {
	stacks := make([]byte, 1<<20)
	n := runtime.Stack(stacks, true)
	for n == len(stacks) {
		stacks = make([]byte, 2*n)
		n = runtime.Stack(stacks, true)
	}
	stacks = stacks[:n]
	header, _, _ := strings.Cut(string(stacks), "\n") // the caller comes first
	_, bubble, ok := strings.Cut(header, ", synctest bubble ")
	if !ok {
		panic("testutil: BubbleGoroutines outside of a bubble")
	}
	return strings.Count(string(stacks), ", synctest bubble "+bubble+"\n")
}
