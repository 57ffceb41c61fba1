package compat

import (
	"github.com/stdmcp/stdmcp/internal/wire"
)

func (c *comparer) compareObjects(path string, old, new view) {
	oldMust, newMust := c.required(path, old, new)
	a, b := old.member("properties"), new.member("properties")
	if a != nil && !a.isObject() || b != nil && !b.isObject() {
		if !c.equal(a, b) {
			c.unknown(path+"/properties", "properties is not an object", a, b)
		}
		return
	}
	oldRest, newRest := rest(old), rest(new)
	patterns := old.member("patternProperties") != nil || new.member("patternProperties") != nil
	if a != nil {
		for i, name := range a.keys {
			at := join(path+"/properties", name)
			switch other := b.member(name); {
			case isMaskedName(name):
				c.unknown(at, "the name of a property is masked in the recording", a.of[i], other)
			case other == nil && patterns:
				c.unknown(at, "a property was removed, and patternProperties may apply to it", a.of[i], nil)
			case other == nil:
				c.removed(at, a.of[i], newRest, oldMust[name] && !newMust[name])
			default:
				c.compare(at, view{a.of[i], 0}, view{other, 0})
			}
		}
	}
	if b != nil {
		for i, name := range b.keys {
			at := join(path+"/properties", name)
			switch {
			case a.member(name) != nil:
			case isMaskedName(name):
				c.unknown(at, "the name of a property is masked in the recording", nil, b.of[i])
			case patterns:
				c.unknown(at, "a property was added, and patternProperties may apply to it", nil, b.of[i])
			case oldMust[name]: // every caller sends it
				c.compare(at, view{oldRest, 0}, view{b.of[i], 0})
			default:
				c.added(at, b.of[i], oldRest, newMust[name])
			}
		}
	}
	for _, name := range c.names(new, newMust) {
		switch at := join(path+"/required", name); {
		case oldMust[name]:
		case a.member(name) == nil && b.member(name) != nil:
			c.narrow(at, "a new property is required", nil, b.member(name))
		default:
			c.narrow(at, "a property became required", nil, nil)
		}
	}
	for _, name := range c.names(old, oldMust) {
		if !newMust[name] && (a.member(name) == nil || b.member(name) != nil) {
			c.widen(join(path+"/required", name), "a property became optional", nil, nil)
		}
	}
	c.compareRest(path+"/additionalProperties", oldRest, newRest)
}

// rest returns the schema of the properties that are not named.
func rest(v view) *value {
	if s := v.member("additionalProperties"); s != nil {
		return s
	}
	return anything
}

// isOpen reports whether a schema permits everything.
func isOpen(v *value) bool { return v.is("true") || v.isObject() && len(v.keys) == 0 }

func (c *comparer) compareRest(path string, old, new *value) {
	switch {
	case same(old, new) && c.equal(old, new), isOpen(old) && isOpen(new):
	case old.is("false") && isOpen(new):
		c.widen(path, "the object was opened: other properties are allowed", old, new)
	case isOpen(old) && new.is("false"):
		c.narrow(path, "the object was closed: no other properties are allowed", old, new)
	default:
		c.compare(path, view{old, 0}, view{new, 0})
	}
}

// removed adds the change for a property that is not named any more. rest is the new
// schema of such properties.
func (c *comparer) removed(path string, old, rest *value, wasRequired bool) {
	switch {
	case c.side == output && wasRequired:
		c.add(Breaking, path, "a required property was removed", old, nil)
	case rest.is("false"):
		c.narrow(path, "a property was removed, and the object is closed", old, nil)
	case c.side == output:
		c.add(Breaking, path, "a property was removed, and the object is open", old, nil)
	default:
		c.unknown(path, "a property was removed; the server may ignore or use it", old, nil)
	}
}

// added adds the change for a property that was not named before. rest is the old
// schema of such properties.
func (c *comparer) added(path string, new, rest *value, required bool) {
	switch {
	case required && c.side == input && (rest.is("false") || isOpen(rest)): // is reported as required
	case rest.is("false"):
		c.widen(path, "an optional property was added", nil, new)
	case isOpen(rest) && c.shared && c.side == input:
		c.unknown(path, "a property was added, and another schema may name it, too", nil, new)
	case isOpen(rest):
		c.add(Noted, path, "an optional property was added", nil, new)
	default:
		c.add(Noted, path, "a property was added", nil, new)
		c.compare(path, view{rest, 0}, view{new, 0})
	}
}

// required returns the names of required properties. A value that is not a list of names
// is Unknown if it changes.
func (c *comparer) required(path string, old, new view) (a, b map[string]bool) {
	a, ok := nameSet(old.member("required"))
	b, ok2 := nameSet(new.member("required"))
	if (!ok || !ok2) && !same(old.member("required"), new.member("required")) {
		c.unknown(path+"/required", "required is not a list of names", old.member("required"), new.member("required"))
		return nil, nil
	}
	return a, b
}

func nameSet(list *value) (map[string]bool, bool) {
	if list == nil {
		return nil, true
	}
	if list.kind != wire.Array {
		return nil, false
	}
	set := make(map[string]bool, len(list.of))
	for _, name := range list.of {
		if name.kind != wire.String || name.masked {
			return nil, false
		}
		set[name.text] = true
	}
	return set, true
}

// names returns the required names in their order, each once.
func (c *comparer) names(v view, set map[string]bool) (names []string) {
	if set == nil {
		return nil
	}
	seen := make(map[string]bool, len(set))
	for _, name := range v.member("required").of {
		if !seen[name.text] {
			seen[name.text] = true
			names = append(names, name.text)
		}
	}
	return names
}
