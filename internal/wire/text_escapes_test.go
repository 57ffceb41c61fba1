package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// TestEscapesAtEveryPlaceOfAWord: a word may hold several escapes, end within one, and
// have bytes that look like one when the byte before has been taken out of the word.
func TestEscapesAtEveryPlaceOfAWord(t *testing.T) {
	t.Parallel()
	parts := []string{"x", "]", "#", "é", `\n`, `\\`, `\"`, `\u00e9`}
	for before := range 9 {
		for i := range len(parts) * len(parts) * len(parts) * len(parts) {
			inside := strings.Repeat("y", before)
			for n := i; n > 0; n /= len(parts) {
				inside += parts[n%len(parts)]
			}
			checkEscapes(t, inside)
			if t.Failed() {
				return
			}
		}
	}
}

// checkEscapes reads a string, decoded to a copy and in place, and writes it.
func checkEscapes(t *testing.T, inside string) {
	var want string
	if err := json.Unmarshal([]byte(`"`+inside+`"`), &want); err != nil {
		t.Fatal(err)
	}
	r := wire.NewReader([]byte(`"` + inside + `"`))
	if got := r.String(); got != want || r.End() != nil {
		t.Errorf("%q was read as %q, error %v", inside, got, r.Err())
	}
	if inside == "" {
		return
	}
	text := wire.AppendString(nil, want)
	r = wire.NewReader(text)
	r.Trust()
	if got := r.String(); got != want || r.End() != nil {
		t.Errorf("%q was written as %s and read as %q, error %v", want, text, got, r.Err())
	}
	// A string that is decoded in place is long: here the escapes are at its start.
	text = []byte(`"` + inside + strings.Repeat("z", 4096) + `"`)
	r = wire.NewReader(text)
	r.Trust()
	r.Postpone()
	if _ = r.String(); r.Postponed() {
		r.Again()
		if got := r.String(); strings.TrimRight(got, "z") != want || r.End() != nil {
			t.Errorf("in place, %q was read as %q, error %v", inside, strings.TrimRight(got, "z"), r.Err())
		}
	}
}
