package diag

import (
	"strconv"
	"testing"
	"unicode"
)

func TestIsSpace(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		if !strconv.IsPrint(r) && isSpace(r) != unicode.IsSpace(r) {
			t.Errorf("isSpace(%U) = %v", r, isSpace(r))
		}
	}
}
