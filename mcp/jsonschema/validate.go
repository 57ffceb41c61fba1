package jsonschema

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/mcp"
)

const (
	// maxSteps is how often a schema may be looked at for one value.
	maxSteps = 1_000_000

	// maxNesting bounds a schema that refers to itself for the same value.
	maxNesting = 10_000
)

// An Error says where a value doesn't fit its schema, and why.
type Error struct {
	Path string // JSON Pointer into the value; empty for the whole
	Why  string
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Why
	}
	return e.Path + ": " + e.Why
}

// Validate checks a value. The error is an *[Error] when it doesn't fit, or says
// that it is no JSON.
func (s *Schema) Validate(value mcp.RawMessage) error {
	v, err := decode(value)
	if err != nil {
		return err
	}
	c := &checker{steps: maxSteps}
	_, err = c.check(s.root, v, "", nil)
	return err
}

type checker struct{ steps, depth int }

// A scope is the resources that led to a schema, the innermost first.
type scope struct {
	res   *resource
	outer *scope
}

// seen is what of an object or a list has been looked at.
type seen struct {
	names map[string]bool
	items map[int]bool
}

func (s *seen) add(t seen) {
	if s.names == nil {
		s.names = t.names
	} else {
		maps.Copy(s.names, t.names)
	}
	if s.items == nil {
		s.items = t.items
	} else {
		maps.Copy(s.items, t.items)
	}
}

func (s *seen) name(name string) {
	if s.names == nil {
		s.names = make(map[string]bool)
	}
	s.names[name] = true
}

func (s *seen) item(i int) {
	if s.items == nil {
		s.items = make(map[int]bool)
	}
	s.items[i] = true
}

var errSteps = errors.New("the schema takes too long to check")

// check checks a value that is at path.
func (c *checker) check(n *node, v any, path string, outer *scope) (s seen, err error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.steps--; c.steps < 0 || c.depth > maxNesting {
		return s, errSteps
	}
	if n.never {
		return s, &Error{path, "nothing is allowed here"}
	}
	sc := outer
	if outer == nil || outer.res != n.res {
		sc = &scope{n.res, outer}
	}
	if err := n.checkKind(v, path); err != nil {
		return s, err
	}
	if s, err = c.applied(n, v, path, sc); err != nil {
		return s, err
	}
	switch v := v.(type) {
	case json.Number:
		err = n.checkNumber(v, path)
	case string:
		err = n.checkString(v, path)
	case map[string]any:
		err = c.checkObject(n, v, path, sc, &s)
	case []any:
		err = c.checkList(n, v, path, sc, &s)
	}
	return s, err
}

