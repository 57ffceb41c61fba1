package dialers_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
)

// TestMain is the server when a test starts one, and fails when tests leave
// goroutines or descriptors behind.
func TestMain(m *testing.M) {
	testserver.Main()
	flag.Parse()
	if r, w, err := os.Pipe(); err == nil { // so that the runtime has what it needs to wait for files
		_, _ = r.Close(), w.Close()
	}
	goroutines, descriptors := held()
	code := m.Run()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		g, d := held()
		if g <= goroutines && d <= descriptors {
			break
		}
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			fmt.Fprintf(os.Stderr, "before the tests %d goroutines and %d descriptors, after them %d and %d\n%s",
				goroutines, descriptors, g, d, stacks[:runtime.Stack(stacks, true)])
			code = max(code, 1)
			break
		}
	}
	os.Exit(code)
}

// held returns what the process has. Descriptors are 0 where the system doesn't
// tell.
func held() (goroutines, descriptors int) {
	files, _ := filepath.Glob("/proc/self/fd/*")
	return runtime.NumGoroutine(), len(files)
}
