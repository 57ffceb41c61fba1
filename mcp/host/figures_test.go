package host_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// measuring makes the tests of this file measure the performance of a host,
// print it and compare it with its budget. scripts/bench sets STDMCP_FIGURES.
// Otherwise the tests do a part of the work and do not depend on the load of
// the machine.
var measuring = os.Getenv("STDMCP_FIGURES") != ""

// part returns the amount of work to do.
func part(of int) int {
	switch {
	case measuring:
		return of
	case raceDetector:
		return max(2, of/100)
	}
	return of / 10
}

// figure prints a measurement.
func figure(t *testing.T, format string, args ...any) {
	t.Helper()
	if measuring {
		fmt.Printf("host: "+format+"\n", args...)
	} else {
		t.Logf(format, args...)
	}
}

// manyFakes returns n fakes.
func manyFakes(n int) fakes {
	fs := make(fakes)
	for i := range n {
		fs[fmt.Sprintf("s%03d", i)] = newFake(nil)
	}
	return fs
}

func TestFigureStartOfHundredServers(t *testing.T) {
	fs := manyFakes(100)
	var open, most atomic.Int32
	o := fs.with(host.Options{})
	dial := o.Dialers[config.SDK]
	o.Dialers[config.SDK] = func(_ context.Context, d *host.DialParams) (mcp.Transport, error) {
		tr, err := dial(context.Background(), d)
		n := open.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		runtime.Gosched()
		open.Add(-1)
		return tr, err
	}
	best := time.Hour
	for range part(10) {
		h := host.New(o)
		start := time.Now()
		d := h.SetServers(t.Context(), fs.servers())
		best = min(best, time.Since(start))
		if d.Err() != nil || len(d.Errors) > 0 || len(h.Status()) != 100 {
			t.Error(d.Errors)
		}
		if err := h.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
	figure(t, "100 in-process servers start in %v, budget 1s; %d at once, budget 8", best, most.Load())
	if most.Load() > 8 || measuring && best > time.Second {
		t.Error("over budget")
	}
}

func TestFigureStartOfChildren(t *testing.T) {
	n := part(100)
	var servers []*host.Server
	for i := range n {
		servers = append(servers, child(fmt.Sprintf("s%03d", i), nil))
	}
	// On a slow machine Connect would send initialize beside server/discover.
	h := newHost(t, &host.Options{Client: &mcp.Options{ProbeTimeout: time.Minute}})
	start := time.Now()
	if d := h.SetServers(t.Context(), servers); d.Err() != nil || len(d.Errors) > 0 {
		t.Fatal(d.Errors)
	}
	figure(t, "%d child processes start in %v", n, time.Since(start))
}

// TestFigureRegistries starts hosts whose registries must have all tools when Sync returns.
func TestFigureRegistries(t *testing.T) {
	n, lacking := part(200), 0
	for range n {
		fs := manyFakes(6)
		h := newHost(t, fs.with(host.Options{}))
		registry := make(map[string]bool)
		tools := h.Follow(t.Context(), func(u *host.ToolsUpdate) {
			for _, tool := range u.Added {
				registry[tool.Name()] = true
			}
		})
		h.SetServers(t.Context(), fs.servers())
		if err := tools.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, tool := range h.Tools() {
			if !registry[tool.Name()] {
				lacking++
				break
			}
		}
		if len(registry) == 0 {
			t.Fatal("the registry is empty")
		}
		_ = h.Shutdown(t.Context())
	}
	if figure(t, "%d of %d starts with a registry that lacks a tool", lacking, n); lacking > 0 {
		t.Error("over budget")
	}
}

// TestFigureSilentServers starts four servers beside twenty whose programs never answer.
func TestFigureSilentServers(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		t.Skip("there is no sleep")
	}
	var servers []*host.Server
	for i := range 24 {
		name := fmt.Sprintf("s%03d", i)
		if i < 20 {
			servers = append(servers, &host.Server{Name: name, Command: "sleep", Args: []string{"100"}})
		} else {
			servers = append(servers, child(name, nil))
		}
	}
	h := newHost(t, nil)
	start := time.Now()
	ctx, cancel := context.WithCancel(t.Context())
	events := h.Events(ctx)
	ended := make(chan struct{})
	go func() { // ends with ctx
		h.SetServers(ctx, servers)
		close(ended)
	}()
	for connected := 0; connected < 4; {
		if e := <-events; e.Kind == host.StateChanged && e.State == host.Connected {
			connected++
		}
	}
	took := time.Since(start)
	cancel()
	<-ended
	if figure(t, "4 servers beside 20 silent ones over stdio are connected in %v", took); measuring && took > time.Second {
		t.Error("over budget")
	}
}

// TestFigureHostileServer makes 100 concurrent calls of each of 100 servers, with
// and without a server that floods its client.
func TestFigureHostileServer(t *testing.T) {
	perServer := part(100)
	p99 := func(hostile bool) time.Duration {
		fs := manyFakes(99)
		fs["hostile"] = newFake(nil)
		if hostile {
			fs["hostile"] = newFake(&testserver.Options{Fault: "notification-storm", Size: 4_000})
		}
		h := fs.start(t, host.Options{ConnectTimeout: 5 * time.Minute}) // for emulators
		defer h.Shutdown(context.Background())
		var mu sync.Mutex
		var times []time.Duration
		var calls sync.WaitGroup
		for name := range fs {
			echo := h.Tool("mcp__" + name + "__echo")
			for i := range perServer {
				calls.Go(func() {
					began := time.Now()
					want := fmt.Sprint(name, i)
					text, err := echo.Execute(context.Background(), raw(`{"message":"`+want+`"}`))
					if name == "hostile" {
						return
					}
					if err != nil || text != want {
						t.Errorf("%s: %q, %v", want, text, err)
					}
					mu.Lock()
					times = append(times, time.Since(began))
					mu.Unlock()
				})
			}
		}
		calls.Wait()
		if len(times) != 99*perServer {
			t.Errorf("%d results of %d calls", len(times), 99*perServer)
		}
		slices.Sort(times)
		return times[len(times)*99/100]
	}
	for attempt := 1; ; attempt++ {
		without, with := p99(false), p99(true)
		ratio := float64(with) / float64(without)
		figure(t, "100 servers × %d concurrent calls: p99 is %v, with a hostile server %v: %.2f ×, budget 2", perServer, without, with, ratio)
		if !measuring || ratio <= 2 {
			return
		}
		if attempt == 5 { // not just a busy machine
			t.Fatal("over budget")
		}
	}
}

