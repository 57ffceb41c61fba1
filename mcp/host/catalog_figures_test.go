package host_test

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp/host"
)

// TestFigureCatalog lists 20 servers with 400 tools that a catalog contains.
func TestFigureCatalog(t *testing.T) {
	fs, path := fakes{}, catalogPath(t)
	for i := range 20 {
		fs[fmt.Sprintf("s%03d", i)] = newFake(&testserver.Options{Tools: 3}) // 17 others
	}
	synctest.Test(t, func(t *testing.T) { fs.fill(t, path) })
	opened, best := fs.opened(), time.Hour
	o := fs.with(host.Options{Catalog: host.OpenCatalog(path)})
	allocations := math.Inf(1)
	for range part(50) {
		h := host.New(o)
		start := time.Now()
		h.SetServers(t.Context(), fs.servers())
		n := len(h.Tools())
		best = min(best, time.Since(start))
		if n != 400 {
			t.Fatalf("%d tools", n)
		}
		allocations = min(allocations, testing.AllocsPerRun(100, func() { _ = h.Tools() }))
		if err := h.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	figure(t, "a catalog lists 400 tools of 20 servers in %v, budget 5ms; %d connections, budget 0; %v allocations for Tools, budget 0",
		best, fs.opened()-opened, allocations)
	if fs.opened() != opened || allocations != 0 || measuring && best > 5*time.Millisecond {
		t.Error("over budget")
	}
}
