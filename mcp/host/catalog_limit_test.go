package host_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stdmcp/stdmcp/internal/statefile"
	"github.com/stdmcp/stdmcp/mcp/host"
)

// writeEntries writes a catalog with what servers said, the latest first.
func writeEntries(t *testing.T, path string, said ...string) {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"version":1,"servers":[`)
	for i, text := range said {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"key":{"name":"` + strconv.Itoa(i) + `"},"saved":1,"said":` + text + `}`)
	}
	b.WriteString(`]}`)
	if err := statefile.Replace(path, []byte(b.String())); err != nil {
		t.Fatal(err)
	}
}

// TestCatalogAboveItsLimitKeepsPins: four servers leave no room for a fifth one. The oldest
// entry has a pin, which servers do not say again.
func TestCatalogAboveItsLimitKeepsPins(t *testing.T) {
	const limit, pin = 16 << 20, `["t",{"name":"t"}]`
	path := catalogPath(t)
	long := `{"x":"` + strings.Repeat("x", 4<<20-300) + `"}`
	writeEntries(t, path, long, long, long, strings.Replace(long, `{`, `{"pinned":`+pin+`,`, 1), `{"pins":{"t":{"name":"t"}},"x":"`+strings.Repeat("x", 300)+`"}`)
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"a": newFake(nil)}
		fs.fill(t, path)
		data, err := os.ReadFile(path)
		if err != nil || len(data) > limit || len(data) < limit*3/4-2000 {
			t.Fatalf("%d bytes, %v", len(data), err)
		}
		text := string(data)
		for i, want := range []string{`"x":"xxx`, `"x":"xxx`, `"x":"xxx`, `{"pinned":` + pin + `}`, `{"pinned":` + pin + `}`} {
			if _, entry, ok := strings.Cut(text, `"key":{"name":"`+strconv.Itoa(i)+`"`); !ok || !strings.Contains(entry[:min(len(entry), 200)], want) {
				t.Errorf("entry %d: %.100s", i, entry)
			}
		}
		h := newHost(t, fs.with(host.Options{Catalog: host.OpenCatalog(path)}))
		h.SetServers(t.Context(), fs.servers())
		if fs["a"].opened() != 1 || len(h.Tools()) == 0 {
			t.Errorf("%d connections, %d tools from the catalog", fs["a"].opened(), len(h.Tools()))
		}
	})
}

// TestPinsOfOthersDoNotTakeTheRoom: servers that have so many pins that not all have room lose
// theirs, which is not a reason to trust what they say later.
func TestPinsOfOthersDoNotTakeTheRoom(t *testing.T) {
	path := catalogPath(t)
	long := strings.Repeat("x", 4<<20-100_000)
	many := `{"pinned":["t",{"name":"t","description":"` + long + `"}]}`
	synctest.Test(t, func(t *testing.T) {
		s := &tooled{harmless}
		start := func() *host.Host {
			return s.start(t, host.Options{Pins: host.PinBlock, Catalog: host.OpenCatalog(path)})
		}
		h := start()
		synctest.Wait()
		if err := h.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, own, _ := strings.Cut(string(data), `"servers":[`)
		own = strings.TrimSuffix(strings.TrimSpace(own), "]}")
		writeEntries(t, path, many, many, many, many)
		all, err := os.ReadFile(path)
		if err == nil {
			err = statefile.Replace(path, []byte(strings.TrimSuffix(string(all), "]}")+","+own+"]}"))
		}
		if err != nil {
			t.Fatal(err)
		}

		// The small server keeps its pin when another one needs room.
		s.tools = harmless + `,{"name":"u","description":"` + strings.Repeat("x", 1<<20) + `"}`
		h = start()
		if err := h.Refresh(t.Context(), "x").Errors["x"]; err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := h.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		data, _ = os.ReadFile(path)
		if text := string(data); strings.Count(text, `"\u0000note lost",0`) != 1 || strings.Count(text, long) != 3 || !strings.Contains(text, `"Reads a file."`) {
			t.Fatalf("%d lost, %d kept", strings.Count(text, `note lost`), strings.Count(text, long))
		}

		// A server whose pins are lost offers nothing until the user agrees.
		lost := own[:strings.Index(own, `"said":`)] + `"said":{"pinned":["\u0000note lost",0]}}`
		if err := statefile.Replace(path, []byte(`{"version":1,"servers":[`+lost+`]}`)); err != nil {
			t.Fatal(err)
		}
		s.tools = reworded
		for range 2 {
			h = start()
			for _, tools := range []string{`{"name":"u"}`, reworded} {
				s.tools = tools
				if err := h.Refresh(t.Context(), "x").Errors["x"]; err != nil {
					t.Fatal(err)
				}
				if h.Tool("mcp__x__t") != nil || len(h.Changed()) != 1 {
					t.Errorf("%s is offered: %v", tools, h.Changed())
				}
			}
			synctest.Wait()
			if err := h.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		h = start()
		defer h.Shutdown(t.Context())
		if err := h.Pin("mcp__x__t"); err != nil || h.Tool("mcp__x__t") == nil || h.Changed() != nil {
			t.Errorf("%v, %v", err, h.Changed())
		}
	})
}
