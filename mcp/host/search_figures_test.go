package host_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// TestFigureSearch: 1,000 tools with the texts of real ones.
func TestFigureSearch(t *testing.T) {
	real := realTools(t).Tools()
	servers := make(map[string]*mcptest.Server)
	for i := range 20 {
		s := mcptest.New(t)
		for j := range 50 {
			n := i*50 + j
			def := real[n%len(real)].Definition()
			s.Tool(fmt.Sprintf("%s_%d", def.Name, n), def.InputSchema, answer("")).Description = fmt.Sprintf("%s (%d)", def.Description, n)
		}
		servers[fmt.Sprintf("server%d", i)] = s
	}
	h := hostOf(t, host.Options{}, servers)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	h.Search("read a file", 5)
	built := time.Since(start)
	runtime.GC()
	runtime.ReadMemStats(&after)
	index := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	began, best := after.TotalAlloc, time.Hour
	for range part(200) {
		start := time.Now()
		if tools := h.Search("list the open issues of a GitHub repository", 5); len(tools) != 5 {
			t.Fatalf("%d tools", len(tools))
		}
		best = min(best, time.Since(start))
	}
	runtime.ReadMemStats(&after)
	allocated := (after.TotalAlloc - began) / uint64(part(200))
	figure(t, "search over %d tools: %v (at most 1 ms), %d bytes allocated (at most 100 KB); index %d KB (at most 2 MB) in %v",
		len(h.Tools()), best, allocated, index/1000, built.Round(time.Microsecond))
	if measuring && best > time.Millisecond {
		t.Error("slower than 1 ms")
	}
	if allocated > 100_000 || index > 2_000_000 {
		t.Error("more memory than the limit")
	}
}
