package toolargs_test

import (
	"slices"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
)

// TestRepairSplitsArguments only where the schema has all their names: other words with
// commas or spaces are values.
func TestRepairSplitsArguments(t *testing.T) {
	s := toolargs.ParseSchema([]byte(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"]}`))
	for _, tt := range []struct{ given, want []string }{
		{[]string{"a=1,b=2"}, []string{"a=1", "b=2"}},
		{[]string{"a=1;"}, []string{"a=1"}},
		{[]string{"a=one, two"}, []string{"a=one, two"}},
		{[]string{"a=one two"}, []string{"a=one two"}},
	} {
		if got := toolargs.Repair(tt.given, s); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.given, got, tt.want)
		}
	}
}
