package mcp

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/wire"
)

func toolList(n int) string {
	tools := make([]string, n)
	for i := range tools {
		tools[i] = `{"name":"tool_` + strconv.Itoa(i) + `","title":"Tool","description":"Does something that a model may want, and says so at some length.",` +
			`"inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where"},"count":{"type":"integer"}},"required":["path"]},` +
			`"annotations":{"readOnlyHint":true,"openWorldHint":false}}`
	}
	return `{"tools":[` + strings.Join(tools, ",") + `]}`
}

func smallResult() string {
	return `{"content":[{"type":"text","text":"Echo: hi"}],"isError":false}`
}

func largeResult() string {
	return `{"content":[{"type":"text","text":"` + strings.Repeat("0123456789abcdef", 1<<16) + `"}]}`
}

func BenchmarkDecode(b *testing.B) {
	for _, bm := range []struct {
		name, text string
		new        func() object
	}{
		{"50 tools", toolList(50), func() object { return new(ListToolsResult) }},
		{"small result", smallResult(), func() object { return new(CallToolResult) }},
		{"1 MB result", largeResult(), func() object { return new(CallToolResult) }},
	} {
		b.Run(bm.name, func(b *testing.B) {
			text := []byte(bm.text)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				r := wire.NewReader(text)
				decodeObject(&r, bm.new())
				if err := r.End(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	var v ListToolsResult
	if err := v.UnmarshalJSON([]byte(toolList(50))); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	var out []byte
	for b.Loop() {
		out, _ = encodeObject(out[:0], &v)
	}
	b.SetBytes(int64(len(out)))
}

// The figures that the library promises for a whole call leave this much for
// reading its result.
func TestDecodeAllocations(t *testing.T) {
	for _, tt := range []struct {
		text string
		new  func() object
		max  float64
	}{
		{smallResult(), func() object { return new(CallToolResult) }, 3},
		{toolList(50), func() object { return new(ListToolsResult) }, 320},
	} {
		text := json.RawMessage(tt.text)
		got := testing.AllocsPerRun(100, func() {
			r := wire.NewReader(text)
			decodeObject(&r, tt.new())
		})
		if got > tt.max+1 { // a collection may have emptied the pool of codecs
			t.Errorf("%T: %v allocations, want %v", tt.new(), got, tt.max)
		}
	}
}
