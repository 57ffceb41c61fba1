package jsonschema_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonschema"
)

// TestAttacks: whatever the schema and the value are, compiling and validating end with
// their context, or without one after a fixed number of steps, in limited memory.
// Times are those of the processor, as other programs may use it, too.
func TestAttacks(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector needs time and memory of its own")
	}
	size := 1 << 19
	if os.Getenv("STDMCP_LONG") != "" {
		size = 8 << 20
	}
	runtime.LockOSThread()
	for _, a := range attacks {
		schema, value := mcp.RawMessage(a.schema(size)), mcp.RawMessage(a.value(size))
		var err error
		began := threadTime()
		peak := peakHeap(func() { _, err = compileAndValidate(noContext, schema, value) })
		took := threadTime() - began
		if limit := 20*(len(schema)+len(value)) + 64<<20; peak > limit {
			t.Errorf("%s: %d MiB for %d KiB, want at most %d MiB", a.name, peak>>20, (len(schema)+len(value))>>10, limit>>20)
		}
		if took > 2*time.Second { // compiling and validating
			t.Errorf("%s took %v without a context", a.name, took)
		}
		late := testutil.BestOf(50*time.Millisecond, func() time.Duration {
			late, _ := compileAndValidate(withDeadline, schema, value)
			return late
		})
		if late > 50*time.Millisecond {
			t.Errorf("%s ended %v after the deadline", a.name, late)
		}
		t.Logf("%-45s %6.3fs, %3d MiB, %v after the deadline: %.120v", a.name, took.Seconds(), peak>>20, max(late, 0), err)
	}
}

// compileAndValidate does both and returns how long after its deadline the later of them
// ended.
func compileAndValidate(newContext func() deadlineContext, schema, value mcp.RawMessage) (late time.Duration, err error) {
	ctx := newContext()
	s, err := jsonschema.Compile(ctx, schema)
	late = ctx.late()
	if err == nil {
		ctx = newContext()
		err = s.Validate(ctx, value)
		late = max(late, ctx.late())
	}
	return late, err
}

// A deadlineContext ends when its thread has used the processor for some time.
type deadlineContext struct {
	context.Context
	end time.Duration
}

func noContext() deadlineContext { return deadlineContext{context.Background(), 1 << 60} }
func withDeadline() deadlineContext {
	return deadlineContext{context.Background(), threadTime() + 30*time.Millisecond}
}

func (c deadlineContext) late() time.Duration { return threadTime() - c.end }

func (c deadlineContext) Err() error {
	if c.late() > 0 {
		return context.DeadlineExceeded
	}
	return nil
}

func threadTime() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakHeap returns how much more memory than before f had in use, garbage included.
func peakHeap(f func()) int {
	heap := func() int {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return int(s[0].Value.Uint64())
	}
	debug.FreeOSMemory()
	before, stop, peak := heap(), make(chan struct{}), make(chan int)
	go func() { // ends with f
		top := 0
		for {
			top = max(top, heap())
			select {
			case <-stop:
				peak <- top - before
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	f()
	close(stop)
	return <-peak
}

// TestLongKeysInLittleMemory starts itself with 2 GB of address space. Schemas of 4 MiB with
// long keys and ids needed more than 4 GB.
func TestLongKeysInLittleMemory(t *testing.T) {
	const child = "STDMCP_TEST_LONG_KEYS"
	if os.Getenv(child) != "" {
		for _, a := range attacks[:3] {
			_, _ = compileAndValidate(noContext, mcp.RawMessage(a.schema(4<<20)), mcp.RawMessage(a.value(4<<20)))
		}
		return
	}
	if raceEnabled {
		t.Skip("the race detector needs more address space")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	took := testutil.BestOf(3*time.Second, func() time.Duration {
		cmd := exec.Command("/bin/sh", "-c", `ulimit -v 2000000 && exec "$0" "$@"`, exe, "-test.run=^TestLongKeysInLittleMemory$", "-test.v")
		cmd.Env = append(os.Environ(), child+"=1")
		began := time.Now()
		out, err := cmd.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("--- PASS")) {
			t.Fatalf("%v\n%s", err, strings.TrimSpace(string(out)))
		}
		return time.Since(began)
	})
	if took > 3*time.Second {
		t.Errorf("it took %v", took)
	}
}
