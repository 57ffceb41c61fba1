package schema

import (
	"slices"
	"strings"
)

// An openAPIWriter rewrites schemas for the subset of OpenAPI 3.0 that the field parameters
// of Gemini accepts: without references, with one type each, and with few keywords.
type openAPIWriter struct {
	*walker
	open []*node // the targets of the references that are being followed
}

// minBudget is the budget for a small schema. A schema of n bytes gets
// budgetPerByte * n more.
const minBudget, budgetPerByte = 4 << 20, 16

// openAPISchema returns a schema for the field parameters, or nil if it has no properties.
func openAPISchema(w *walker, root *node) *node {
	checkOpenAPI(w, root)
	if w.describeLost(); w.broken {
		root = (&openAPIWriter{w, []*node{w.root}}).schema(root)
	}
	if len(root.get("properties").names()) == 0 {
		return nil
	}
	return root
}

// formatOf returns the types that Gemini accepts a format for.
func formatOf(format string) trait {
	switch format {
	case "float", "double", "int32", "int64":
		return ofNumber
	case "date-time":
		return ofString
	}
	return 0
}

// ofKind returns the trait of keywords that restrict values of a type.
func ofKind(kind string) trait {
	switch kind {
	case "string":
		return ofString
	case "number", "integer":
		return ofNumber
	case "array":
		return ofArray
	case "object":
		return ofObject
	}
	return 0
}

// fits reports whether a keyword is for values of a type.
func (t trait) fits(kind string) bool { return t&ofTypes == 0 || t&ofKind(kind) != 0 }

// An alternative is a schema without references, allOf, anyOf and oneOf.
type alternative struct {
	*node
	open []*node // the targets of the references that led to it
}

// schema returns one schema for each type that n accepts, in anyOf if there are several.
// true and {} accept any value; Gemini has no type for that.
func (g *openAPIWriter) schema(n *node) *node {
	before := slices.Clip(g.open)
	defer func() { g.open = before }()
	flat, list := g.alternatives(n, before)
	var kinds []string
	of, nullable := map[string][]alternative{}, false
	for _, v := range list {
		if flag := v.get("nullable"); flag != nil {
			nullable = nullable || flag.raw == "true"
		}
		for _, kind := range kindsOf(v.node) {
			if kind == "null" {
				nullable = true
			} else if of[kind] = append(of[kind], v); len(of[kind]) == 1 {
				kinds = append(kinds, kind)
			}
		}
	}
	if kinds == nil {
		kinds = []string{"string"}
	}
	some := &node{array: true}
	for _, kind := range kinds {
		var same []*node
		g.open = before
		for _, v := range of[kind] {
			same, g.open = append(same, v.node), append(g.open, v.open[len(before):]...)
		}
		if !g.take(same...) {
			return typed("string")
		}
		same = g.distinct(same)
		out := g.keywords(flat, kind, same, len(kinds) == 1)
		nullable = g.enum(same, kind, out) || nullable
		switch kind {
		case "object":
			v, _ := g.view(n.clone(), before, nil)
			g.properties(v, out)
		case "array":
			out.set("items", g.items(same))
		}
		some.items = append(some.items, out)
	}
	for _, out := range some.items {
		if nullable {
			out.set("nullable", scalar("true"))
		}
	}
	if len(some.items) == 1 {
		return some.items[0]
	}
	out := object()
	out.set("anyOf", some) // beside it, Gemini accepts no keyword
	return out
}

