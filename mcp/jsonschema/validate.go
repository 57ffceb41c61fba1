package jsonschema

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/mcp"
)

const (
	// maxSteps limits the work for one value: the schemas that are applied to it
	// and its parts, the items that are compared, and the patterns that are
	// matched. It is about a second.
	maxSteps = 1_000_000

	// perPart is how many members or items, which are looked at without a schema of
	// their own, cost as much as a step.
	perPart = 4

	// stepsPerLook is how many steps are taken between two looks at the context.
	stepsPerLook = 1000

	// maxNesting limits recursion of a schema that refers to itself.
	maxNesting = 10_000
)

// An Error reports where and why a value does not fit its schema.
type Error struct {
	Path   string // JSON Pointer into the value; empty for the whole value
	Reason string
}

func (e *Error) Error() string {
	if e.Path == "" {
		return e.Reason
	}
	return e.Path + ": " + e.Reason
}

// Validate is ValidateContext with context.Background.
func (s *Schema) Validate(value mcp.RawMessage) error {
	return s.ValidateContext(context.Background(), value)
}

// ValidateContext validates a value until ctx ends. The error is an *[Error] if
// the value does not fit. It is another error if the value is not valid JSON,
// if validation takes more than a million steps, or if ctx has ended, in which
// case the error wraps the cause.
func (s *Schema) ValidateContext(ctx context.Context, value mcp.RawMessage) error {
	v, err := decode(value)
	if err != nil {
		return err
	}
	if s == nil || s.root == nil {
		return nil
	}
	c := &checker{ctx: ctx, steps: maxSteps}
	_, err = c.check(s.root, v, "", nil)
	return err
}

// A checker validates one value.
type checker struct {
	ctx   context.Context // of the one validation
	steps int             // that are left
	depth int
	err   error // why validation stopped, if it did
}

// spend takes steps from the budget. It returns an error, which remains, when
// there are none left or the context has ended.
func (c *checker) spend(n int) error {
	before := c.steps
	if c.steps -= n; c.err == nil && c.steps < 0 {
		c.err = errSteps
	}
	if c.err == nil && before/stepsPerLook != c.steps/stepsPerLook && c.ctx.Err() != nil {
		c.err = fmt.Errorf("validation stopped: %w", context.Cause(c.ctx))
	}
	return c.err
}

// A scope is the dynamic scope: the resources on the way to a schema, innermost
// first.
type scope struct {
	res   *resource
	outer *scope
}

// An evaluated holds the members and items that keywords have evaluated.
type evaluated struct {
	names map[string]bool
	items map[int]bool
}

func (s *evaluated) add(t evaluated) {
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

func (s *evaluated) name(name string) {
	if s.names == nil {
		s.names = make(map[string]bool)
	}
	s.names[name] = true
}

func (s *evaluated) item(i int) {
	if s.items == nil {
		s.items = make(map[int]bool)
	}
	s.items[i] = true
}

var errSteps = errors.New("validating the value takes too many steps")

// check validates the value at path.
func (c *checker) check(n *node, v any, path string, outer *scope) (s evaluated, err error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > maxNesting && c.err == nil {
		c.err = errSteps
	}
	if err := c.spend(1); err != nil {
		return s, err
	}
	if n.never {
		return s, &Error{path, "no value is allowed here"}
	}
	sc := outer
	if outer == nil || outer.res != n.res {
		sc = &scope{n.res, outer}
	}
	if err := c.checkKind(n, v, path); err != nil {
		return s, err
	}
	if s, err = c.checkApplicators(n, v, path, sc); err != nil {
		return s, err
	}
	switch v := v.(type) {
	case number:
		err = n.checkNumber(v, path)
	case string:
		err = c.checkString(n, v, path)
	case map[string]any:
		err = c.checkObject(n, v, path, sc, &s)
	case []any:
		err = c.checkList(n, v, path, sc, &s)
	}
	return s, err
}

// checkKind checks type, enum and const.
func (c *checker) checkKind(n *node, v any, path string) error {
	switch want := n.keywords["type"].(type) {
	case string:
		if !isKind(v, want) {
			return &Error{path, "want " + want + ", got " + kindOf(v)}
		}
	case []any:
		if err := c.spend(len(want) / perPart); err != nil {
			return err
		}
		if !slices.ContainsFunc(want, func(one any) bool { s, _ := one.(string); return isKind(v, s) }) {
			return &Error{path, fmt.Sprint("want one of ", want, ", got ", kindOf(v))}
		}
	}
	enum, ok := n.keywords["enum"].([]any)
	if err := c.spend(len(enum)); err != nil {
		return err
	}
	if ok && !slices.ContainsFunc(enum, func(one any) bool { return c.equal(v, one) }) {
		return &Error{path, "not one of the allowed values"}
	}
	if one, ok := n.keywords["const"]; ok && !c.equal(v, one) {
		return &Error{path, "not the required value"}
	}
	return nil
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case number:
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
		n, ok := v.(number)
		return ok && isWhole(n)
	}
	return kindOf(v) == kind
}

// dynamicOf returns the target of $dynamicRef: the outermost schema in the
// dynamic scope that has the anchor.
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

// checkApplicators checks the keywords that apply subschemas to the value
// itself.
func (c *checker) checkApplicators(n *node, v any, path string, sc *scope) (s evaluated, err error) {
	all := slices.Clone(n.many["allOf"])
	if n.ref != nil {
		all = append(all, n.ref)
	}
	if n.dynamic != nil {
		all = append(all, n.dynamicOf(sc))
	}
	if m, ok := v.(map[string]any); ok {
		for _, key := range []string{"dependentSchemas", "dependencies"} {
			if err := c.spend(len(n.named[key]) / perPart); err != nil {
				return s, err
			}
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
			if err := c.checkAlternatives(key, list, v, path, sc, &s); err != nil {
				return s, err
			}
		}
	}
	if sub := n.one["not"]; sub != nil {
		if _, err := c.check(sub, v, path, sc); err == nil {
			return s, &Error{path, "fits a schema that it must not fit"}
		} else if c.err != nil {
			return s, err
		}
	}
	if sub := n.one["if"]; sub != nil {
		t, err := c.check(sub, v, path, sc)
		next := n.one["then"]
		switch {
		case c.err != nil:
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

// checkAlternatives checks anyOf and oneOf.
func (c *checker) checkAlternatives(key string, list []*node, v any, path string, sc *scope, s *evaluated) error {
	fits := 0
	var first error
	for _, sub := range list {
		t, err := c.check(sub, v, path, sc)
		switch {
		case err == nil:
			fits++
			s.add(t)
		case c.err != nil:
			return err
		case first == nil:
			first = err
		}
	}
	switch {
	case fits == 0 && len(list) == 1:
		return first
	case fits == 0:
		return &Error{path, "fits none of " + strconv.Itoa(len(list)) + " schemas"}
	case fits > 1 && key == "oneOf":
		return &Error{path, "fits " + strconv.Itoa(fits) + " schemas, want 1"}
	}
	return nil
}

// equal reports whether two values are equal, and spends steps for long ones.
func (c *checker) equal(a, b any) bool {
	parts := 0
	same := equal(a, b, &parts)
	_ = c.spend(parts / perPart) // the caller looks at c.err
	return same
}

// equal reports whether two values are equal in JSON Schema's sense.
func equal(a, b any, parts *int) bool {
	*parts++
	same := func(a, b any) bool { return equal(a, b, parts) }
	switch a := a.(type) {
	case number:
		b, ok := b.(number)
		return ok && compare(a, b) == 0
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, same)
	}
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}
