package jsonrpc

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

// TestMain fails when tests leave goroutines behind.
func TestMain(m *testing.M) {
	flag.Parse()
	before := runtime.NumGoroutine()
	code := m.Run()
	fuzzing := flag.Lookup("test.fuzz").Value.String() != "" // its goroutines are its own
	for end := time.Now().Add(20 * time.Second); !fuzzing && runtime.NumGoroutine() > before; {
		if time.Now().After(end) {
			buf := make([]byte, 1<<20)
			buf = buf[:runtime.Stack(buf, true)]
			fmt.Fprintf(os.Stderr, "%d goroutines before the tests, %d after:\n%s", before, runtime.NumGoroutine(), buf)
			code = max(code, 1)
			break
		}
		time.Sleep(time.Millisecond)
	}
	os.Exit(code)
}
