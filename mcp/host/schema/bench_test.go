package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
)

// usual returns tools with schemas of about size bytes, as servers have them.
func usual(n, size int) []tool {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	for i := 0; b.Len() < size-60; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"argument%d":{"type":"string","description":"What argument number %d of this tool is for"}`, i, i)
	}
	b.WriteString(`},"required":["argument0"],"additionalProperties":false}`)
	tools := make([]tool, n)
	for i := range tools {
		tools[i] = tool(b.String())
	}
	return tools
}

func BenchmarkList(b *testing.B) {
	for _, size := range []int{800, 2300} {
		tools := usual(1000, size)
		b.Run(fmt.Sprint("walk ", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, t := range tools {
					r := wire.NewReader(t.InputSchema())
					walk(&r)
				}
			}
		})
		for name, define := range map[string]schema.Definer{"Anthropic": schema.Anthropic, "OpenAI": schema.OpenAI, "Gemini": schema.Gemini} {
			b.Run(fmt.Sprint(name, " ", size), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := schema.List(define, tools); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// walk reads a value, and does nothing with it.
func walk(r *wire.Reader) {
	switch r.Kind() {
	case wire.Object:
		for r.Object(); r.More(); {
			r.Key()
			walk(r)
		}
	case wire.Array:
		for r.Array(); r.More(); {
			walk(r)
		}
	default:
		r.Skip()
	}
}
