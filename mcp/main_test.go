package mcp_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
)

// TestMain is the server when a test starts one, and fails when tests leave
// goroutines, descriptors or children behind.
func TestMain(m *testing.M) {
	testserver.Main()
	flag.Parse()
	if r, w, err := os.Pipe(); err == nil { // so that the runtime has what it needs to wait for files
		_, _ = r.Close(), w.Close()
	}
	before := held()
	code := m.Run()
	fuzzing := flag.Lookup("test.fuzz").Value.String() != "" // what it holds is its own
	for end := time.Now().Add(5 * time.Second); !fuzzing && held().exceeds(before); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			buf := make([]byte, 1<<20)
			buf = buf[:runtime.Stack(buf, true)]
			fmt.Fprintf(os.Stderr, "before the tests %+v, after them %+v\n%s", before, held(), buf)
			code = max(code, 1)
			break
		}
	}
	os.Exit(code)
}

// holdings is what a process has. What the system does not tell is 0.
type holdings struct{ goroutines, descriptors, children int }

func held() (h holdings) {
	h.goroutines = runtime.NumGoroutine()
	descriptors, _ := filepath.Glob("/proc/self/fd/*")
	h.descriptors = len(descriptors)
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, name := range lists {
		list, _ := os.ReadFile(name)
		h.children += len(strings.Fields(string(list)))
	}
	return h
}

func (h holdings) exceeds(than holdings) bool {
	return h.goroutines > than.goroutines || h.descriptors > than.descriptors || h.children > than.children
}
