package jsonschema

import (
	"fmt"
	"strconv"
)

func (c *checker) checkList(n *node, v []any, path string, sc *scope, s *evaluated) error {
	if err := n.checkCount(len(v), "minItems", "maxItems", "items", path); err != nil {
		return err
	}
	if unique, _ := n.keywords["uniqueItems"].(bool); unique {
		if err := c.checkUnique(v, path); err != nil {
			return err
		}
	}
	first, rest := n.many["prefixItems"], n.one["items"]
	if list := n.many["items"]; list != nil {
		first, rest = list, n.one["additionalItems"]
	}
	for i := range v {
		sub := rest
		if i < len(first) {
			sub = first[i]
		}
		if sub == nil {
			continue
		}
		if err := c.checkItem(sub, v, i, path, sc, s); err != nil {
			return err
		}
	}
	if sub := n.one["contains"]; sub != nil {
		if err := c.checkContains(n, sub, v, path, sc, s); err != nil {
			return err
		}
	}
	if sub := n.one["unevaluatedItems"]; sub != nil {
		for i := range v {
			if s.items[i] {
				continue
			}
			if err := c.checkItem(sub, v, i, path, sc, s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) checkItem(sub *node, v []any, i int, path string, sc *scope, s *evaluated) error {
	_, err := c.check(sub, v[i], path+"/"+strconv.Itoa(i), sc)
	s.item(i)
	return err
}

func (c *checker) checkUnique(v []any, path string) error {
	for i := range v {
		for j := range i {
			if err := c.spend(1); err != nil {
				return err
			}
			if c.equal(v[i], v[j]) {
				return &Error{path, fmt.Sprintf("items %d and %d are equal", j, i)}
			}
		}
	}
	return nil
}

// checkContains checks contains, whose schema is sub, and the limits on the
// number of matching items.
func (c *checker) checkContains(n, sub *node, v []any, path string, sc *scope, s *evaluated) error {
	found := 0
	for i := range v {
		switch _, err := c.check(sub, v[i], path+"/"+strconv.Itoa(i), sc); {
		case err == nil:
			found++
			s.item(i)
		case c.err != nil:
			return err
		}
	}
	least, ok := n.count("minContains")
	if !ok {
		least = 1
	}
	most, ok := n.count("maxContains")
	if found < least || ok && found > most {
		return &Error{path, fmt.Sprintf("%d items fit the schema of contains", found)}
	}
	return nil
}
