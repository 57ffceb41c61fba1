package main

import (
	"testing"

	"github.com/stdmcp/stdmcp/internal/lab/peers/sample"
)

// TestAhead: the page names each row in which a peer takes less time, and no other.
func TestAhead(t *testing.T) {
	p := &page{calls: &table{series: make(map[cell]sample.Series)}}
	add := func(work, library string, time float64) {
		p.calls.series[cell{"json", work, library, "legacy"}] = sample.Series{{Time: time}}
	}
	if got := p.Ahead(); got != "None.\n" {
		t.Errorf("without a measurement: %q", got)
	}
	add("small", ours, 1)
	add("small", "go-sdk", 2)
	add("small", "mcp-go", 3)
	add("connect", ours, 2)
	add("connect", "mcp-go", 1)
	want := "- Streamable HTTP, responses as JSON, legacy, connect and close: mcp-go takes 0.50 × the time.\n"
	if got := p.Ahead(); got != want {
		t.Errorf("have %q, want %q", got, want)
	}
}
