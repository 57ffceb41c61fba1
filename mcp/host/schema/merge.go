package schema

import "slices"

// A view is what a schema says about the members of an object.
type view struct {
	properties, patterns *node // nil if there are none
	required             []string
	rest                 *node // the schema of other members; nil if there is none

	ownProperties, ownPatterns bool // they are copies, which both may change
}

// take takes the sizes of schemas from the budget, and reports whether it suffices.
// References and unions can repeat large schemas thousands of times.
//
//go:noinline
func (w *walker) take(list ...*node) bool {
	for _, n := range list {
		w.budget -= n.size()
	}
	return w.budget >= 0
}

// text returns a value as JSON, whose length it takes from the budget. Without a budget, the
// schema is refused, and the text is empty.
func (w *walker) text(n *node) string {
	if w.budget < 0 {
		return ""
	}
	text := string(n.append(nil))
	w.budget -= len(text)
	return text
}

// view returns the view of a schema. ok is false if no object is valid. open has the
// schemas that are being viewed, and variants receives those of the last union.
func (w *walker) view(n *node, open []*node, variants *[]view) (v view, ok bool) {
	if kind := n.get("type"); n == nil || n.raw == "false" || kind != nil && !isKind(kind, "object") {
		return v, false
	}
	if slices.Contains(open, n) || !w.take(n) {
		return v, true
	}
	open = append(open[:len(open):len(open)], n)
	v.properties, v.patterns = n.get("properties"), n.get("patternProperties")
	v.required = n.get("required").texts()
	if rest := n.get("additionalProperties"); rest.isSchema() {
		v.rest = rest
	}
	if ref, isText := n.get("$ref").text(); isText {
		if target := w.resolve(ref); target != nil {
			other, fits := w.view(target, open, variants)
			v, ok = w.both(v, other), fits
			if !ok {
				return v, false
			}
		}
	}
	if all := n.get("allOf"); all != nil && all.array {
		for _, part := range w.unlike(all.items) {
			if variants != nil {
				w.loseOthers(part)
			}
			other, fits := w.view(part, open, variants)
			if !fits {
				return v, false
			}
			v = w.both(v, other)
		}
	}
	for _, key := range [...]string{"anyOf", "oneOf"} {
		some := n.get(key)
		if some == nil || !some.array {
			continue
		}
		var list []view
		for _, part := range w.unlike(some.items) {
			if other, fits := w.view(part, open, nil); fits {
				list = append(list, other)
			}
		}
		if len(list) == 0 {
			return v, false
		}
		if variants != nil {
			*variants = list
		}
		v = w.both(v, w.either(list))
	}
	return v, true
}

// unlike returns the targets of references and the other schemas once each.
func (w *walker) unlike(list []*node) []*node {
	seen := make(map[*node]bool)
	out := make([]*node, 0, len(list))
	for _, n := range list {
		if ref, ok := n.get("$ref").text(); ok && len(n.keys) == 1 {
			target := w.resolve(ref)
			if seen[target] {
				continue
			}
			if target != nil {
				seen[target] = true
				n = target
			}
		}
		out = append(out, n)
	}
	return out
}

// perName is the part of the budget that a name in a list costs when it is copied.
const perName = 64

// both returns the view of a schema with the restrictions of a and b.
func (w *walker) both(a, b view) view {
	a.properties = w.together(a.properties, b.properties, &a.ownProperties)
	a.patterns = w.together(a.patterns, b.patterns, &a.ownPatterns)
	if len(b.required) > 0 {
		w.budget -= perName * (len(a.required) + len(b.required))
		a.required = unique(append(slices.Clone(a.required), b.required...))
	}
	if a.rest == nil || b.rest != nil && b.rest.raw == "false" {
		a.rest = b.rest
	}
	return a
}

// together returns the members of a and b. own reports whether a, and then the result, may be
// changed.
func (w *walker) together(a, b *node, own *bool) *node {
	switch {
	case !b.isObject():
		return a
	case !a.isObject():
		*own = false
		return b
	case !*own:
		a, *own = a.clone(), true
	}
	for i, key := range b.keys {
		v := b.items[i]
		if old := a.get(key); old != nil {
			v = w.allOf(old, v)
		}
		a.set(key, v)
	}
	return a
}

// allOf returns a schema for what both a and b accept.
func (w *walker) allOf(a, b *node) *node {
	switch {
	case isAny(a) || !w.take(a, b):
		return b
	case isAny(b), a == b:
		return a
	}
	var list []*node
	if all := a.get("allOf"); all != nil && all.array && len(a.keys) == 1 {
		list = slices.Clip(all.items)
	} else if w.text(a) == w.text(b) {
		return a
	} else {
		list = []*node{a}
	}
	if isSimple(a) && isSimple(b) {
		out := a.clone()
		for i, key := range b.keys {
			if old := out.get(key); old == nil {
				out.set(key, b.items[i])
			} else if old.raw != b.items[i].raw && traitsOf(key)&annotation == 0 {
				out = nil
				break
			}
		}
		if out != nil {
			return out
		}
	}
	out := object()
	out.set("allOf", &node{array: true, items: append(list, b)})
	return out
}

// isAny reports whether a schema accepts everything and says nothing.
func isAny(n *node) bool { return n.raw == "true" || n.isObject() && len(n.keys) == 0 }

// isSimple reports whether the keywords of a schema are independent of each other.
func isSimple(n *node) bool {
	return n.isObject() && !slices.ContainsFunc(n.keys, func(key string) bool { return traitsOf(key)&simple == 0 })
}

