package form

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
)

// A prompt with many choices takes memory in proportion to its length.
func TestPromptWithManyChoices(t *testing.T) {
	var f mcp.FormField
	if err := f.Schema.UnmarshalJSON([]byte(`{"type":"string","enum":[` + strings.Repeat(`"a",`, 10_000) + `"b"]}`)); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	prompt := fieldPrompt(&f)
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 50<<20 {
		t.Errorf("%d bytes for a prompt of %d", allocated, len(prompt))
	}
}
