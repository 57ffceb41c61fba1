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
		var blind time.Duration // the longest that either did not look at its context
		run := func(limit time.Duration) time.Duration {
			blind, err = compileAndValidate(limit, schema, value)
			return blind
		}
		began := threadTime()
		peak := peakHeap(func() { run(time.Hour) })
		took := threadTime() - began
		if limit := 20*(len(schema)+len(value)) + 64<<20; peak > limit {
			t.Errorf("%s: %d MiB for %d KiB, want at most %d MiB", a.name, peak>>20, (len(schema)+len(value))>>10, limit>>20)
		}
		if took > 2*time.Second { // compiling and validating
			t.Errorf("%s took %v without a context", a.name, took)
		}
		t.Logf("%-45s %6.3fs, %3d MiB, %v without a look at the context: %.120v", a.name, took.Seconds(), peak>>20, blind, err)
		const late = 50 * time.Millisecond
		if blind > late {
			blind = testutil.BestOf(late, func() time.Duration { return run(time.Hour) })
		}
		if blind > late {
			t.Errorf("%s does not look at the context for %v", a.name, blind)
		}
		if after := testutil.BestOf(late, func() time.Duration { return run(5 * time.Millisecond) }); after > late {
			t.Errorf("%s goes on for %v after its deadline", a.name, after)
		}
	}
}

// compileAndValidate does both, each for limit at most, and returns the longest time
// between two looks at their contexts, or after the last one.
func compileAndValidate(limit time.Duration, schema, value mcp.RawMessage) (blind time.Duration, err error) {
	ctx := newContext(limit)
	s, err := jsonschema.Compile(ctx, schema)
	_ = ctx.Err()
	blind = ctx.blind
	if err == nil {
		ctx = newContext(limit)
		err = s.Validate(ctx, value)
		_ = ctx.Err()
		blind = max(blind, ctx.blind)
	}
	return blind, err
}

// A watchedContext ends when its thread has used the processor for some time, and knows
// the longest time between two looks at it.
type watchedContext struct {
	context.Context
	last, blind, end time.Duration
}

func newContext(limit time.Duration) *watchedContext {
	now := threadTime()
	return &watchedContext{Context: context.Background(), last: now, end: now + limit}
}

func (c *watchedContext) Err() error {
	now := threadTime()
	c.last, c.blind = now, max(c.blind, now-c.last)
	if now > c.end {
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
			_, _ = compileAndValidate(time.Hour, mcp.RawMessage(a.schema(4<<20)), mcp.RawMessage(a.value(4<<20)))
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
