package host

import (
	"fmt"
	"math/bits"
	"runtime"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
)

// TestPublishingOneOfManyServers: a server's tools that come and go cost one list
// of pointers to all tools, and nothing else for each tool or server.
func TestPublishingOneOfManyServers(t *testing.T) {
	const servers, toolsEach, changes = 1000, 10, 50
	h := New(nil)
	for i := range servers {
		s := &server{name: fmt.Sprintf("s%03d", i), enabled: true, toolList: toolList{offered: true}}
		for j := range toolsEach {
			def := &mcp.Tool{Name: fmt.Sprint("t", j)}
			s.tools = append(s.tools, &Tool{host: h, server: s, def: def, name: s.name + "__" + def.Name})
		}
		h.servers = append(h.servers, s) // in order
	}
	h.publishLocked(nil, "")
	one := h.serverLocked("s500")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range changes {
		one.offered = !one.offered
		h.publishLocked(nil, one.name)
	}
	runtime.ReadMemStats(&after)
	if n := len(h.Tools()); n != servers*toolsEach {
		t.Fatalf("%d tools, want %d", n, servers*toolsEach)
	}
	each := (after.TotalAlloc - before.TotalAlloc) / changes
	list := uint64(servers * toolsEach * bits.UintSize / 8)
	t.Logf("a change allocates %d bytes", each)
	if each > list*5/4 {
		t.Errorf("a change allocates %d bytes, and a list of all tools %d", each, list)
	}
	if h.Tool("s500__t3") == nil {
		t.Error("the tools have no names")
	}
}
