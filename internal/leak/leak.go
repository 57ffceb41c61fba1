// Package leak finds what tests leave behind: goroutines and, on Linux, file
// descriptors and children. Only tests use it.
package leak

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Patience is how long what ends by itself may take on a busy machine.
const Patience = 20 * time.Second

// Main is a TestMain that fails when the tests leave something behind. It does
// not return.
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run runs the tests and returns the status to exit with.
func Run(m *testing.M) int {
	flag.Parse()
	if r, w, err := os.Pipe(); err == nil { // so that the runtime has what it needs to wait for files
		_, _ = r.Close(), w.Close()
	}
	before := Held()
	code := m.Run()
	if flag.Lookup("test.fuzz").Value.String() != "" {
		return code // what fuzzing holds is its own
	}
	if err := Settled(before); err != nil {
		fmt.Fprintln(os.Stderr, "after all tests:", err)
		code = max(code, 1)
	}
	return code
}

// Holdings are what a process has. What the system doesn't tell is 0.
type Holdings struct{ Goroutines, Descriptors, Children int }

// Held returns what this process has.
func Held() (h Holdings) {
	h.Goroutines = runtime.NumGoroutine()
	descriptors, _ := filepath.Glob("/proc/self/fd/*")
	h.Descriptors = len(descriptors)
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, name := range lists {
		list, _ := os.ReadFile(name)
		h.Children += len(strings.Fields(string(list)))
	}
	return h
}

func (h Holdings) exceed(than Holdings) bool {
	return h.Goroutines > than.Goroutines || h.Descriptors > than.Descriptors || h.Children > than.Children
}

// Settled waits until the process holds no more than before. The error says
// what is left when it still does after Patience.
func Settled(before Holdings) error {
	if Eventually(func() bool { return !Held().exceed(before) }) {
		return nil
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return fmt.Errorf("left behind: before %+v, now %+v\n%s", before, Held(), stacks)
}

// Eventually waits for a condition, as long as Patience, and reports whether it
// came true. It is for what no channel tells; in a bubble nothing needs it.
func Eventually(ok func() bool) bool {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(Patience); !ok(); <-tick.C {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}
