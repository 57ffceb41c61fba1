package jsonschema

import (
	"cmp"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

func (c *checker) checkNumber(n *node, v value) bool {
	for _, k := range [...]struct {
		name string
		bad  func(order int) bool
	}{
		{"minimum", func(order int) bool { return order < 0 }},
		{"maximum", func(order int) bool { return order > 0 }},
		{"exclusiveMinimum", func(order int) bool { return order <= 0 }},
		{"exclusiveMaximum", func(order int) bool { return order >= 0 }},
	} {
		if limit := n.keywords.get(k.name); limit.kind() == numeric && k.bad(c.compare(v, limit)) {
			return c.fail(v, func() string { return short(v.text()) + " violates " + k.name + " " + short(limit.text()) })
		}
	}
	if step := n.keywords.get("multipleOf"); step.kind() == numeric && !c.isMultiple(v, step) {
		return c.fail(v, func() string { return short(v.text()) + " is not a multiple of " + short(step.text()) })
	}
	return c.err == nil
}

// A decimal is the exact value of a number: 0.digits times ten to the power of exp. The
// digits begin and end with none that is 0.
type decimal struct {
	negative bool
	digits   string
	exp      int64
}

// maxExp limits exponents: numbers beyond it are taken for one with this exponent.
const maxExp = 1 << 40

// parseDecimal parses a number, in a time that is proportional to its length.
func parseDecimal(s string) decimal {
	s, negative := strings.CutPrefix(s, "-")
	exp := int64(0)
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		n, err := strconv.ParseInt(s[i+1:], 10, 64) // at the limits of int64 if it is out of range
		if exp = max(-maxExp, min(n, maxExp)); err != nil && n == 0 {
			return decimal{}
		}
		s = s[:i]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		rest := strings.TrimLeft(fraction, "0")
		exp -= int64(len(fraction) - len(rest))
		fraction = rest
	}
	digits := strings.TrimRight(whole+fraction, "0")
	if digits == "" {
		return decimal{}
	}
	return decimal{negative, digits, exp + int64(len(whole))}
}

// compare compares two numbers.
func (c *checker) compare(a, b value) int {
	if !c.spend(a.length() + b.length()) {
		return 0
	}
	return parseDecimal(a.text()).compare(parseDecimal(b.text()))
}

func (d decimal) compare(e decimal) int {
	if x, y := d.sign(), e.sign(); x != y || x == 0 {
		return cmp.Compare(x, y)
	}
	order := cmp.Or(cmp.Compare(d.exp, e.exp), strings.Compare(d.digits, e.digits))
	return order * d.sign()
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

func (d decimal) isWhole() bool { return d.digits == "" || d.exp >= int64(len(d.digits)) }

// floor returns the whole part of a number that is not negative, or at most most.
func (d decimal) floor(most int) int {
	if d.digits == "" || d.exp <= 0 {
		return 0
	}
	n, err := strconv.ParseInt(d.digits[:min(d.exp, int64(len(d.digits)))], 10, 64)
	for i := int64(len(d.digits)); i < d.exp && n < int64(most); i++ {
		n *= 10
	}
	if err != nil {
		return most
	}
	return int(min(n, int64(most)))
}

// maxDigits limits the digits of numbers that are divided. A float64 has at most 767.
const maxDigits = 1000

// perProduct is 32 times what it costs to divide, for each pair of a digit of one number
// and a digit of the other. Package big multiplies pairs of words.
const perProduct = (64 / bits.UintSize) * (64 / bits.UintSize)

// isMultiple reports whether v is a multiple of step, and true if it would take too long.
func (c *checker) isMultiple(v, step value) bool {
	if !c.spend(v.length() + step.length()) {
		return false
	}
	x, y := parseDecimal(v.text()), parseDecimal(step.text())
	long := max(len(x.digits), len(y.digits))
	if x.digits == "" || y.digits == "" || long > maxDigits {
		return true
	}
	zeros := (x.exp - int64(len(x.digits))) - (y.exp - int64(len(y.digits))) // that x has more at its end
	if zeros < 0 {
		return false
	}
	// One division, and one for each bit of zeros.
	if !c.spend((perStep + long*long*perProduct/32) * (4 + bits.Len64(uint64(zeros))) / 4) {
		return false
	}
	a, _ := new(big.Int).SetString(x.digits, 10)
	b, _ := new(big.Int).SetString(y.digits, 10)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(zeros), b) // modulo b
	return a.Mul(a, power).Mod(a, b).Sign() == 0
}
