package main

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
)

// TestLongNameOfAnArgument: the lines of another argument's description have no margin of its
// width, which is the server's choice.
func TestLongNameOfAnArgument(t *testing.T) {
	s := toolargs.ParseSchema([]byte(`{"properties":{"` + strings.Repeat("n", 5000) + `":{},"a":{"description":"` + strings.Repeat(`a\n`, 2000) + `"}}}`))
	sheet := &sheet{style: func(_ terminal.Style, s string) string { return s }, shown: terminal.Escape}
	if sheet.properties(s, ""); sheet.b.Len() > 1_000_000 {
		t.Errorf("%d bytes", sheet.b.Len())
	}
}