// alternatives returns schemas of which at least one accepts each value that n accepts, and n
// itself with the members of what it refers to.
func (g *openAPIWriter) alternatives(n *node, open []*node) (*node, []alternative) {
	if !g.take(n) || !n.isObject() {
		n = object()
	}
	n = n.clone()
	var texts []string
	for ref, ok := n.get("$ref").text(); ok; ref, ok = n.get("$ref").text() {
		target := g.resolve(ref)
		if n.remove("$ref"); target == nil || slices.Contains(open, target) || !g.take(target) {
			overlay(n, typed("object")) // a cycle
			break
		}
		open = append(slices.Clip(open), target)
		if text, _ := target.get("description").text(); text != "" && n.get("description") != nil {
			texts = append(texts, text) // what the target does not say any more may be in it
		}
		overlay(n, target)
	}
	if texts != nil {
		n.describe(texts)
	}
	var variants []alternative
	for _, key := range [...]string{"anyOf", "oneOf", "allOf"} {
		list, enough := n.get(key), variants != nil
		if n.remove(key); list == nil || !list.array {
			continue
		}
		for _, v := range list.items {
			if part, some := g.alternatives(v, open); key == "allOf" && len(some) == 1 {
				overlay(n, part)
				open = some[0].open
			} else if !enough {
				variants = append(variants, some...)
			}
		}
	}
	if variants == nil {
		return n, []alternative{{n, open}}
	}
	rest := n.clone()
	for _, key := range meta {
		rest.remove(key)
	}
	for i, v := range variants {
		if !g.take(rest) {
			break
		}
		variants[i].node = v.clone()
		overlay(variants[i].node, rest)
	}
	return n, variants
}

// meta are the keywords that describe a whole union, too.
var meta = [...]string{"title", "description", "default"}

// keywords returns a schema of one type with the keywords of the only alternative, and those
// that describe n.
func (g *openAPIWriter) keywords(n *node, kind string, list []*node, alone bool) *node {
	out := typed(kind)
	if len(list) == 1 {
		for i, key := range list[0].keys {
			if traits, v := traitsOf(key), list[0].items[i]; traits&kept != 0 && traits.fits(kind) && v.raw != "" && v.raw != "null" {
				out.set(key, v)
			}
		}
		if format, _ := list[0].get("format").text(); formatOf(format)&ofKind(kind) != 0 {
			out.set("format", list[0].get("format"))
		}
	}
	for _, key := range meta {
		if v := n.get(key); v != nil && v.raw != "" && v.raw != "null" && (alone || out.get(key) == nil) {
			out.set(key, v)
		}
	}
	if v := out.get("default"); v != nil && !alone && !isOf(v, kind) {
		out.remove("default")
	}
	return out
}

func typed(kind string) *node {
	n := object()
	n.set("type", quoted(kind))
	return n
}

// overlay adds to n the members of other that n lacks.
func overlay(n, other *node) {
	if !other.isObject() {
		return
	}
	for i, key := range other.keys {
		if n.get(key) == nil {
			n.set(key, other.items[i])
		}
	}
}

