package jsonschema

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
)

func (n *node) checkNumber(v number, path string) error {
	for key, bad := range map[string]func(order int) bool{
		"minimum":          func(order int) bool { return order < 0 },
		"maximum":          func(order int) bool { return order > 0 },
		"exclusiveMinimum": func(order int) bool { return order <= 0 },
		"exclusiveMaximum": func(order int) bool { return order >= 0 },
	} {
		if limit, ok := n.keywords[key].(number); ok && bad(compare(v, limit)) {
			return &Error{path, string(v) + " violates " + key + " " + string(limit)}
		}
	}
	if step, ok := n.keywords["multipleOf"].(number); ok && !isMultiple(v, step) {
		return &Error{path, string(v) + " is not a multiple of " + string(step)}
	}
	return nil
}

// A number is a number as it is written.
type number string

// float returns the nearest float64, which is infinite beyond its range.
func (v number) float() float64 {
	f, _ := strconv.ParseFloat(string(v), 64)
	return f
}

// exact returns the exact value, or nil if that needs too much memory.
func (v number) exact() *big.Rat {
	if i := strings.IndexAny(string(v), "eE"); i >= 0 {
		if exp, err := strconv.Atoi(string(v[i+1:])); err != nil || exp > 1000 || exp < -1000 {
			return nil
		}
	}
	if len(v) > 2000 {
		return nil
	}
	r, ok := new(big.Rat).SetString(string(v))
	if !ok {
		return nil
	}
	return r
}

func compare(a, b number) int {
	if i, err := strconv.ParseInt(string(a), 10, 64); err == nil {
		if j, err := strconv.ParseInt(string(b), 10, 64); err == nil {
			return cmp.Compare(i, j)
		}
	}
	x, y := a.exact(), b.exact()
	if x != nil && y != nil {
		return x.Cmp(y)
	}
	return cmp.Compare(a.float(), b.float())
}

func isWhole(v number) bool {
	if r := v.exact(); r != nil {
		return r.IsInt()
	}
	f := v.float()
	return f == math.Trunc(f)
}

func isMultiple(v, step number) bool {
	x, y := v.exact(), step.exact()
	if x == nil || y == nil || y.Sign() == 0 {
		return true
	}
	return x.Quo(x, y).IsInt()
}
