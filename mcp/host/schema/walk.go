package schema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/argnames"
	"github.com/stdmcp/stdmcp/internal/wire"
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
	refers   bool             // the schema has references
	bases    []*node          // schemas with an $id; with ids, set by the first reference that needs them
	moved    map[*node]string // references to targets that are now definitions of the root
	lost     []string         // what the mended root does not say, for the description of the tool
}

// A found rule is one that a schema breaks.
type found struct {
	rule ruleID
	path string
	lost string
}

// mend returns the schema as the provider accepts it.
func (w *walker) mend(root *node) (*node, error) {
	if w.root = root; root.isObject() {
		w.schema(root)
	}
	root = w.mendRoot(root)
	w.breakCycles(root)
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
	if before = w.path; w.check {
		w.path += "/" + strings.ReplaceAll(strings.ReplaceAll(part, "~", "~0"), "/", "~1")
	}
	return before
}

// lose notes what a schema does not say any more: in its description, or in that of the
// tool.
func (w *walker) lose(n *node, what string) {
	if n == w.root {
		w.lost = append(w.lost, what)
	} else {
		n.describe(what)
	}
	if at := len(w.findings) - 1; at >= 0 {
		w.findings[at].lost = what
	}
}

// loseKeyword notes a keyword that goes, if its value is short.
func (w *walker) loseKeyword(n *node, key string, v *node) {
	if value := string(v.append(nil)); len(value) <= maxLost {
		if s, ok := v.text(); ok {
			value = s
		}
		w.lose(n, key+": "+value)
	} else {
		w.lose(n, key+" is more than fits here")
	}
}

const maxLost = 200 // bytes of the value of a keyword in a description

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

// each calls visit for the schemas that are parts of n, with the name of a member and
// their path.
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

