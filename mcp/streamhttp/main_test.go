package streamhttp_test

import (
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"runtime"
	"testing"
	"time"
)

// TestMain fails when tests leave goroutines or descriptors behind.
func TestMain(m *testing.M) {
	httptest.NewServer(nil).Close() // the runtime opens what it polls with
	before := resources()
	code := m.Run()
	fuzzing := flag.Lookup("test.fuzz").Value.String() != "" // leaves a goroutine of its own
	if code == 0 && !fuzzing && !eventually(func() bool { return resources() == before }) {
		stacks := make([]byte, 1<<20)
		fmt.Printf("before: %s\nafter:  %s\n%s\n", before, resources(), stacks[:runtime.Stack(stacks, true)])
		code = 1
	}
	os.Exit(code)
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

// patience is how long what takes no time may take on a busy machine. What
// must be exact is tested in bubbles.
const patience = 20 * time.Second

// eventually waits until ok returns true, and reports whether it did in time.
func eventually(ok func() bool) bool {
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if ok() {
			return true
		}
		time.Sleep(2 * time.Millisecond)
	}
	return false
}
