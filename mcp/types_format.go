package mcp

import "fmt"

// Format implements fmt.Formatter: every verb prints the JSON of the tool.
func (t Tool) Format(f fmt.State, _ rune) { formatJSON(f, &t) }

// Format implements fmt.Formatter: every verb prints the JSON of the content.
func (t Content) Format(f fmt.State, _ rune) {
	if t.Raw != nil {
		_, _ = f.Write(t.Raw)
		return
	}
	formatJSON(f, &t)
}

// Format implements fmt.Formatter: every verb prints the JSON of the result.
func (t CallToolResult) Format(f fmt.State, _ rune) { formatJSON(f, &t) }

// formatJSON prints the JSON of v, or why there is none. It is called by methods
// named Format and not String, because the linker keeps every method named String.
func formatJSON(f fmt.State, v object) {
	b, err := encodeObject(nil, v)
	if err != nil {
		b = []byte("%!v(" + err.Error() + ")")
	}
	_, _ = f.Write(b)
}
