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

// TestCatalogAboveItsLimitDropsTheEntrySavedFirst: four entries leave no room for
// a fifth one.
func TestCatalogAboveItsLimitDropsTheEntrySavedFirst(t *testing.T) {
	const limit, entry = 16 << 20, 4<<20 - 200
	path := catalogPath(t)
	var b strings.Builder
	b.WriteString(`{"version":1,"servers":[`)
	for i, name := range []string{"fourth", "third", "second", "first"} {
		if i > 0 {
			b.WriteByte(',')
		}
		saved := strconv.Itoa(map[string]int{"first": 1, "second": 20, "third": 300, "fourth": 4000}[name])
		b.WriteString(`{"key":{"name":"` + name + `"},"saved":` + saved + `,"said":{"x":"` + strings.Repeat("x", entry) + `"}}`)
	}
	b.WriteString(`]}`)
	if err := statefile.Replace(path, []byte(b.String())); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		fs := fakes{"a": newFake(nil)}
		fs.fill(t, path)
		data, err := os.ReadFile(path)
		if err != nil || len(data) > limit || len(data) < 3*entry {
			t.Fatalf("%d bytes, %v", len(data), err)
		}
		for name, want := range map[string]bool{"a": true, "first": false, "second": true, "third": true, "fourth": true} {
			if strings.Contains(string(data), `"key":{"name":"`+name+`"`) != want {
				t.Errorf("%s is in the catalog: %v, want %v", name, !want, want)
			}
		}
		h := newHost(t, fs.with(host.Options{Catalog: host.OpenCatalog(path)}))
		h.SetServers(t.Context(), fs.servers())
		if fs["a"].opened() != 1 || len(h.Tools()) == 0 {
			t.Errorf("%d connections, %d tools from the catalog", fs["a"].opened(), len(h.Tools()))
		}
	})
}
