package schema

import (
	"slices"
	"strconv"
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
	if checkOpenAPI(w, root); w.broken {
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

func (g *openAPIWriter) schema(n *node) *node {
	if !g.take(n) || !n.isObject() {
		return typed("string") // true and {} allow any value; Gemini has no type for that
	}
	depth := len(g.open)
	defer func() { g.open = g.open[:depth] }()
	if ref, ok := n.get("$ref").text(); ok {
		target := g.resolve(ref)
		if target == nil || slices.Contains(g.open, target) || !g.take(target) {
			return g.copyKept(n, typed("object")) // a cycle
		}
		g.open = append(g.open, target)
		n = n.clone()
		n.remove("$ref")
		overlay(n, target)
		return g.schema(n)
	}
	if all := n.get("allOf"); all != nil && all.array {
		return g.schema(g.merge(n, all))
	}
	for _, key := range [...]string{"anyOf", "oneOf"} {
		if some := n.get(key); some != nil && some.array {
			n = n.clone()
			n.remove(key)
			return g.union(n, some.items)
		}
	}
	return g.single(n)
}

func typed(kind string) *node {
	n := object()
	n.set("type", quoted(kind))
	return n
}

// copyKept copies the keywords of n that Gemini accepts to out. Beside anyOf it accepts
// none, so that they go to the variants.
func (g *openAPIWriter) copyKept(n, out *node) *node {
	if some := out.get("anyOf"); some != nil {
		for i, v := range some.items {
			v = v.clone()
			for _, key := range [...]string{"title", "description"} {
				if text := n.get(key); text != nil && v.get(key) == nil {
					v.set(key, text)
				}
			}
			some.items[i] = v
		}
		return out
	}
	kind, _ := out.get("type").text()
	for i, key := range n.keys {
		if v, traits := n.items[i], traitsOf(key); traits&kept != 0 && traits.fits(kind) && v.raw != "" && v.raw != "null" {
			out.set(key, v)
		}
	}
	return out
}

// allowNull lets a schema accept null.
func allowNull(n *node) {
	if some := n.get("anyOf"); some != nil {
		for i, v := range some.items {
			v = v.clone()
			v.set("nullable", scalar("true"))
			some.items[i] = v
		}
		return
	}
	n.set("nullable", scalar("true"))
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

// merge returns one schema for allOf.
func (g *openAPIWriter) merge(n, all *node) *node {
	v, _ := g.view(n, g.open, nil)
	n = n.clone()
	n.remove("allOf")
	for _, part := range g.unlike(all.items) {
		if ref, ok := part.get("$ref").text(); ok {
			part = g.resolve(ref)
		}
		if part == nil || slices.Contains(g.open, part) || !g.take(part) {
			if kind := part.get("type"); kind != nil && n.get("type") == nil { // a cycle
				n.set("type", kind)
			}
			continue
		}
		g.open = append(g.open, part)
		part = part.clone()
		part.remove("allOf") // it may contain this schema
		for _, key := range [...]string{"anyOf", "oneOf"} {
			if part.get("properties") == nil && part.get(key) != nil && n.get(key) != nil {
				part.remove(key)
			}
		}
		overlay(n, part)
	}
	if len(v.properties.names()) > 0 {
		n.set("properties", v.properties)
		n.remove("anyOf") // the view has the variants
		n.remove("oneOf")
	} else {
		n.remove("properties")
	}
	if len(v.required) > 0 {
		n.set("required", textNodes(v.required))
	}
	return n
}

// union returns one schema for anyOf or oneOf.
func (g *openAPIWriter) union(n *node, variants []*node) *node {
	nullable := false
	var list []*node
	depth := len(g.open)
	for _, v := range variants {
		g.open = g.open[:depth]
		if kind, _ := v.get("type").text(); kind == "null" {
			nullable = true
			continue
		}
		if !v.isObject() {
			v = object()
		}
		if ref, ok := v.get("$ref").text(); ok {
			if target := g.resolve(ref); target.isObject() && !slices.Contains(g.open, target) && g.take(target) {
				g.open = append(g.open, target)
				v = v.clone()
				v.remove("$ref")
				overlay(v, target)
			}
		}
		if !g.take(n) {
			break
		}
		v = g.inherit(v, n)
		if v = g.schema(v); v.get("anyOf") != nil {
			list = append(list, v.get("anyOf").items...)
		} else {
			list = append(list, v)
		}
	}
	if !g.take(list...) {
		return typed("string")
	}
	out := typed("string")
	switch {
	case len(list) == 1:
		out = list[0]
	case len(list) > 1:
		out = g.flatten(distinct(list))
	}
	g.copyKept(n, out)
	if nullable {
		allowNull(out)
	}
	return out
}

// inherit returns a variant of a union with what the union itself says.
func (g *openAPIWriter) inherit(v, n *node) *node {
	properties, required := n.get("properties"), n.get("required").texts()
	own := v
	v = v.clone()
	overlay(v, withoutMeta(n))
	if properties.isObject() && own.get("properties").isObject() {
		v.set("properties", g.together(properties, own.get("properties")))
	}
	if list := unique(append(required, own.get("required").texts()...)); len(list) > 0 {
		v.set("required", textNodes(list))
	}
	return v
}

// withoutMeta returns a schema without the keywords that describe a whole
// union.
func withoutMeta(n *node) *node {
	n = n.clone()
	for _, key := range [...]string{"title", "description", "default"} {
		n.remove(key)
	}
	return n
}

// flatten merges schemas: objects into one object with all properties, schemas
// of another common type into that type, and the rest into anyOf.
func (g *openAPIWriter) flatten(list []*node) *node {
	if len(list) == 1 {
		return list[0]
	}
	kind, nullable := list[0].get("type"), false
	for _, v := range list {
		nullable = nullable || v.get("nullable") != nil
		if t := v.get("type"); t == nil || kind == nil || t.raw != kind.raw {
			out := object()
			out.set("anyOf", &node{array: true, items: list})
			return out
		}
	}
	out := object()
	out.set("type", kind)
	if nullable {
		out.set("nullable", scalar("true"))
	}
	switch kind.raw {
	case `"object"`:
		var views []view
		for _, v := range list {
			views = append(views, view{properties: v.get("properties"), required: v.get("required").texts()})
		}
		merged := g.either(views)
		g.flattenEach(merged.properties)
		if len(merged.properties.keys) > 0 {
			out.set("properties", merged.properties)
		}
		if len(merged.required) > 0 {
			out.set("required", textNodes(merged.required))
		}
	case `"array"`:
		var items []*node
		for _, v := range list {
			items = append(items, v.get("items"))
		}
		out.set("items", g.flatten(distinct(items)))
	case `"string"`:
		var enum []string
		for _, v := range list {
			one := v.get("enum").texts()
			if one == nil {
				return out
			}
			enum = append(enum, one...)
		}
		out.set("enum", textNodes(unique(enum)))
	}
	return out
}

// flattenEach flattens the unions among properties.
func (g *openAPIWriter) flattenEach(properties *node) {
	for i, v := range properties.items {
		if some := v.get("anyOf"); some != nil {
			var list []*node
			for _, one := range some.items {
				if inner := one.get("anyOf"); inner != nil {
					list = append(list, inner.items...)
				} else {
					list = append(list, one)
				}
			}
			properties.items[i] = g.flatten(distinct(list))
		}
	}
}

// single rewrites a schema without unions and references.
func (g *openAPIWriter) single(n *node) *node {
	kinds := n.get("type").texts()
	if kind, ok := n.get("type").text(); ok {
		kinds = []string{kind}
	}
	if len(kinds) == 0 {
		kinds = inferTypes(n)
	}
	nullable := slices.Contains(kinds, "null") || n.get("nullable") != nil && n.get("nullable").raw == "true"
	kinds = slices.DeleteFunc(kinds, func(s string) bool { return s == "null" })
	if len(kinds) > 1 {
		var list []*node
		for _, kind := range kinds {
			if !g.take(n) {
				break
			}
			v := withoutMeta(n)
			v.set("type", quoted(kind))
			list = append(list, v)
		}
		n = n.clone()
		n.remove("type")
		out := g.union(n, list)
		if nullable {
			allowNull(out)
		}
		return out
	}
	kind := "string"
	if len(kinds) == 1 {
		kind = kinds[0]
	}
	out := g.copyKept(n, typed(kind))
	if g.enum(n, kind, out) || nullable {
		out.set("nullable", scalar("true"))
	}
	if format, _ := n.get("format").text(); formatOf(format)&ofKind(kind) != 0 {
		out.set("format", n.get("format"))
	}
	switch kind {
	case "object":
		g.properties(n, out)
	case "array":
		out.set("items", g.items(n))
	}
	return out
}

// inferTypes returns the types of a schema without one.
func inferTypes(n *node) (kinds []string) {
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

// valueType returns the type of a value.
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

// enum copies the allowed values and reports whether null is one of them.
// Gemini accepts only strings that are not empty; other values are added to the
// description.
func (g *openAPIWriter) enum(n *node, kind string, out *node) (null bool) {
	var texts []string
	var values []*node
	empty := false
	for _, v := range enumerated(n) {
		switch t := valueType(v); {
		case t == "null":
			null = true
		case t == kind || t == "number" && kind == "integer":
			values = append(values, v)
			text, _ := v.text()
			texts, empty = append(texts, text), empty || text == ""
		}
	}
	if kind == "string" && !empty && len(texts) > 0 {
		out.set("enum", textNodes(unique(texts)))
	} else if len(values) > 0 {
		words := make([]string, len(values))
		for i, v := range values {
			words[i] = string(v.append(nil))
		}
		text, _ := n.get("description").text()
		out.set("description", quoted(strings.TrimSpace(text+" One of: "+strings.Join(words, ", ")+".")))
	}
	return null
}

func (g *openAPIWriter) properties(n, out *node) {
	properties := n.get("properties")
	if !properties.isObject() || len(properties.items) == 0 {
		return
	}
	list := object()
	for i, key := range properties.keys {
		if v := properties.items[i]; v.raw != "false" {
			list.set(key, g.schema(v))
		}
	}
	if len(list.keys) == 0 {
		return
	}
	out.set("properties", list)
	required := slices.DeleteFunc(unique(n.get("required").texts()), func(s string) bool { return list.get(s) == nil })
	if len(required) > 0 {
		out.set("required", textNodes(required))
	}
}

func (g *openAPIWriter) items(n *node) *node {
	var list []*node
	if tuple := n.get("prefixItems"); tuple != nil {
		list = slices.Clone(tuple.items)
	}
	rest := n.get("items")
	switch {
	case list == nil && rest == nil:
		return typed("string")
	case list == nil:
		return g.schema(rest)
	case rest.isObject() && len(rest.keys) > 0:
		list = append(list, rest)
	}
	return g.union(object(), list)
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
		switch traits & form {
		case schemaMembers, schemaList:
			for j, item := range v.items {
				name := strconv.Itoa(j)
				if !v.array {
					name = v.keys[j]
				}
				outer := w.enter(name)
				checkOpenAPI(w, item)
				w.path = outer
			}
		case itemsValue:
			checkOpenAPI(w, v)
		}
		w.path = before
	}
}
