package jsonschema

import "fmt"

// checkCount checks a number against the keywords for its minimum and maximum.
func (c *checker) checkCount(n *node, v value, least, most, what string) bool {
	have := v.count()
	for i := range n.counts {
		switch want := n.counts[i].of; {
		case n.counts[i].name == least && have < want:
			return c.fail(v, func() string { return fmt.Sprintf("%d %s, want at least %d", have, what, want) })
		case n.counts[i].name == most && have > want:
			return c.fail(v, func() string { return fmt.Sprintf("%d %s, want at most %d", have, what, want) })
		}
	}
	return true
}

func (c *checker) checkString(n *node, v value) bool {
	if !c.checkCount(n, v, "minLength", "maxLength", "characters") {
		return false
	}
	if n.pattern == nil || !n.pattern.supported(&c.budget) || c.matches(n.pattern, v.text()) {
		return c.err == nil
	}
	return c.fail(v, func() string { return "does not match " + short(n.pattern.text) })
}
