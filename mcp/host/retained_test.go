package host

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// TestChangedToolsKeepNoLists: the definitions of a list share its memory. A server that
// changed one tool in each list made the host keep all lists.
func TestChangedToolsKeepNoLists(t *testing.T) {
	const tools, lists, most = 20, 40, 3 << 20
	pad := strings.Repeat("d", 20_000)
	for _, leaves := range []bool{false, true} { // the tool that has changed, whose pin stays
		h := New(&Options{Pins: PinAsk})
		s := &server{name: "s", enabled: true, cfg: &config.Server{Name: "s"}}
		h.servers = []*server{s}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for n := range lists {
			text := []byte(`{"tools":[`)
			for i := range tools {
				name := fmt.Sprint("t", i)
				if leaves && i == 0 {
					name = fmt.Sprint("new", n)
				}
				text = fmt.Appendf(text, `{"name":%q,"description":"%d","inputSchema":{"type":"object","description":%q}},`, name, max(0, n-i)/tools, pad[i*100:])
			}
			var list mcp.ListToolsResult
			if err := list.UnmarshalJSON(append(text[:len(text)-1], "]}"...)); err != nil {
				t.Fatal(err)
			}
			h.mu.Lock()
			h.publishLocked(h.updateToolsLocked(s, list.Tools, n), s.name)
			h.mu.Unlock()
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > most {
			t.Errorf("of %d lists of %d KB, the host keeps %d KB", lists, tools*len(pad)>>10, kept>>10)
		}
		if len(s.defs) != tools || len(h.Changed()) == 0 {
			t.Errorf("%d tools, %d changed", len(s.defs), len(h.Changed()))
		}
	}
}

// TestEventsKeepNoMessages: what a server sent shares the memory of its message. Logs and
// changed definitions, of a few bytes in messages of megabytes, filled a channel of events.
func TestEventsKeepNoMessages(t *testing.T) {
	const messages, most = 20, 4 << 20
	pad := strings.Repeat("x", 1<<20)
	h := New(nil)
	s := &server{name: "s", enabled: true, cfg: &config.Server{Name: "s"}}
	s.offered = true
	h.servers = []*server{s}
	log := h.clientOptions(s, &DialParams{Server: s.cfg}, nil).Log
	list := func(n int, text string) {
		var list mcp.ListToolsResult
		if err := list.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		h.mu.Lock()
		h.publishLocked(h.updateToolsLocked(s, list.Tools, n), s.name)
		h.mu.Unlock()
	}
	kinds := map[string]func(n int){"a definition": func(n int) {
		list(3*n, `{"tools":[{"name":"t","description":"1","inputSchema":{}},{"name":"u","inputSchema":{},"description":"`+pad+`"}]}`)
		list(3*n+1, `{"tools":[{"name":"t","description":"2","inputSchema":{}}]}`)
		list(3*n+2, `{"tools":[]}`)
	}}
	for _, text := range []string{`{"level":"info","data":"x"` + strings.Repeat(" ", len(pad)) + `}`, `{"level":"` + pad + `","data":1}`,
		`{"level":"info","data":1,"_meta":{"x":"` + pad + `"}}`, `{"level":"info","data":1,"x":"` + pad + `"}`} {
		kinds[text[:26]+" "+text[len(text)-4:]] = func(int) {
			m := new(mcp.LogMessage)
			if err := m.UnmarshalJSON([]byte(text)); err != nil {
				t.Fatal(err)
			}
			log(t.Context(), m)
		}
	}
	for name, send := range kinds {
		events := h.Events(t.Context())
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for n := range messages {
			send(n)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > most {
			t.Errorf("%s: %d events keep %d KB", name, len(events), kept>>10)
		}
		if len(events) == 0 {
			t.Errorf("%s: no event", name)
		}
		h.bus.listeners = nil
	}
}
