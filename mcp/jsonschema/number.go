package jsonschema

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

func (n *node) checkNumber(v json.Number, path string) error {
	for key, bad := range map[string]func(order int) bool{
		"minimum":          func(order int) bool { return order < 0 },
		"maximum":          func(order int) bool { return order > 0 },
		"exclusiveMinimum": func(order int) bool { return order <= 0 },
		"exclusiveMaximum": func(order int) bool { return order >= 0 },
	} {
		if limit, ok := n.keywords[key].(json.Number); ok && bad(compare(v, limit)) {
			return &Error{path, string(v) + " violates " + key + " " + string(limit)}
		}
	}
	if step, ok := n.keywords["multipleOf"].(json.Number); ok && !isMultiple(v, step) {
		return &Error{path, string(v) + " is not a multiple of " + string(step)}
	}
	return nil
}

// number returns the exact value of a number, or nil if that needs too much
// memory.
func number(v json.Number) *big.Rat {
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

func compare(a, b json.Number) int {
	if i, err := strconv.ParseInt(string(a), 10, 64); err == nil {
		if j, err := strconv.ParseInt(string(b), 10, 64); err == nil {
			return cmp.Compare(i, j)
		}
	}
	x, y := number(a), number(b)
	if x != nil && y != nil {
		return x.Cmp(y)
	}
	f, _ := a.Float64()
	g, _ := b.Float64()
	return cmp.Compare(f, g)
}

func isWhole(v json.Number) bool {
	if r := number(v); r != nil {
		return r.IsInt()
	}
	f, _ := v.Float64()
	return f == math.Trunc(f)
}

func isMultiple(v, step json.Number) bool {
	x, y := number(v), number(step)
	if x == nil || y == nil || y.Sign() == 0 {
		return true
	}
	return x.Quo(x, y).IsInt()
}