// either returns the view of a schema that accepts what one of the variants accepts, as
// long as it has only members that the variant declares.
func (w *walker) either(list []view) view {
	if len(list) == 1 {
		return list[0]
	}
	out := view{properties: object(), patterns: object()}
	for _, v := range list {
		for _, name := range v.properties.names() {
			if out.properties.get(name) == nil {
				out.properties.set(name, w.declared(list, name, false))
			}
		}
		for _, pattern := range v.patterns.names() {
			if s := w.declared(list, pattern, true); s != nil && out.patterns.get(pattern) == nil {
				out.patterns.set(pattern, s)
			}
		}
	}
	requiring := make(map[string]int)
	for _, v := range list {
		for _, name := range unique(slices.Clone(v.required)) {
			requiring[name]++
		}
	}
	out.required = slices.DeleteFunc(slices.Clone(list[0].required), func(name string) bool { return requiring[name] < len(list) })
	var rest []*node
	for _, v := range list {
		if v.rest == nil || isAny(v.rest) {
			return out
		}
		if v.rest.raw != "false" {
			rest = append(rest, v.rest)
		}
	}
	if out.rest = scalar("false"); len(rest) > 0 {
		out.rest = w.anyOf(rest)
	}
	return out
}

// declared returns the schema of a member in the variants that declare it. For a pattern
// it is nil if a variant allows any member.
func (w *walker) declared(list []view, name string, pattern bool) *node {
	var schemas []*node
	for _, v := range list {
		of := v.properties
		if pattern {
			of = v.patterns
		}
		if s := of.get(name); s != nil {
			schemas = append(schemas, s)
		} else if v.rest.isObject() {
			schemas = append(schemas, v.rest)
		} else if pattern && (v.rest == nil || v.rest.raw != "false") {
			return nil
		}
	}
	return w.anyOf(schemas)
}

// anyOf returns a schema for what one of a list accepts.
func (w *walker) anyOf(list []*node) *node {
	if !w.take(list...) {
		return list[0]
	}
	if list = w.distinct(list); len(list) == 1 {
		return list[0]
	}
	if i := slices.IndexFunc(list, isAny); i >= 0 {
		return list[i]
	}
	if n := oneEnum(list); n != nil {
		return n
	}
	out := object()
	out.set("anyOf", &node{array: true, items: list})
	return out
}

// oneEnum returns one enum for a list of constants and enums, or nil.
func oneEnum(list []*node) *node {
	out, values := object(), &node{array: true}
	var kind, description *node
	for i, n := range list {
		some := enumerated(n)
		if len(some) == 0 || n.get("const") != nil && n.get("enum") != nil {
			return nil
		}
		values.items = append(values.items, some...)
		for j, key := range n.keys {
			switch v := n.items[j]; key {
			case "description":
				if description != nil && description.raw != v.raw {
					return nil
				}
				description = v
			case "const", "enum", "title", "default", "type":
			default:
				return nil
			}
		}
		if t := n.get("type"); i == 0 {
			kind = t
		} else if kind == nil || t == nil || t.raw == "" || t.raw != kind.raw {
			kind = nil
		}
	}
	if values.items = distinct(values.items); kind != nil {
		out.set("type", kind)
	} else if len(values.texts()) == len(values.items) {
		out.set("type", quoted("string"))
	}
	if out.set("enum", values); description != nil {
		out.set("description", description)
	}
	return out
}

func (n *node) names() []string {
	if n == nil {
		return nil
	}
	return n.keys
}

// mendRoot returns the root as an object with properties and without a union.
func (w *walker) mendRoot(root *node) *node {
	kind := root.get("type")
	if s, _ := kind.text(); s != "object" {
		w.breaks(ruleRoot)
		if kind != nil && !isKind(kind, "object") || !root.isObject() {
			root = object() // no object is valid
			w.root = root
		}
	}
	for _, key := range [...]string{"enum", "not"} {
		if v := root.get(key); v != nil && w.breaksAt(ruleRootValues, key) {
			root.remove(key)
			w.loseKeyword(root, key, v)
		}
	}
	union := false
	for _, key := range rootUnions {
		union = root.get(key) != nil && w.breaksAt(ruleRootUnion, key) || union
	}
	if union {
		var variants []view
		v, _ := w.view(root, nil, &variants)
		n := root.clone()
		for range 8 { // the target may be a reference, too
			ref, ok := n.get("$ref").text()
			if n.remove("$ref"); ok {
				overlay(n, w.resolve(ref))
			}
		}
		for _, key := range rootUnions {
			n.remove(key)
		}
		for i := len(n.keys) - 1; i >= 0; i-- { // of the target
			key := n.keys[i]
			traits := traitsOf(key)
			values := applies[ruleRootValues]&w.target != 0 && (key == "enum" || key == "not")
			if values || traits&ofTypes&^ofObject != 0 || (traits&form == idValue || traits&form == anchor) && root.get(key) == nil {
				n.remove(key)
			}
		}
		n.replace("properties", v.properties)
		n.replace("required", textNodes(v.required))
		n.replace("patternProperties", v.patterns)
		n.remove("additionalProperties")
		if v.rest != nil && !isAny(v.rest) {
			n.set("additionalProperties", v.rest)
		}
		w.loseVariants(variants)
		root = n
	}
	root.set("type", quoted("object"))
	if !root.get("properties").isObject() && w.breaks(ruleProperties) {
		root.set("properties", object())
	}
	return root
}

var rootUnions = [...]string{"$ref", "allOf", "anyOf", "oneOf"}

// breaksAt is breaks for a keyword.
func (w *walker) breaksAt(r ruleID, key string) bool {
	before := w.enter(key)
	broken := w.breaks(r)
	w.path = before
	return broken
}

// replace sets a member, or removes it if its value is empty.
func (n *node) replace(key string, v *node) {
	if v != nil && len(v.items) > 0 {
		n.set(key, v)
	} else if key != "properties" {
		n.remove(key)
	}
}