// checkKind obeys type, enum and const.
func (n *node) checkKind(v any, path string) error {
	switch want := n.keywords["type"].(type) {
	case string:
		if !isKind(v, want) {
			return &Error{path, "want " + want + ", got " + kindOf(v)}
		}
	case []any:
		if !slices.ContainsFunc(want, func(one any) bool { s, _ := one.(string); return isKind(v, s) }) {
			return &Error{path, fmt.Sprint("want one of ", want, ", got ", kindOf(v))}
		}
	}
	if enum, ok := n.keywords["enum"].([]any); ok && !slices.ContainsFunc(enum, func(one any) bool { return equal(v, one) }) {
		return &Error{path, "none of the values that are allowed"}
	}
	if one, ok := n.keywords["const"]; ok && !equal(v, one) {
		return &Error{path, "not the value that is required"}
	}
	return nil
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

func isKind(v any, kind string) bool {
	if kind == "integer" {
		n, ok := v.(json.Number)
		return ok && isWhole(n)
	}
	return kindOf(v) == kind
}

// dynamicOf returns where a $dynamicRef leads to: to the outermost schema on the
// way that has the anchor.
func (n *node) dynamicOf(sc *scope) *node {
	ref, _ := n.keywords["$dynamicRef"].(string)
	_, anchor, _ := strings.Cut(ref, "#")
	to := n.dynamic
	if to.res.dynamic[anchor] != to {
		return to
	}
	for ; sc != nil; sc = sc.outer {
		if found := sc.res.dynamic[anchor]; found != nil {
			to = found
		}
	}
	return to
}

// applied obeys the keywords that apply schemas to the value itself.
func (c *checker) applied(n *node, v any, path string, sc *scope) (s seen, err error) {
	all := slices.Clone(n.many["allOf"])
	if n.ref != nil {
		all = append(all, n.ref)
	}
	if n.dynamic != nil {
		all = append(all, n.dynamicOf(sc))
	}
	if m, ok := v.(map[string]any); ok {
		for _, key := range []string{"dependentSchemas", "dependencies"} {
			for name, dependent := range n.named[key] {
				if _, ok := m[name]; ok {
					all = append(all, dependent)
				}
			}
		}
	}
	for _, sub := range all {
		t, err := c.check(sub, v, path, sc)
		if err != nil {
			return s, err
		}
		s.add(t)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if list := n.many[key]; list != nil {
			if err := c.some(key, list, v, path, sc, &s); err != nil {
				return s, err
			}
		}
	}
	if sub := n.one["not"]; sub != nil {
		if _, err := c.check(sub, v, path, sc); err == nil {
			return s, &Error{path, "fits what it must not"}
		} else if err == errSteps {
			return s, err
		}
	}
	if sub := n.one["if"]; sub != nil {
		t, err := c.check(sub, v, path, sc)
		next := n.one["then"]
		switch {
		case err == errSteps:
			return s, err
		case err == nil:
			s.add(t)
		default:
			next = n.one["else"]
		}
		if next != nil {
			t, err := c.check(next, v, path, sc)
			if err != nil {
				return s, err
			}
			s.add(t)
		}
	}
	return s, nil
}

// some obeys anyOf and oneOf.
func (c *checker) some(key string, list []*node, v any, path string, sc *scope, s *seen) error {
	fits := 0
	var first error
	for _, sub := range list {
		t, err := c.check(sub, v, path, sc)
		switch {
		case err == nil:
			fits++
			s.add(t)
		case err == errSteps:
			return err
		case first == nil:
			first = err
		}
	}
	switch {
	case fits == 0 && len(list) == 1:
		return first
	case fits == 0:
		return &Error{path, "fits none of " + strconv.Itoa(len(list)) + " alternatives"}
	case fits > 1 && key == "oneOf":
		return &Error{path, "fits " + strconv.Itoa(fits) + " alternatives, not one"}
	}
	return nil
}

func (n *node) checkNumber(v json.Number, path string) error {
	for key, bad := range map[string]func(order int) bool{
		"minimum":          func(order int) bool { return order < 0 },
		"maximum":          func(order int) bool { return order > 0 },
		"exclusiveMinimum": func(order int) bool { return order <= 0 },
		"exclusiveMaximum": func(order int) bool { return order >= 0 },
	} {
		if limit, ok := n.keywords[key].(json.Number); ok && bad(compare(v, limit)) {
			return &Error{path, string(v) + " is beyond the " + key + " " + string(limit)}
		}
	}
	if step, ok := n.keywords["multipleOf"].(json.Number); ok && !isMultiple(v, step) {
		return &Error{path, string(v) + " is no multiple of " + string(step)}
	}
	return nil
}

// number returns the exact value of a number, or nil when that would take too
// much memory.
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

// count returns the value of a keyword that is a number of something.
func (n *node) count(key string) (count int, ok bool) {
	v, ok := n.keywords[key].(json.Number)
	if !ok {
		return 0, false
	}
	f, err := v.Float64()
	if err != nil || f < 0 || f > math.MaxInt32 {
		return 0, false
	}
	return int(f), true
}

// checkCount obeys the limits on how many there are of something.
func (n *node) checkCount(have int, least, most, what, path string) error {
	if want, ok := n.count(least); ok && have < want {
		return &Error{path, fmt.Sprintf("%d %s, want %d at least", have, what, want)}
	}
	if want, ok := n.count(most); ok && have > want {
		return &Error{path, fmt.Sprintf("%d %s, want %d at most", have, what, want)}
	}
	return nil
}

func (n *node) checkString(v, path string) error {
	if err := n.checkCount(utf8.RuneCountInString(v), "minLength", "maxLength", "characters", path); err != nil {
		return err
	}
	if s, ok := n.keywords["pattern"].(string); ok && n.patterns[s] != nil && !n.patterns[s].MatchString(v) {
		return &Error{path, "does not match " + s}
	}
	return nil
}

func (c *checker) checkObject(n *node, v map[string]any, path string, sc *scope, s *seen) error {
	if err := n.checkCount(len(v), "minProperties", "maxProperties", "members", path); err != nil {
		return err
	}
	if err := n.checkRequired(v, path); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		at := path + "/" + pointerEscaper.Replace(name)
		if sub := n.one["propertyNames"]; sub != nil {
			if _, err := c.check(sub, name, at, sc); err != nil {
				return err
			}
		}
		known := false
		var subs []*node
		if sub := n.named["properties"][name]; sub != nil {
			subs, known = append(subs, sub), true
		}
		for pattern, sub := range n.named["patternProperties"] {
			if re := n.patterns[pattern]; re == nil || re.MatchString(name) {
				known = true
				if re != nil {
					subs = append(subs, sub)
				}
			}
		}
		if sub := n.one["additionalProperties"]; sub != nil && !known {
			subs, known = append(subs, sub), true
		}
		if sub := n.one["unevaluatedProperties"]; sub != nil && !known && !s.names[name] {
			subs, known = append(subs, sub), true
		}
		for _, sub := range subs {
			if _, err := c.check(sub, v[name], at, sc); err != nil {
				return err
			}
		}
		if known {
			s.name(name)
		}
	}
	return nil
}

