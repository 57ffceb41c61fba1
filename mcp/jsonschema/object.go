package jsonschema

import "strconv"

func (c *checker) checkObject(n *node, v value, sc *scope, start int) bool {
	if !c.checkCount(n, v, "minProperties", "maxProperties", "members") || !c.checkRequired(n, v) {
		return false
	}
	names, others, rest := n.one.get("propertyNames"), n.one.get("additionalProperties"), n.one.get("unevaluatedProperties")
	if n.properties == nil && n.patternProperties == nil && names == nil && others == nil && rest == nil {
		return c.err == nil
	}
	if !c.spend(perPart * v.width()) {
		return false
	}
	var before evaluated
	if rest != nil {
		before = c.evaluated(v, start)
	}
	i := -1
	for name, member := range v.members() {
		i++
		if names != nil && !c.checkPart(names, name, sc) {
			return false
		}
		known, ok := c.checkMember(n, name, member, sc)
		if ok && !known && others != nil {
			known, ok = true, c.checkPart(others, member, sc)
		}
		if ok && !known && rest != nil && !before.has(i) {
			known, ok = true, c.checkPart(rest, member, sc)
		}
		if !ok {
			return false
		}
		if known {
			c.mark(i)
		}
	}
	return c.err == nil
}

// checkMember checks the keywords for members of certain names. It reports whether one
// of them is for this member, and whether the member fits.
func (c *checker) checkMember(n *node, name, member value, sc *scope) (known, ok bool) {
	if !c.spend(perSearch + name.length()) {
		return false, false
	}
	if sub := n.properties[name.text()]; sub != nil {
		if known = true; !c.checkPart(sub, member, sc) {
			return true, false
		}
	}
	for _, p := range n.patternProperties {
		switch {
		case !p.pattern.supported(&c.budget):
			known = c.spend(perPart)
		case c.matches(p.pattern, name.text()):
			if known = true; !c.checkPart(p.node, member, sc) {
				return true, false
			}
		}
		if c.err != nil {
			return false, false
		}
	}
	return known, true
}

// checkRequired checks the keywords that require members.
func (c *checker) checkRequired(n *node, v value) bool {
	if !c.checkNames(n.keywords.get("required"), v) {
		return false
	}
	for _, keyword := range [...]string{"dependentRequired", "dependencies"} {
		lists := n.keywords.get(keyword)
		if lists.kind() != object {
			continue
		}
		if !c.spend(perPart * lists.width()) {
			return false
		}
		for name, list := range lists.members() {
			if c.has(v, name) && !c.checkNames(list, v) {
				return false
			}
		}
	}
	return c.err == nil
}

// checkNames checks that v has the members that a list names.
func (c *checker) checkNames(names, v value) bool {
	for _, name := range names.items() {
		if name.kind() != text {
			if !c.spend(perPart) {
				return false
			}
		} else if !c.has(v, name) {
			return c.fail(v, func() string { return strconv.Quote(short(name.text())) + " is missing" })
		}
	}
	return c.err == nil
}

// has reports whether an object has a member.
func (c *checker) has(v, name value) bool {
	return c.spend(perSearch+name.length()) && v.member(name.text()).kind() != absent
}
