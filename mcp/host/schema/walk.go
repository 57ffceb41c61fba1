package schema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/argnames"
)

// A walker finds what a provider would reject in a schema, and mends it.
type walker struct {
	root     *node
	target   target
	broken   bool    // the schema breaks a rule
	check    bool    // findings and path are wanted
	findings []found // in the order of the schema
	path     string  // of what is being walked, as a JSON Pointer
	budget   int     // bytes of schemas that may still be merged
	ids      map[string]*node
	refers   bool               // the schema has references
	bases    []*node            // schemas with an $id; with ids, set by the first reference that needs them
	moved    map[*node]string   // references to targets that are now definitions of the root
	lost     map[*node][]string // what mended schemas do not say; at nil what the root does not, for the description of the tool
}

// A found rule is one that a schema breaks.
type found struct {
	rule ruleID
	path string
	lost []string
}

// mend returns the schema as the provider accepts it.
func (w *walker) mend(root *node) (*node, error) {
	if w.root = root; root.isObject() {
		w.schema(root)
	}
	w.describeLost()
	root = w.mendRoot(root)
	w.breakCycles(root)
	w.describeLost()
	root, err := w.renameArguments(root)
	if err == nil && w.budget < 0 {
		err = ErrTooComplex
	}
	return root, err
}

// breaks reports whether the provider has a rule, which the value at the path breaks.
//
//go:noinline
func (w *walker) breaks(r ruleID) bool {
	if applies[r]&w.target == 0 {
		return false
	}
	if w.broken = true; w.check {
		w.findings = append(w.findings, found{rule: r, path: w.path})
	}
	return true
}

// enter adds a part to the path, and returns the path before.
//
//go:noinline
func (w *walker) enter(part string) (before string) {
	if before = w.path; w.check && w.budget >= 0 {
		w.path += "/" + strings.ReplaceAll(strings.ReplaceAll(part, "~", "~0"), "/", "~1")
		w.budget -= len(w.path)
	}
	return before
}

// schema mends a schema and those in it.
func (w *walker) schema(n *node) {
	for i := 0; i < len(n.keys); {
		key, v := n.keys[i], n.items[i]
		before := w.enter(key)
		if r, better := w.keyword(n, key, v); r != fine && w.breaks(r) {
			if better != nil {
				n.items[i] = better
			} else {
				n.remove(key)
				if _, isText := v.text(); (isText || v.isNumber()) && traitsOf(key)&annotation == 0 {
					w.loseKeyword(n, key, v)
				}
			}
		}
		w.path = before
		if i < len(n.keys) && n.keys[i] == key { // else it was removed
			i++
		}
	}
	if w.target&(gemini|vertex) != 0 && n.get("$ref") != nil {
		w.siblings(n)
	}
	kind := n.get("type")
	if isKind(kind, "array") && n.get("items") == nil && w.breaks(ruleItems) {
		n.set("items", object())
	}
	if w.target&strict != 0 && (isKind(kind, "object") || n.get("properties") != nil) {
		w.strictObject(n)
	}
}

// each calls visit for the schemas in n, at their paths. name is the member's in a keyword
// such as properties, and the index in a list.
func (w *walker) each(n *node, visit func(key, name string, v *node)) {
	for i, key := range n.keys {
		v, before := n.items[i], w.enter(key)
		switch traitsOf(key) & form {
		case schemaMembers, schemaList:
			for j, item := range v.items {
				name := strconv.Itoa(j)
				if !v.array {
					name = v.keys[j]
				}
				inner := w.enter(name)
				visit(key, name, item)
				w.path = inner
			}
		case schemaValue, itemsValue:
			visit(key, "", v)
		}
		w.path = before
	}
}

// strictObject finds what strict schemas require of objects.
func (w *walker) strictObject(n *node) {
	if v := n.get("additionalProperties"); v == nil || v.raw != "false" {
		w.breaks(ruleStrictClosed)
	}
	required := n.get("required").texts()
	before := w.enter("properties")
	for _, name := range n.get("properties").names() {
		if !slices.Contains(required, name) {
			inner := w.enter(name)
			w.breaks(ruleStrictRequired)
			w.path = inner
		}
	}
	w.path = before
}

// keyword checks a keyword and walks the schemas in it. If it breaks a rule, it returns
// the value to use instead, or nil if the keyword goes.
func (w *walker) keyword(n *node, key string, v *node) (ruleID, *node) {
	traits, ok := traitsOf(key), true
	switch traits & form {
	case itemsValue, schemaValue:
		ok = w.value(n, key, v)
	case schemaList:
		if ok = v.array && len(v.items) > 0; ok {
			for i := range v.items {
				before := w.enter(strconv.Itoa(i))
				v.items[i] = w.element(v.items[i])
				w.path = before
			}
		}
	case schemaMembers:
		if ok = v.isObject(); ok {
			w.members(n, key, v)
		}
	case namesByName:
		if ok = v.isObject(); ok {
			for i, name := range v.keys {
				before := w.enter(name)
				if r, better := namesOf(v.items[i]); r != fine && w.breaks(r) {
					v.items[i] = cmp.Or(better, &node{array: true})
				}
				w.path = before
			}
		}
	case idValue:
		return w.id(n, key, v)
	case reference:
		if s, isText := v.text(); isText {
			return w.reference(n, key, s)
		}
		ok = false
	default:
		if r, better := check(n, key, v); r != fine {
			return r, better
		}
	}
	if !ok {
		return ruleDraft, nil
	}
	if traits&notStrict != 0 {
		w.breaks(ruleStrictKeyword)
	}
	return fine, nil
}