// TestFigureKills kills a supervised child process repeatedly.
func TestFigureKills(t *testing.T) {
	n := part(1000)
	h := newHost(t, &host.Options{Retry: host.Retry{Initial: time.Microsecond, Crashes: 5*n + 1}})
	if err := h.SetServers(t.Context(), []*host.Server{child("x", nil)}).Err(); err != nil {
		t.Fatal(err)
	}
	before := testutil.TakeSnapshot()
	late := killRepeatedly(t, h, n)
	for range 4 { // on a busy machine, some deaths are noticed late
		if !measuring || late <= n/100 {
			break
		}
		late = min(late, killRepeatedly(t, h, n))
	}
	if measuring && late > n/100 {
		t.Error("over budget")
	}
	if err := testutil.CheckLeaks(before); err != nil {
		t.Fatal(err)
	}
}

// killRepeatedly kills the server x n times and returns how many times a pending
// call ended late.
func killRepeatedly(t *testing.T, h *host.Host, n int) (late int) {
	var latency []time.Duration
	for range n {
		client, err := h.Client(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		pid := pidOf(t, h, "x")
		failed := make(chan time.Time, 1)
		go func() { // ends with the call
			_, err := client.Do(t.Context(), &mcp.ToolCall{Name: "slow", Arguments: map[string]any{"seconds": 3000, "steps": 1},
				Progress: func(mcp.Progress) {}})
			if err == nil {
				t.Error("a call of a killed server succeeded")
			}
			failed <- time.Now()
		}()
		if err := client.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		killed := time.Now()
		kill(pid)
		latency = append(latency, (<-failed).Sub(killed))
		if err := h.Connect(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		if !gone(pid) {
			t.Fatalf("process %d still exists after kill", pid)
		}
	}
	slices.Sort(latency)
	for _, d := range latency {
		if d > 100*time.Millisecond {
			late++
		}
	}
	figure(t, "%d kills: pending calls end after %v, p99 %v, at most %v; %d took longer than the budget of 100ms",
		n, latency[n/2], latency[n*99/100], latency[n-1], late)
	if latency[n-1] > testutil.Timeout {
		t.Error("over budget")
	}
	return late
}

// A lasting is a client's end of a connection to a server that stays as it is when
// the client closes its end.
type lasting struct {
	*io.PipeReader
	*io.PipeWriter
}

func (l lasting) Close() error { return l.PipeReader.Close() }

// TestFigureIdleServers measures what a host needs for servers with one tool: what
// it frees at its end. The servers are in this process, too, and outlive the host.
func TestFigureIdleServers(t *testing.T) {
	most, budget := 4.0, int64(20<<10)
	if measuring {
		most, budget = 3.05, 16<<10
	}
	perServer, each := idleServers(t)
	// Goroutines and memory of other tests may go away meanwhile.
	for range 4 {
		if perServer <= budget && each <= most {
			break
		}
		bytes, goroutines := idleServers(t)
		perServer, each = min(perServer, bytes), min(each, goroutines)
	}
	figure(t, "an idle server needs %d bytes of heap, budget %d, and %.2f goroutines, budget 3", perServer, budget, each)
	if perServer > budget && !raceDetector || each > most {
		t.Error("over budget")
	}
}

// idleServers returns the bytes and goroutines of one of 100 idle servers.
func idleServers(t *testing.T) (perServer int64, each float64) {
	const n = 100
	tiny := mcptest.New(t)
	tiny.ProtocolVersions, tiny.NoListChanged = []string{mcp.ProtocolVersion20251125}, true
	tiny.Tool("t", nil, nil)
	var serving sync.WaitGroup
	var toServers []io.Closer
	dial := func(context.Context, *host.DialParams) (mcp.Transport, error) {
		fromClient, toServer := io.Pipe()
		fromServer, toClient := io.Pipe()
		toServers = append(toServers, toServer)
		serving.Go(func() { _ = tiny.Serve(lasting{fromClient, toClient}) })
		return pipe(func() (io.ReadWriteCloser, error) { return lasting{fromServer, toServer}, nil }), nil
	}
	var servers []*host.Server
	for i := range n {
		servers = append(servers, &host.Server{Name: fmt.Sprintf("s%03d", i), Type: config.SDK})
	}
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	h := host.New(&host.Options{Parallel: 1, Dialers: host.Dialers{config.SDK: dial}})
	if err := h.SetServers(t.Context(), servers).Err(); err != nil {
		t.Fatal(err)
	}
	bytes, goroutines := heap(), runtime.NumGoroutine()
	if err := h.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	h = nil // for the garbage collector
	perServer = (bytes - heap()) / n
	each = float64(goroutines-runtime.NumGoroutine()) / n
	for _, c := range toServers {
		_ = c.Close()
	}
	serving.Wait()
	return perServer, each
}
