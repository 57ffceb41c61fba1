package jsonschema

import (
	"maps"
	"slices"
	"strconv"
)

func (c *checker) checkObject(n *node, v map[string]any, path string, sc *scope, s *evaluated) error {
	if err := n.checkCount(len(v), "minProperties", "maxProperties", "members", path); err != nil {
		return err
	}
	if err := c.checkRequired(n, v, path); err != nil {
		return err
	}
	if !n.looksAtMembers() {
		return nil
	}
	if err := c.spend(len(v) / perPart); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		at := path + "/" + pointerEscaper.Replace(name)
		if sub := n.one["propertyNames"]; sub != nil {
			if _, err := c.check(sub, name, at, sc); err != nil {
				return err
			}
		}
		subs, known, err := c.member(n, name, s)
		if err != nil {
			return err
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

// looksAtMembers reports whether the node has a keyword for the members of an object.
func (n *node) looksAtMembers() bool {
	return n.named["properties"] != nil || n.named["patternProperties"] != nil ||
		n.one["propertyNames"] != nil || n.one["additionalProperties"] != nil || n.one["unevaluatedProperties"] != nil
}

// member returns the schemas for a member, and whether a keyword evaluates it.
func (c *checker) member(n *node, name string, s *evaluated) (subs []*node, known bool, err error) {
	if sub := n.named["properties"][name]; sub != nil {
		subs, known = append(subs, sub), true
	}
	for pattern, sub := range n.named["patternProperties"] {
		p := n.pattern(pattern)
		if p == nil {
			known = true // not supported
			continue
		}
		ok, err := c.matches(p, name)
		if err != nil {
			return nil, false, err
		}
		if ok {
			subs, known = append(subs, sub), true
		}
	}
	if sub := n.one["additionalProperties"]; sub != nil && !known {
		subs, known = append(subs, sub), true
	}
	if sub := n.one["unevaluatedProperties"]; sub != nil && !known && !s.names[name] {
		subs, known = append(subs, sub), true
	}
	return subs, known, nil
}

// checkRequired checks the keywords that require members.
func (c *checker) checkRequired(n *node, v map[string]any, path string) error {
	lists := []any{n.keywords["required"]}
	for _, key := range []string{"dependentRequired", "dependencies"} {
		members, _ := n.keywords[key].(map[string]any)
		if err := c.spend(len(members) / perPart); err != nil {
			return err
		}
		for name, list := range members {
			if _, ok := v[name]; ok {
				lists = append(lists, list)
			}
		}
	}
	for _, raw := range lists {
		list, _ := raw.([]any)
		if err := c.spend(len(list) / perPart); err != nil {
			return err
		}
		for _, one := range list {
			name, ok := one.(string)
			if _, there := v[name]; ok && !there {
				return &Error{path, strconv.Quote(name) + " is missing"}
			}
		}
	}
	return nil
}
