package faulttest

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/testutil/process"
	"github.com/stdmcp/stdmcp/mcp"
)

// TestServersAreKilled kills servers with pending calls. Every call fails soon,
// with an error that describes how the server ended, and no zombie is left.
func TestServersAreKilled(t *testing.T) {
	const calls = 10
	n := length(10, 1000)
	before := testutil.TakeSnapshot()
	var took []time.Duration
	for range n {
		w := &env{transport: 'S', version: modern, location: system}
		client, err := mcp.Connect(t.Context(), w.stream(), nil)
		testutil.Must(t, err)
		pid, err := pidOf(t.Context(), client)
		testutil.Must(t, err)
		results, sent := make(chan error, calls), make(chan struct{}, calls)
		for range calls {
			go func() { // ends with the call
				_, err := client.Do(t.Context(), &mcp.ToolCall{
					Name: "slow", Arguments: map[string]any{"seconds": 60, "steps": 1000},
					Progress: func(mcp.Progress) {
						select {
						case sent <- struct{}{}:
						default:
						}
					},
				})
				results <- err
			}()
		}
		for range calls {
			select {
			case <-sent: // with so many reports of progress, calls are pending
			case err := <-results:
				t.Fatalf("a call has ended: %v", err)
			}
		}
		process, err := os.FindProcess(pid)
		testutil.Must(t, err)
		killed := time.Now()
		testutil.Must(t, process.Kill())
		_ = process.Release()
		for range calls {
			err := <-results
			took = append(took, time.Since(killed))
			fails(closed, unknown, exit).checkError(t, err)
		}
		w.close(t, client)
	}
	testutil.Check(t, testutil.CheckLeaks(before))
	p99 := testutil.Percentile(took, 99)
	figures.add(fmt.Sprintf("`kill -9` of %d servers with %d calls each: the calls fail", n, calls), "within 100 ms (p99), no zombies",
		"p50 %v, p99 %v, max %v", testutil.Percentile(took, 50).Round(time.Microsecond), p99.Round(time.Microsecond),
		testutil.Percentile(took, 100).Round(time.Microsecond))
	if p99 > machineTimeout {
		t.Errorf("p99 is %v", p99)
	}
}

// A hostile is a fault with which the server sends more than a client may hold.
type hostile struct {
	transport, fault string
	error            string // what the call ends with
}

var hostiles = []hostile{
	{"S", "endless-line", "too large"},
	{"S", "floods-stderr", "<nil>"},
	{"E", "endless-event", "too large"},
	{"E", "endless-lines", "too large"},
	{"E", "endless-comment", "too large"},
	{"H", "endless-event", "too large"},
	{"H", "endless-lines", "too large"},
	{"H", "endless-comment", "too large"},
	{"H", "endless-json", "too large"},
	{"H", "endless-space", "too large"},
	{"H", "gzip-bomb", "too large"},
}

// TestMemoryOfHostileStreams sends up to 1 GiB to a client in a process of its
// own, and checks the peak memory of that process.
func TestMemoryOfHostileStreams(t *testing.T) {
	if process.Memory(os.Getpid(), "VmRSS") == 0 {
		t.Skip("did not run: needs /proc")
	}
	limit, size := length(17<<20, 64<<20), length(64<<20, 1<<30) // 17: the worst case for buffers that double
	for _, h := range hostiles {
		t.Run(h.transport+"/"+h.fault, func(t *testing.T) {
			url := "-"
			if h.transport != "S" {
				version := versionsOf[h.transport[0]][0]
				web, err := testserver.StartHTTP(testserver.New(&testserver.Options{Fault: h.fault, Size: size, ProtocolVersions: []string{version}}), nil)
				testutil.Must(t, err)
				defer web.Close()
				if url = web.URL; h.transport == "E" {
					url = web.SSE
				}
			}
			start := time.Now()
			line := startSubject(t, h.transport, h.fault, limit, size, url)
			var before, most int64
			var text string
			if _, err := fmt.Sscanf(line, "%d %d %q", &before, &most, &text); err != nil || !strings.Contains(text, h.error) {
				t.Fatalf("the client printed %q, %v", line, err)
			}
			ratio := float64(most-before) / float64(limit)
			figures.add(fmt.Sprintf("memory beyond that of an idle client, %s sends %s, %s", h.transport, mib(int64(size)), h.fault),
				"2.5 × the limit of "+mib(int64(limit)), "%s, %.2f ×, after %v", mib(most-before), ratio, time.Since(start).Round(time.Millisecond))
			if ratio > 2.5 && !raceDetector {
				t.Errorf("the client held %s, %.2f × its limit", mib(most-before), ratio)
			}
		})
	}
}

func mib(bytes int64) string { return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20)) }
