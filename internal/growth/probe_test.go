package growth

import (
	"strings"
	"testing"
)

// sink keeps the compiler from leaving out an allocation.
var sink []byte

// TestMemoryOfSmallInputs: what reading any input allocates is not growth, even if reading
// a short one allocates nothing in addition.
func TestMemoryOfSmallInputs(t *testing.T) {
	for name, tt := range map[string]struct {
		bytes func(n int) int
		size  int
		want  string
	}{
		"constant":  {func(n int) int { return smallBytes + n/100*1000 }, 300, ""},
		"quadratic": {func(n int) int { return smallBytes + n*n/1000 }, oneSize, "for each byte"},
		"cubic":     {func(n int) int { return smallBytes + n*n/1000*n/(oneSize/8) }, oneSize / 8, "memory grows with exponent"},
	} {
		r := &Reader{Name: name, Base: "x", Prepare: func(input string) func() error {
			return func() error { sink = make([]byte, tt.bytes(len(input))); return nil }
		}}
		p := &probe{Reader: r, met: make(map[string]bool), grow: func(n int, base string) string { return base + strings.Repeat("x", n) }}
		if err := p.run(tt.size); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}
