package oauth

import (
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"runtime"
	"testing"
	"time"
)

// TestMain checks that the tests leave nothing behind.
func TestMain(m *testing.M) {
	httptest.NewServer(nil).Close() // the runtime opens what it polls with
	before := resources()
	code := m.Run()
	fuzzing := flag.Lookup("test.fuzz").Value.String() != "" // leaves a goroutine of its own
	for range 2500 {
		if fuzzing || resources() == before {
			os.Exit(code)
		}
		time.Sleep(2 * time.Millisecond)
	}
	stacks := make([]byte, 1<<20)
	fmt.Printf("before: %s\nafter:  %s\n%s\n", before, resources(), stacks[:runtime.Stack(stacks, true)])
	os.Exit(1)
}

// resources returns what a test might leave behind: goroutines, and on Linux
// file descriptors.
func resources() string {
	s := fmt.Sprint(runtime.NumGoroutine(), " goroutines")
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
		s += fmt.Sprint(", ", len(fds), " descriptors")
	}
	return s
}
