package matrix

import (
	"bytes"
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

// TestMain is a server or a client when a test starts one as a process.
func TestMain(m *testing.M) {
	testserver.Main()
	actMain()
	flag.Parse()
	if r, w, err := os.Pipe(); err == nil { // so that the runtime has what it needs to wait for files
		_, _ = r.Close(), w.Close()
	}
	before := held()
	code := m.Run()
	if err := settles(before); err != nil {
		fmt.Fprintln(os.Stderr, "after all tests:", err)
		code = max(code, 1)
	}
	report.print(os.Stdout)
	figures.print(os.Stdout)
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

// marked returns how many processes have been started with an environment that
// has the mark, whoever their parents are by now; 0 where the system doesn't tell.
func marked(mark string) (n int) {
	list, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range list {
		environ, _ := os.ReadFile(name)
		if bytes.Contains(environ, []byte(mark+"\x00")) {
			n++
		}
	}
	return n
}

func (h holdings) exceeds(than holdings) bool {
	return h.goroutines > than.goroutines || h.descriptors > than.descriptors || h.children > than.children
}

// settles waits until the process holds no more than before, and returns an
// error if that takes longer than what ends of itself may take.
func settles(before holdings) error {
	if eventually(func() bool { return !held().exceeds(before) }) {
		return nil
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return fmt.Errorf("left behind: before %+v, now %+v\n%s", before, held(), stacks)
}

// eventually waits for a condition, as long as guard, and reports whether it
// came true. It is for what no channel tells; in a bubble nothing needs it.
func eventually(ok func() bool) bool {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	end := time.Now().Add(guard)
	for !ok() {
		if time.Now().After(end) {
			return false
		}
		<-tick.C
	}
	return true
}