// checkRequired obeys the keywords that say which members must be there.
func (n *node) checkRequired(v map[string]any, path string) error {
	lists := []any{n.keywords["required"]}
	for _, key := range []string{"dependentRequired", "dependencies"} {
		members, _ := n.keywords[key].(map[string]any)
		for name, list := range members {
			if _, ok := v[name]; ok {
				lists = append(lists, list)
			}
		}
	}
	for _, raw := range lists {
		list, _ := raw.([]any)
		for _, one := range list {
			name, ok := one.(string)
			if _, there := v[name]; ok && !there {
				return &Error{path, "lacks " + strconv.Quote(name)}
			}
		}
	}
	return nil
}

func (c *checker) checkList(n *node, v []any, path string, sc *scope, s *seen) error {
	if err := n.checkCount(len(v), "minItems", "maxItems", "items", path); err != nil {
		return err
	}
	if unique, _ := n.keywords["uniqueItems"].(bool); unique {
		for i := range v {
			for j := range i {
				if c.steps--; c.steps < 0 {
					return errSteps
				}
				if equal(v[i], v[j]) {
					return &Error{path, fmt.Sprintf("items %d and %d are the same", j, i)}
				}
			}
		}
	}
	first, rest := n.many["prefixItems"], n.one["items"]
	if list := n.many["items"]; list != nil {
		first, rest = list, n.one["additionalItems"]
	}
	found := 0
	for i := range v {
		at := path + "/" + strconv.Itoa(i)
		sub := rest
		if i < len(first) {
			sub = first[i]
		}
		if sub != nil {
			if _, err := c.check(sub, v[i], at, sc); err != nil {
				return err
			}
			s.item(i)
		}
		if contains := n.one["contains"]; contains != nil {
			switch _, err := c.check(contains, v[i], at, sc); err {
			case nil:
				found++
				s.item(i)
			case errSteps:
				return err
			}
		}
	}
	if n.one["contains"] != nil {
		least, ok := n.count("minContains")
		if !ok {
			least = 1
		}
		most, ok := n.count("maxContains")
		if found < least || ok && found > most {
			return &Error{path, fmt.Sprintf("%d items of the kind that is asked for", found)}
		}
	}
	if sub := n.one["unevaluatedItems"]; sub != nil {
		for i := range v {
			if s.items[i] {
				continue
			}
			if _, err := c.check(sub, v[i], path+"/"+strconv.Itoa(i), sc); err != nil {
				return err
			}
			s.item(i)
		}
	}
	return nil
}

// equal reports whether two values are the same, as JSON Schema sees it.
func equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && compare(a, b) == 0
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equal)
	}
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}
