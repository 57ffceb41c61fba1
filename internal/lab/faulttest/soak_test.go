package faulttest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
)

// TestSoak mixes calls over all transports for a long time, one in a hundred of
// them with a fault, while servers are killed and restarted. No call may be lost,
// and nothing may grow. STDMCP_SOAK is the duration.
func TestSoak(t *testing.T) {
	lasts := 3 * time.Second
	if text := os.Getenv("STDMCP_SOAK"); text != "" {
		var err error
		if lasts, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	s := &soak{faults: soakFaults()}
	before := testutil.TakeSnapshot()
	s.run(t, lasts/5) // by then everything that is made once exists
	heap := s.waitForEOF(t, before)
	calls := s.calls.Load()
	s.run(t, lasts-lasts/5)
	after := s.waitForEOF(t, before)
	if s.calls.Load() == calls || s.calls.Load() != s.ended.Load() {
		t.Errorf("%d calls, of which %d have ended", s.calls.Load(), s.ended.Load())
	}
	figures.add(fmt.Sprintf("soak of %v: %d connections, with faults from %d cells, %d servers killed", lasts, s.rounds.Load(), len(s.faults), s.kills.Load()),
		"no lost call", "%d calls, %d failed as expected, %d lost", s.calls.Load(), s.failed.Load(), s.calls.Load()-s.ended.Load())
	figures.add("soak: goroutines, descriptors, children; heap", "no growth", "no growth; %s → %s", mib(heap), mib(after))
	if after > heap+heap/5+4<<20 {
		t.Errorf("the heap has grown from %s to %s", mib(heap), mib(after))
	}
}

// waitForEOF waits until nothing runs any more and returns the size of the heap.
func (s *soak) waitForEOF(t *testing.T, before testutil.Snapshot) (heap int64) {
	t.Helper()
	testutil.Check(t, testutil.CheckLeaks(before))
	// Several collections empty the sync.Pools and run the cleanups.
	var m runtime.MemStats
	heap = math.MaxInt64
	for range 10 {
		runtime.GC()
		runtime.ReadMemStats(&m)
		heap = min(heap, int64(m.HeapAlloc))
		time.Sleep(10 * time.Millisecond)
	}
	return heap
}

// A soak is what all connections of one have in common.
type soak struct {
	faults                              []*cell
	rounds, kills, calls, ended, failed atomic.Int64
}

// soakFaults returns the cells whose faults concern calls of echo and leave the
// server able to respond to others.
func soakFaults() (list []*cell) {
	for c := range cells() {
		f := catalog[c.fault]
		if c.fault != "" && !c.line.expectation.refused && !c.line.expectation.serverStuck && c.line.location != secured &&
			f.Method == "" && c.line.expectation.allowedViolation == "" && f.Trial().Message == 0 {
			list = append(list, c)
		}
	}
	return list
}

// run opens and closes connections over all transports for a while.
func (s *soak) run(t *testing.T, lasts time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	var all sync.WaitGroup
	for _, transport := range []byte("SEH") {
		for range 2 {
			all.Go(func() { // ends with ctx
				for ctx.Err() == nil && !t.Failed() {
					c := s.faults[rand.IntN(len(s.faults))]
					if c.transport == transport {
						scoped(t, func(t testing.TB) { s.round(t, c) })
					}
				}
			})
		}
	}
	all.Wait()
}

// A scope is a part of a test that cleans up behind itself. Unlike a subtest it
// leaves nothing in the memory of package testing.
type scope struct {
	testing.TB
	cleanups []func()
}

func (s *scope) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }

func scoped(t testing.TB, f func(testing.TB)) {
	s := &scope{TB: t}
	defer func() {
		for i := range s.cleanups {
			s.cleanups[len(s.cleanups)-1-i]()
		}
	}()
	f(s)
}

// round connects to a server with a fault and calls it. In one of four rounds
// the server is killed meanwhile.
func (s *soak) round(t testing.TB, c *cell) {
	s.rounds.Add(1)
	w := &env{transport: c.transport, version: c.version, location: system, allowedViolation: c.line.expectation.allowedViolation}
	st := faultRun{env: w, Fault: catalog[c.fault], expectation: c.line.expectation}
	st.tune()
	client, err := mcp.Connect(t.Context(), w.start(t), w.options())
	if err != nil {
		t.Errorf("%s: %v", c.name(), err)
		return
	}
	defer w.close(t, client)
	var killed atomic.Bool
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for range 50 {
				err := s.call(t, w, client)
				if err != nil && !killed.Load() && !st.connectionEnds && !st.sessionEnds {
					t.Errorf("%s: a call fails: %v", c.name(), err)
				}
				if err != nil && !isDocumented(err) {
					t.Errorf("%s: the error %q is not documented", c.name(), err)
				}
			}
		})
	}
	if rand.IntN(4) == 0 {
		killed.Store(true)
		s.kill(t, w, client)
	}
	callers.Wait()
}

// kill ends the server if it can be ended.
func (s *soak) kill(t testing.TB, w *env, client *mcp.Client) {
	s.kills.Add(1)
	if w.transport != 'S' {
		w.running.Kill()
		return
	}
	pid, err := pidOf(t.Context(), client)
	if err != nil {
		return // its fault has ended it
	}
	if process, err := os.FindProcess(pid); err == nil {
		_ = process.Kill()
		_ = process.Release()
	}
}

// call makes a call of some kind. One in a hundred has the fault, and any outcome.
func (s *soak) call(t testing.TB, w *env, client *mcp.Client) (err error) {
	s.calls.Add(1)
	defer s.ended.Add(1)
	if rand.IntN(100) == 0 {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if _, err := w.echo(ctx, client, greeting); err != nil {
			s.failed.Add(1)
			if !isDocumented(err) {
				return err
			}
		}
		return nil
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	switch rand.IntN(5) {
	case 0:
		_, err = client.ListTools(ctx)
	case 1:
		_, err = client.ReadResource(ctx, "echo://text")
	case 2:
		var res *mcp.CallToolResult
		res, err = client.CallTool(ctx, "big", map[string]any{"bytes": 10_000})
		if err == nil && len(res.Text()) != 10_000 {
			err = fmt.Errorf("big returned %d bytes", len(res.Text()))
		}
	case 3:
		_, err = client.Do(ctx, &mcp.ToolCall{
			Name: "slow", Arguments: map[string]any{"seconds": 0.01, "steps": 2}, Progress: func(mcp.Progress) {},
		})
	default:
		err = w.add(t, client)
	}
	if err != nil {
		s.failed.Add(1)
	}
	return err
}
