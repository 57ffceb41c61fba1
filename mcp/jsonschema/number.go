package jsonschema

import (
	"math/big"
	"math/bits"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/decimal"
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

// parse returns the value of a number; that of an exponent beyond the limits of package
// decimal is one with the limit.
func parse(v value) decimal.Number {
	n, _ := decimal.Parse(v.text())
	return n
}

// compare compares two numbers.
func (c *checker) compare(a, b value) int {
	if !c.spend(a.length() + b.length()) {
		return 0
	}
	return parse(a).Compare(parse(b))
}

// floor returns the whole part of a number that is not negative, or at most most.
func floor(d decimal.Number, most int) int {
	if d.Digits == "" || d.Exp <= 0 {
		return 0
	}
	n, err := strconv.ParseInt(d.Digits[:min(d.Exp, int64(len(d.Digits)))], 10, 64)
	for i := int64(len(d.Digits)); i < d.Exp && n < int64(most); i++ {
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
	x, y := parse(v), parse(step)
	long := max(len(x.Digits), len(y.Digits))
	if x.Digits == "" || y.Digits == "" || long > maxDigits {
		return true
	}
	zeros := (x.Exp - int64(len(x.Digits))) - (y.Exp - int64(len(y.Digits))) // that x has more at its end
	if zeros < 0 {
		return false
	}
	// One division, and one for each bit of zeros.
	if !c.spend((perStep + long*long*perProduct/32) * (4 + bits.Len64(uint64(zeros))) / 4) {
		return false
	}
	a, _ := new(big.Int).SetString(x.Digits, 10)
	b, _ := new(big.Int).SetString(y.Digits, 10)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(zeros), b) // modulo b
	return a.Mul(a, power).Mod(a, b).Sign() == 0
}