// kindsOf returns the types of a schema, or what its other keywords suggest.
func kindsOf(n *node) (kinds []string) {
	if kind, ok := n.get("type").text(); ok {
		return []string{kind}
	}
	if kinds = n.get("type").texts(); kinds != nil {
		return kinds
	}
	for _, v := range enumerated(n) {
		if kind := valueType(v); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	switch {
	case kinds != nil:
		return kinds
	case n.get("properties") != nil:
		return []string{"object"}
	case n.get("items") != nil || n.get("prefixItems") != nil:
		return []string{"array"}
	case n.get("minimum") != nil || n.get("maximum") != nil:
		return []string{"number"}
	}
	return []string{"string"}
}

func valueType(n *node) string {
	switch {
	case n.array:
		return "array"
	case n.raw == "":
		return "object"
	case n.raw == "null":
		return "null"
	case n.raw[0] == '"':
		return "string"
	case n.raw[0] == 't', n.raw[0] == 'f':
		return "boolean"
	}
	return "number"
}

// enumerated returns the values that a schema lists, or nil.
func enumerated(n *node) []*node {
	if one := n.get("const"); one != nil {
		return []*node{one}
	}
	if list := n.get("enum"); list != nil && list.array {
		return list.items
	}
	return nil
}

// isOf reports whether a value is of a type.
func isOf(v *node, kind string) bool {
	t := valueType(v)
	return t == kind || t == "number" && kind == "integer"
}

// enum copies the values of the alternatives, if each lists some, and reports whether null is
// one of them. Gemini accepts only strings that are not empty; other values are added to the
// description.
func (g *openAPIWriter) enum(list []*node, kind string, out *node) (null bool) {
	var values, texts []string
	for _, n := range list {
		some := enumerated(n)
		if some == nil {
			return false
		}
		for _, v := range some {
			null = null || v.raw == "null"
			if isOf(v, kind) {
				text, _ := v.text()
				values, texts = append(values, g.text(v)), append(texts, text)
			}
		}
	}
	if kind == "string" && len(texts) > 0 && !slices.Contains(texts, "") {
		out.set("enum", textNodes(unique(texts)))
	} else if len(values) > 0 {
		text, _ := out.get("description").text()
		out.set("description", quoted(strings.TrimSpace(text+" One of: "+strings.Join(unique(values), ", ")+".")))
	}
	return null
}

// properties adds the members of an object.
func (g *openAPIWriter) properties(of view, out *node) {
	list := object()
	for i, key := range of.properties.names() {
		if v := of.properties.items[i]; v.raw != "false" {
			list.set(key, g.schema(v))
		}
	}
	if len(list.keys) == 0 {
		return
	}
	out.set("properties", list)
	if required := slices.DeleteFunc(unique(slices.Clone(of.required)), func(s string) bool { return list.get(s) == nil }); len(required) > 0 {
		out.set("required", textNodes(required))
	}
}

// items returns a schema for all items of arrays.
func (g *openAPIWriter) items(arrays []*node) *node {
	some := &node{array: true}
	for _, v := range arrays {
		tuple, rest := v.get("prefixItems"), v.get("items")
		if tuple != nil {
			some.items = append(some.items, tuple.items...)
		}
		if rest != nil && (tuple == nil || rest.isObject() && len(rest.keys) > 0) {
			some.items = append(some.items, rest)
		}
	}
	if some.items = g.distinct(some.items); len(some.items) == 1 {
		return g.schema(some.items[0])
	}
	n := object()
	n.set("anyOf", some)
	return g.schema(n)
}

// checkOpenAPI finds what the field parameters does not accept, and notes what has no form
// in OpenAPI.
func checkOpenAPI(w *walker, n *node) {
	kind, _ := n.get("type").text()
	if n.get("type") == nil && n.get("anyOf") == nil || kind == "array" && n.get("items") == nil {
		w.breaks(ruleOpenAPI)
	}
	properties := n.get("properties")
	for i := 0; i < len(n.keys); i++ {
		key, v := n.keys[i], n.items[i]
		traits, before := traitsOf(key), w.enter(key)
		fine := traits&(kept|openAPI) != 0 && traits.fits(kind)
		lossy := traits&(kept|openAPI|annotation|rewritten) == 0 && (!v.isFlag() || key == "uniqueItems")
		switch key {
		case "type":
			fine = kind != "" && kind != "null" && kindName(kind) == kind
		case "anyOf":
			fine = len(n.keys) == 1
		case "enum":
			list := v.texts()
			fine = kind == "string" && len(list) == len(v.items) && !slices.Contains(list, "")
		case "format":
			s, _ := v.text()
			fine = formatOf(s)&ofKind(kind) != 0
			lossy = !fine
		case "required":
			fine = fine && !slices.ContainsFunc(v.texts(), func(name string) bool { return properties.get(name) == nil })
		case "properties":
			fine = fine && len(v.items) > 0
		}
		if !fine {
			if w.breaks(ruleOpenAPI); lossy {
				w.loseKeyword(n, key, v)
			}
		}
		w.path = before
	}
	w.each(n, func(key, _ string, v *node) {
		if traitsOf(key)&form != schemaValue {
			checkOpenAPI(w, v)
		}
	})
}