// value mends the schema that is the value of a keyword, and reports whether it is one.
func (w *walker) value(n *node, key string, v *node) bool {
	items := traitsOf(key)&form == itemsValue
	if items && v.array { // before 2020-12
		if len(v.items) > 0 && n.get("prefixItems") == nil {
			n.set("prefixItems", v)
		}
		w.breaks(ruleDraft)
		if v = n.get("additionalItems"); !v.isSchema() {
			n.remove(key)
			return true
		}
		n.set(key, v)
	}
	if items && v.isFlag() && w.breaks(ruleItems) {
		v = anything(v.raw == "true")
	} else if v.isFlag() && key == "additionalProperties" {
		return true
	}
	if v = w.child(v); v != nil {
		n.set(key, v)
	}
	return v != nil
}

// id checks the value of $schema or $id.
func (w *walker) id(n *node, key string, v *node) (ruleID, *node) {
	s, ok := v.text()
	if ok && key == "$schema" {
		return ruleSchemaKeyword, nil
	}
	if at := strings.IndexByte(s, '#'); at >= 0 && at < len(s)-1 { // draft-06
		if at == 0 && n.get("$anchor") == nil && isAnchor(s[1:]) && w.breaks(ruleDraft) {
			n.set("$anchor", quoted(s[1:]))
		}
		ok = false
	} else if ok && n != w.root && applies[ruleDefinitions]&w.target != 0 { // references to $defs of the root would mean others
		w.indexAll()
		return ruleDefinitions, nil
	}
	if !ok {
		return ruleDraft, nil
	}
	return fine, nil
}

// child mends a schema inside of another one, and returns what takes its place: nil if it
// is not a schema.
func (w *walker) child(v *node) *node {
	switch {
	case v.isObject():
		w.schema(v)
	case v.isFlag():
		if w.breaks(ruleBoolean) {
			return anything(v.raw == "true")
		}
	default:
		return nil
	}
	return v
}

// anything returns an object that accepts everything, or nothing.
func anything(ok bool) *node {
	n := object()
	if !ok {
		n.set("not", object())
	}
	return n
}

// element is child for a part of a list or an object. The name of a type is a schema.
func (w *walker) element(v *node) *node {
	if better := w.child(v); better != nil {
		return better
	}
	w.breaks(ruleDraft)
	out := object()
	if s, _ := v.text(); kindName(s) != "" {
		out.set("type", quoted(kindName(s)))
	}
	return out
}

// members walks a keyword whose value has schemas as members.
func (w *walker) members(n *node, key string, v *node) {
	for i := 0; i < len(v.keys); i++ {
		name, item := v.keys[i], v.items[i]
		before := w.enter(name)
		if key == "patternProperties" && !isPattern(name) && w.breaks(rulePattern) {
			v.remove(name)
			i--
			what := "Names may match the pattern " + name
			if len(name) > maxLost {
				what = "Names may match a pattern that is more than fits here"
			}
			w.lose(n, what)
			n.set("additionalProperties", scalar("true"))
		} else {
			if r := item.get("required"); r != nil && r.raw == "true" && key == "properties" && w.breaks(ruleDraft) { // draft-03
				item.remove("required")
				if list := n.get("required").texts(); !slices.Contains(list, name) {
					n.set("required", textNodes(append(list, name)))
				}
			}
			v.items[i] = w.element(item)
		}
		w.path = before
	}
}

// describe adds lines to the description of n.
//
//go:noinline
func (n *node) describe(lines []string) {
	text := strings.Join(lines, "\n")
	old, _ := n.get("description").text()
	if old = strings.TrimSpace(old); old != "" {
		text = old + "\n" + text
	}
	n.set("description", quoted(text))
}

func (w *walker) reference(n *node, key, ref string) (ruleID, *node) {
	target := w.resolve(ref)
	switch {
	case target == nil || target == w.root.get("$defs"):
		return ruleReference, nil
	}
	w.refers = true
	switch {
	case w.target&(gemini|vertex) == 0 || key != "$ref" && strings.IndexByte(ref, '/') < 0:
		return fine, nil
	}
	name := strings.TrimPrefix(ref, "#/$defs/")
	if ref != "#" && (name == ref || w.root.get("$defs").get(argnames.Unescape(name)) != target) && w.breaks(ruleDefinitions) {
		n.set(key, quoted(w.define(target)))
	}
	return fine, nil
}

// siblings moves a reference beside other keywords into a group.
func (w *walker) siblings(n *node) {
	for _, other := range n.keys {
		if other[:min(len(other), 1)] != "$" && w.breaksAt(ruleSiblings, "$ref") {
			list := &node{array: true, items: []*node{object()}}
			list.items[0].set("$ref", n.get("$ref"))
			n.remove("$ref")
			group := "anyOf"
			if n.get(group) != nil {
				if group = "allOf"; n.get(group) != nil {
					list.items = append(list.items, n.get(group).items...)
				}
			}
			n.set(group, list)
			break
		}
	}
}
