package jsonschema

import (
	"fmt"
	"math"
	"unicode/utf8"
)

// count returns the value of a keyword that limits a number.
func (n *node) count(key string) (count int, ok bool) {
	v, ok := n.keywords[key].(number)
	if !ok {
		return 0, false
	}
	f := v.float()
	if f < 0 || f > math.MaxInt32 {
		return 0, false
	}
	return int(f), true
}

// checkCount checks a number against the keywords for its minimum and maximum.
func (n *node) checkCount(have int, least, most, what, path string) error {
	if want, ok := n.count(least); ok && have < want {
		return &Error{path, fmt.Sprintf("%d %s, want at least %d", have, what, want)}
	}
	if want, ok := n.count(most); ok && have > want {
		return &Error{path, fmt.Sprintf("%d %s, want at most %d", have, what, want)}
	}
	return nil
}

func (c *checker) checkString(n *node, v, path string) error {
	if err := n.checkCount(utf8.RuneCountInString(v), "minLength", "maxLength", "characters", path); err != nil {
		return err
	}
	s, ok := n.keywords["pattern"].(string)
	if p := n.pattern(s); ok && p != nil {
		ok, err := c.matches(p, v)
		if err == nil && !ok {
			err = &Error{path, "does not match " + s}
		}
		return err
	}
	return nil
}
