package jsonschema

import (
	"context"
	"errors"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp"
)

// maxNesting limits recursion of a schema that refers to itself.
const maxNesting = 10_000

// An Error reports where and why a value does not fit its schema. It quotes at most
// 256 bytes of a name or another text. A Path of more than 4 KiB ends with "/…". The text
// of the error has ? for characters that cannot be printed.
type Error struct {
	Path   string // JSON Pointer into the value; empty for the whole value
	Reason string
}

func (e *Error) Error() string {
	text := e.Reason
	if e.Path != "" {
		text = e.Path + ": " + text
	}
	return diag.Printable(text, 0)
}

// Validate validates a value until ctx ends. The error is an *[Error] if the value
// does not fit. It is another error if the value is not valid JSON, if validation
// takes too many steps, or if ctx has ended, in which case the error matches the
// cause.
func (s *Schema) Validate(ctx context.Context, text mcp.RawMessage) error {
	return s.validate(&checker{budget: newBudget(ctx, "validating the value")}, text)
}

func (s *Schema) validate(c *checker, text mcp.RawMessage) error {
	doc, err := decode(text, &c.budget)
	if err != nil {
		return err
	}
	if s == nil || s.root == nil {
		return nil
	}
	c.marking = s.marks
	c.check(s.root, value{doc, 0}, nil)
	return c.err
}

// A checker validates one value.
type checker struct {
	budget
	depth   int
	quiet   int     // above 0, a misfit is not the result, and needs no error
	marking bool    // the schema needs marks
	marks   []int32 // which members or items of the value have been evaluated
}

// A scope is the dynamic scope: the resources on the way to a schema, innermost
// first.
type scope struct {
	res   *resource
	outer *scope
}

// fail stops validation with the error that v does not fit, unless a keyword such as
// not asks whether it does. It returns false.
func (c *checker) fail(v value, reason func() string) bool {
	if c.quiet == 0 && c.err == nil {
		c.stop(&Error{v.path(), reason()})
	}
	return false
}

var errNesting = errors.New("validating the value takes too many steps: more than " + strconv.Itoa(maxNesting) + " within each other")

// check reports whether a value fits a schema. If it does not, the marks are those
// from before.
func (c *checker) check(n *node, v value, outer *scope) bool {
	if !c.spend(perStep) {
		return false
	}
	if n.never {
		return c.fail(v, func() string { return "no value is allowed here" })
	}
	if c.depth++; c.depth > maxNesting {
		c.stop(errNesting)
		return false
	}
	sc := outer
	if outer == nil || outer.res != n.res {
		sc = &scope{n.res, outer}
	}
	start := len(c.marks)
	ok := c.checkKind(n, v) && c.checkApplicators(n, v, sc) && c.checkParts(n, v, sc, start)
	if !ok {
		c.marks = c.marks[:start]
	}
	c.depth--
	return ok
}

// checkParts checks the keywords for one kind of values. The marks from start on are
// of the same value.
func (c *checker) checkParts(n *node, v value, sc *scope, start int) bool {
	switch v.kind() {
	case numeric:
		return c.checkNumber(n, v)
	case text:
		return c.checkString(n, v)
	case object:
		return c.checkObject(n, v, sc, start)
	case list:
		return c.checkList(n, v, sc, start)
	}
	return true
}

// checkPart reports whether a part of a value fits a schema.
func (c *checker) checkPart(n *node, part value, sc *scope) bool {
	start := len(c.marks)
	ok := c.check(n, part, sc)
	c.marks = c.marks[:start]
	return ok
}

// quietly is check for a keyword that asks whether the value fits.
func (c *checker) quietly(n *node, v value, sc *scope) bool {
	c.quiet++
	ok := c.check(n, v, sc)
	c.quiet--
	return ok
}

// checkKind checks type, enum and const.
func (c *checker) checkKind(n *node, v value) bool {
	if n.kinds != 0 && !c.isKind(v, n.kinds) {
		return c.fail(v, func() string { return "want " + n.kinds.String() + ", got " + v.kind().String() })
	}
	if enum := n.keywords.get("enum"); enum.kind() == list && !c.isOneOf(v, enum) {
		return c.fail(v, func() string { return "not one of the allowed values" })
	}
	if one := n.keywords.get("const"); one.kind() != absent && !c.equal(v, one) {
		return c.fail(v, func() string { return "not the required value" })
	}
	return c.err == nil
}

func (c *checker) isOneOf(v, enum value) bool {
	for _, one := range enum.items() {
		if c.equal(v, one) || c.err != nil {
			return true
		}
	}
	return false
}

// dynamicOf returns the target of $dynamicRef: the outermost schema in the
// dynamic scope that has the anchor.
func (c *checker) dynamicOf(n *node, sc *scope) *node {
	to := n.dynamic
	if to.res.dynamic[n.anchor] != to {
		return to
	}
	for ; sc != nil && c.spend(perPart+len(n.anchor)); sc = sc.outer {
		if found := sc.res.dynamic[n.anchor]; found != nil {
			to = found
		}
	}
	return to
}

// checkApplicators checks the keywords that apply subschemas to the value
// itself.
func (c *checker) checkApplicators(n *node, v value, sc *scope) bool {
	for _, sub := range n.many.get("allOf") {
		if !c.check(sub, v, sc) {
			return false
		}
	}
	if n.ref != nil && !c.check(n.ref, v, sc) {
		return false
	}
	if n.dynamic != nil && !c.check(c.dynamicOf(n, sc), v, sc) {
		return false
	}
	if v.kind() == object {
		for _, d := range n.dependents {
			if !c.spend(perSearch + len(d.name)) {
				return false
			}
			if v.member(d.name).kind() != absent && !c.check(d.node, v, sc) {
				return false
			}
		}
	}
	if !c.checkAlternatives(n, "anyOf", v, sc) || !c.checkAlternatives(n, "oneOf", v, sc) {
		return false
	}
	if sub := n.one.get("not"); sub != nil && c.quietly(sub, v, sc) {
		return c.fail(v, func() string { return "fits a schema that it must not fit" })
	}
	if sub := n.one.get("if"); sub != nil {
		next := n.one.get("else")
		if c.quietly(sub, v, sc) {
			next = n.one.get("then")
		}
		if next != nil && !c.check(next, v, sc) {
			return false
		}
	}
	return c.err == nil
}

func (c *checker) checkAlternatives(n *node, keyword string, v value, sc *scope) bool {
	alternatives := n.many.get(keyword)
	switch len(alternatives) {
	case 0:
		return alternatives == nil || c.fail(v, func() string { return "fits none of 0 schemas" })
	case 1:
		return c.check(alternatives[0], v, sc)
	}
	fits := 0
	for _, sub := range alternatives {
		if c.quietly(sub, v, sc) {
			fits++
		}
		if c.err != nil {
			return false
		}
	}
	switch {
	case fits == 0:
		return c.fail(v, func() string { return "fits none of " + strconv.Itoa(len(alternatives)) + " schemas" })
	case fits > 1 && keyword == "oneOf":
		return c.fail(v, func() string { return "fits " + strconv.Itoa(fits) + " schemas, want 1" })
	}
	return true
}
