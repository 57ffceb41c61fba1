package wire

import (
	"encoding/json"
	"testing"
)

// TestCutLiteral: a reader does not read beyond the end of its text.
func TestCutLiteral(t *testing.T) {
	text := []byte("null true false")
	for _, cut := range [][]byte{text[:3], text[5:8], text[10:14]} {
		if err := Valid(cut); err == nil {
			t.Errorf("%q is valid", cut)
		}
	}
}

func TestNumbersWithSpace(t *testing.T) {
	for _, n := range []string{"1 ", "1\n", " 1", "", "1 2"} {
		if b, err := AppendValue(nil, json.Number(n)); err == nil {
			t.Errorf("%q becomes %s", n, b)
		}
	}
}
