package compat

import (
	"cmp"
	"strconv"
	"strings"
)

// A decimal is the exact value of a number: 0.digits times ten to the power of exp. The
// digits neither begin nor end with 0.
type decimal struct {
	negative bool
	digits   string
	exp      int64
}

// maxExp limits exponents.
const maxExp = 1 << 40

// parseDecimal returns the value of a JSON number, and reports whether its exponent is
// within the limit.
func parseDecimal(s string) (decimal, bool) {
	s, negative := strings.CutPrefix(s, "-")
	exp, ok := int64(0), true
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		n, err := strconv.ParseInt(s[i+1:], 10, 64)
		ok = err == nil && -maxExp < n && n < maxExp
		exp, s = n, s[:i]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		rest := strings.TrimLeft(fraction, "0")
		exp -= int64(len(fraction) - len(rest))
		fraction = rest
	}
	digits := strings.TrimRight(whole+fraction, "0")
	if digits == "" {
		return decimal{}, true
	}
	return decimal{negative, digits, exp + int64(len(whole))}, ok
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

func (d decimal) compare(e decimal) int {
	if x, y := d.sign(), e.sign(); x != y || x == 0 {
		return cmp.Compare(x, y)
	}
	return cmp.Or(cmp.Compare(d.exp, e.exp), strings.Compare(d.digits, e.digits)) * d.sign()
}

func (d decimal) isWhole() bool { return d.digits == "" || d.exp >= int64(len(d.digits)) }
