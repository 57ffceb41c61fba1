package jsonschema

import (
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
)

// TestDivisionsCountExponents: the budget counts a division for each bit of an exponent.
func TestDivisionsCountExponents(t *testing.T) {
	spent := func(value string) int {
		s, err := Compile(t.Context(), mcp.RawMessage(`{"multipleOf":7}`))
		if err != nil {
			t.Fatal(err)
		}
		c := &checker{budget: newBudget(t.Context(), "validating the value")}
		if err := s.validate(c, mcp.RawMessage(value)); err != nil {
			t.Fatal(err)
		}
		return maxSteps*perStep - c.left
	}
	if short, long := spent("7000000000000"), spent("7e999999999999"); long < 3*short {
		t.Errorf("%d and %d", short, long)
	}
}
