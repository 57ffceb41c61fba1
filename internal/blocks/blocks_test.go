package blocks_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/blocks"
	"github.com/stdmcp/stdmcp/mcp"
)

func TestText(t *testing.T) {
	for want, c := range map[string]*mcp.Content{
		"": nil, "hi": {Type: mcp.ContentText, Text: "hi"}, "[resource content]": {Type: mcp.ContentResource},
		"[new content]": {Type: "new", Raw: mcp.RawMessage("{}")}, "[image content: image/png, 3 bytes]": {Type: mcp.ContentImage, MIMEType: "image/png", Data: "AAAA"},
	} {
		if got := blocks.Text(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestManyBlocksBesideStructuredContent: when each block was compared with all of the structured
// content, 8 MiB took half an hour.
func TestManyBlocksBesideStructuredContent(t *testing.T) {
	const n = 2000
	long := strings.Repeat(`a\n`, 50_000)
	for structured, c := range map[string]mcp.Content{
		`"` + long + `"`:              mcp.TextContent(`"x"`),
		`{"result":"` + long + `"}`:   mcp.TextContent("x"),
		`{"` + long + `":1}`:          mcp.TextContent(`{"x":1}`),
		`{"data":"` + long + `"}`:     {Type: mcp.ContentImage, Data: strings.Repeat("a", 20)},
		`{"result":["` + long + `"]}`: mcp.TextContent(`["x"]`),
	} {
		res := &mcp.CallToolResult{StructuredContent: mcp.RawMessage(structured)}
		for range n {
			res.Content = append(res.Content, c)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		covered := blocks.Covers(res)
		runtime.ReadMemStats(&after)
		if bytes := after.TotalAlloc - before.TotalAlloc; covered || bytes > 20*uint64(len(structured)) {
			t.Errorf("%.20s: %v, and %d bytes are allocated", structured, covered, bytes)
		}
	}
}