// isKind reports whether the value of type is a type, or a list with it.
func isKind(v *node, kind string) bool {
	if v == nil || !v.array {
		s, _ := v.text()
		return s == kind
	}
	return slices.Contains(v.texts(), kind)
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
	s, isText := v.text()
	traits, ok := traitsOf(key), true
	switch traits & form {
	case text:
		if ok = isText; !ok && v.raw != "" && v.raw != "null" {
			return ruleDraft, quoted(v.raw)
		}
	case number, count, bound:
		return w.number(n, key, v, traits&form)
	case flag:
		if ok = v.isFlag(); !ok && (s == "true" || s == "false") {
			return ruleDraft, scalar(s)
		}
	case itemsValue:
		if v.array { // before 2020-12
			if len(v.items) > 0 && n.get("prefixItems") == nil {
				n.set("prefixItems", v)
			}
			w.breaks(ruleDraft)
			if v = n.get("additionalItems"); !v.isSchema() {
				n.remove(key)
				break
			}
			n.set(key, v)
		}
		if v.isFlag() && w.breaks(ruleItems) {
			v = anything(v.raw == "true")
			n.set(key, v)
		}
		fallthrough
	case schemaValue:
		if v.isFlag() && key == "additionalProperties" {
			break
		}
		if v = w.child(v); v == nil {
			return ruleDraft, nil
		}
		n.set(key, v)
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
	case typeValue:
		return kindOf(v)
	case enumValue:
		return enumOf(v)
	case names:
		return namesOf(v)
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
		if ok = isText; !ok {
			break
		} else if key == "$schema" {
			return ruleSchemaKeyword, nil
		}
		if at := strings.IndexByte(s, '#'); at >= 0 && at < len(s)-1 { // draft-06
			if at == 0 && n.get("$anchor") == nil && isAnchor(s[1:]) && w.breaks(ruleDraft) {
				n.set("$anchor", quoted(s[1:]))
			}
			ok = false
		} else if n != w.root && applies[ruleDefinitions]&w.target != 0 { // references to $defs of the root would mean others
			w.indexAll()
			return ruleDefinitions, nil
		}
	case anchor:
		ok = isAnchor(s)
	case examples:
		ok = v.array
	case patternValue:
		if ok = isText; ok && !isPattern(s) {
			return rulePattern, nil
		}
	case reference:
		if ok = isText; ok {
			return w.reference(n, key, s)
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
			w.lose(n, "Names may match the pattern "+name)
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

// describe adds a text to the description of n.
//
//go:noinline
func (n *node) describe(text string) {
	old, _ := n.get("description").text()
	if old = strings.TrimSpace(old); old != "" {
		text = old + "\n" + text
	}
	n.set("description", quoted(text))
}

func (n *node) isFlag() bool { return n != nil && (n.raw == "true" || n.raw == "false") }

func (n *node) isNumber() bool {
	return n != nil && n.raw != "" && (n.raw[0] == '-' || n.raw[0] >= '0' && n.raw[0] <= '9')
}

// number checks a keyword whose value is a number.
func (w *walker) number(n *node, key string, v *node, kind trait) (ruleID, *node) {
	rule := fine
	if s, ok := v.text(); ok && wire.Valid([]byte(s)) == nil {
		v, rule = scalar(s), ruleDraft
	}
	if kind == bound && v.raw == "true" { // draft-04
		v, rule = n.get("m"+key[len("exclusiveM"):]), ruleDraft
	}
	if !v.isNumber() {
		return ruleDraft, nil
	}
	whole, fraction, _ := strings.Cut(v.raw, ".")
	switch {
	case kind == count && (strings.Trim(whole, "0123456789") != "" || strings.Trim(fraction, "0") != ""),
		key == "multipleOf" && (v.raw[0] == '-' || strings.Trim(v.raw, "0.") == ""):
		return ruleDraft, nil
	}
	return rule, v
}

// isAnchor reports whether JSON Schema allows a name of an anchor.
func isAnchor(s string) bool {
	return s != "" && strings.IndexByte(argnames.Letters, s[0]) >= 0 && strings.Trim(s, argnames.Letters+argnames.Digits+".-") == ""
}

// kindName returns the type of JSON Schema that a name means, or "".
func kindName(s string) string {
	switch s = strings.ToLower(s); s {
	case "string", "integer", "number", "boolean", "array", "object", "null":
		return s
	case "str", "text":
		return "string"
	case "int", "int32", "int64", "long":
		return "integer"
	case "float", "double", "decimal", "float32", "float64":
		return "number"
	case "bool":
		return "boolean"
	case "list", "tuple":
		return "array"
	case "dict", "map", "struct":
		return "object"
	case "none":
		return "null"
	}
	return ""
}

// kindOf checks the value of the keyword type. An unknown type could be any.
func kindOf(v *node) (ruleID, *node) {
	if s, ok := v.text(); ok {
		switch kind := kindName(s); kind {
		case s:
			if s != "" {
				return fine, nil
			}
		case "":
		default:
			return ruleDraft, quoted(kind)
		}
	}
	if !v.array || len(v.items) == 0 {
		return ruleDraft, nil
	}
	good := true
	var kinds []string
	for _, item := range v.items {
		s, _ := item.text()
		if item.raw == "null" {
			s = item.raw
		}
		kind := kindName(s)
		if kind == "" {
			return ruleDraft, nil
		}
		again := slices.Contains(kinds, kind)
		if good = good && kind == s && item.raw != "null" && !again; !again {
			kinds = append(kinds, kind)
		}
	}
	if good {
		return fine, nil
	}
	return ruleDraft, textNodes(kinds)
}

// enumOf checks the value of the keyword enum.
func enumOf(v *node) (ruleID, *node) {
	if !v.array {
		if v.raw != "" && v.raw != "null" {
			return ruleDraft, &node{array: true, items: []*node{v}}
		}
		return ruleDraft, nil
	}
	if len(v.items) == 0 {
		return ruleEnum, nil
	}
	texts := make([]string, len(v.items))
	for i, item := range v.items {
		texts[i] = item.raw
	}
	wire.SortStrings(texts)
	for i := range texts[1:] {
		if texts[i] == texts[i+1] {
			if list := distinct(v.items); len(list) < len(v.items) {
				return ruleEnum, &node{array: true, items: list}
			}
			break
		}
	}
	return fine, nil
}

// distinct returns values without those that occur again.
func distinct(list []*node) []*node {
	seen := make(map[string]bool, len(list))
	var out []*node
	for _, n := range list {
		text := n.raw
		if text == "" {
			text = string(n.append(nil))
		}
		if !seen[text] {
			seen[text] = true
			out = append(out, n)
		}
	}
	return out
}

// namesOf checks a list of names.
func namesOf(v *node) (ruleID, *node) {
	if !v.array {
		return ruleDraft, nil
	}
	if len(v.items) == 1 {
		if _, ok := v.items[0].text(); ok {
			return fine, nil
		}
	}
	if list := unique(v.texts()); len(list) < len(v.items) {
		return ruleDraft, textNodes(list)
	}
	return fine, nil
}

// reference checks a reference.
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

// unique returns list without what occurs again.
func unique(list []string) []string {
	if len(list) < 2 {
		return list
	}
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(list, func(s string) bool {
		again := seen[s]
		seen[s] = true
		return again
	})
}
