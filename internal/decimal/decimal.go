// Package decimal compares JSON numbers exactly.
package decimal

import (
	"cmp"
	"strconv"
	"strings"
)

// A Number is the exact value of a number: 0.Digits times ten to the power of Exp. The
// digits neither begin nor end with 0.
type Number struct {
	Negative bool
	Digits   string
	Exp      int64
}

// maxExp limits exponents.
const maxExp = 1 << 40

// Parse returns the value of a JSON number, in a time that is proportional to its length,
// and reports whether its exponent is within the limit. A greater exponent is taken for
// the limit.
func Parse(s string) (Number, bool) {
	s, negative := strings.CutPrefix(s, "-")
	exp, ok := int64(0), true
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		n, err := strconv.ParseInt(s[i+1:], 10, 64) // at the limits of int64 if it is out of range
		ok = err == nil && -maxExp < n && n < maxExp
		exp, s = max(-maxExp, min(n, maxExp)), s[:i]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		rest := strings.TrimLeft(fraction, "0")
		exp -= int64(len(fraction) - len(rest))
		fraction = rest
	}
	digits := strings.TrimRight(whole+fraction, "0")
	if digits == "" {
		return Number{}, true
	}
	return Number{negative, digits, exp + int64(len(whole))}, ok
}

// Sign returns -1, 0 or 1.
func (n Number) Sign() int {
	switch {
	case n.Digits == "":
		return 0
	case n.Negative:
		return -1
	}
	return 1
}

// Compare returns -1, 0 or 1.
func (n Number) Compare(m Number) int {
	if x, y := n.Sign(), m.Sign(); x != y || x == 0 {
		return cmp.Compare(x, y)
	}
	return cmp.Or(cmp.Compare(n.Exp, m.Exp), strings.Compare(n.Digits, m.Digits)) * n.Sign()
}

// IsWhole reports whether the number has no fraction.
func (n Number) IsWhole() bool { return n.Digits == "" || n.Exp >= int64(len(n.Digits)) }
