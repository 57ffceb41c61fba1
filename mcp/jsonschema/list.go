package jsonschema

import (
	"math"
	"strconv"
)

func (c *checker) checkList(n *node, v value, sc *scope, start int) bool {
	if !c.checkCount(n, v, "minItems", "maxItems", "items") {
		return false
	}
	if n.keywords.get("uniqueItems").isTrue() && !c.checkUnique(v) {
		return false
	}
	first, rest := n.many.get("prefixItems"), n.one.get("items")
	if list := n.many.get("items"); list != nil {
		first, rest = list, n.one.get("additionalItems")
	}
	for i, item := range v.items() {
		sub := rest
		if i < len(first) {
			sub = first[i]
		}
		if sub == nil && i >= len(first) {
			break
		}
		if !c.checkPart(sub, item, sc) {
			return false
		}
		c.mark(i)
	}
	if sub := n.one.get("contains"); sub != nil && !c.checkContains(n, sub, v, sc) {
		return false
	}
	if sub := n.one.get("unevaluatedItems"); sub != nil {
		known := c.evaluated(v, start)
		for i, item := range v.items() {
			if !c.spend(perPart) {
				return false
			}
			if known.has(i) {
				continue
			}
			if !c.checkPart(sub, item, sc) {
				return false
			}
			c.mark(i)
		}
	}
	return c.err == nil
}

// checkContains checks contains, whose schema is sub, and the limits on the
// number of matching items.
func (c *checker) checkContains(n, sub *node, v value, sc *scope) bool {
	found := 0
	c.quiet++
	for i, item := range v.items() {
		if c.checkPart(sub, item, sc) {
			found++
			c.mark(i)
		}
		if c.err != nil {
			break
		}
	}
	c.quiet--
	least, most := 1, math.MaxInt
	for _, k := range n.counts {
		switch k.name {
		case "minContains":
			least = k.of
		case "maxContains":
			most = k.of
		}
	}
	if found < least || found > most {
		return c.fail(v, func() string { return strconv.Itoa(found) + " items fit the schema of contains" })
	}
	return true
}
