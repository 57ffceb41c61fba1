//go:build !race

package mcptest_test

import (
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// agentTest is a whole test of an agent with one tool.
func agentTest(t testing.TB) {
	server := mcptest.New(t)
	server.Tool("add", nil, func(c *mcptest.Call) (any, error) { return c.Number("a") + c.Number("b"), nil })
	client := server.Connect(nil)
	if _, err := client.CallTool(t.Context(), "add", map[string]any{"a": 2, "b": 40}); err != nil {
		t.Fatal(err)
	}
	server.WantCall("add", nil)
}

// TestFigures: a test of an agent takes at most 2 ms and leaves no goroutine, and a
// server with its client at most 60 KB.
func TestFigures(t *testing.T) {
	before := testutil.TakeSnapshot()
	const limit = 2 * time.Millisecond
	best := testutil.BestOf(limit, func() time.Duration {
		best := time.Hour
		for range 20 {
			begun := time.Now()
			fake := &fakeTest{}
			agentTest(fake)
			fake.end()
			best = min(best, time.Since(begun))
		}
		return best
	})
	testutil.Check(t, testutil.CheckLeaks(before))
	if best > limit {
		t.Errorf("a test takes %v", best)
	}
	const servers = 1000
	fake := &fakeTest{}
	start := memory()
	for range servers {
		s := mcptest.New(fake)
		greeter(s)
		if _, err := s.Connect(nil).CallTool(t.Context(), "greet", nil); err != nil {
			t.Fatal(err)
		}
	}
	each := (memory() - start) / servers
	t.Logf("a test takes %v and leaves no goroutine; a server and its client take %d bytes", best, each)
	budget := int64(60_000)
	if runtime.GOOS == "windows" {
		budget = 80_000 // a stack of Go is 8 KiB at least
	}
	if int64(each) > budget {
		t.Errorf("a server and its client take %d bytes", each)
	}
	fake.end()
}

// memory returns the bytes in use by the heap and stacks.
func memory() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapInuse + m.StackInuse)
}

// BenchmarkRecording compares small calls to a process with recorded ones, in turn,
// and prints by how many percent these take longer. It compares the tenths that are
// fastest, which other programs disturb least.
func BenchmarkRecording(b *testing.B) {
	program := mcptest.Command(b, "greeter")
	path := filepath.Join(b.TempDir(), "session.mcp")
	var clients [2]*mcp.Client
	for i, tr := range []mcp.Transport{program.Transport(), mcptest.Record(b, path, program.Transport(), "a-secret-of-the-test")} {
		client, err := mcp.Connect(b.Context(), tr, nil)
		if err != nil {
			b.Fatal(err)
		}
		defer client.Close()
		clients[i] = client
	}
	var took [2][]time.Duration
	for b.Loop() {
		for i, client := range clients {
			begun := time.Now()
			if _, err := client.CallTool(b.Context(), "greet", nil); err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], time.Since(begun))
		}
	}
	for _, list := range took {
		slices.Sort(list)
	}
	bare, recorded := took[0][len(took[0])/10], took[1][len(took[1])/10]
	b.ReportMetric(100*(float64(recorded)/float64(bare)-1), "%overhead")
}
