package schema

import (
	"slices"
	"strings"
)

// A geminiRewriter rewrites schemas for the subset of OpenAPI 3.0 that Gemini
// accepts: without references, with one type each, and with few keywords.
type geminiRewriter struct {
	root   *node
	open   []*node // the targets of the references that are being followed
	budget int     // bytes of schemas that may still be rewritten; negative if it was exceeded
}

// minBudget is the budget for a small schema. A schema of n bytes gets
// budgetPerByte * n more.
const minBudget, budgetPerByte = 4 << 20, 16

// take takes the sizes of schemas from the budget, and reports whether it suffices.
// References and unions can repeat large schemas thousands of times.
func (g *geminiRewriter) take(list ...*node) bool {
	for _, n := range list {
		g.budget -= n.size()
	}
	return g.budget >= 0
}

// keptKeywords are copied unmodified.
var keptKeywords = []string{"title", "description", "minItems", "maxItems", "minLength", "maxLength", "pattern",
	"minimum", "maximum", "minProperties", "maxProperties", "default"}

// formats are the formats that Gemini accepts for each type.
var formats = map[string][]string{"number": {"float", "double"}, "integer": {"int32", "int64"}, "string": {"date-time"}}

func (g *geminiRewriter) schema(n *node) *node {
	if !g.take(n) || !n.isObject() {
		return typed("string") // true and {} allow any value; Gemini has no type for that
	}
	if ref := n.get("$ref"); ref != nil {
		target := resolve(g.root, ref)
		if target == nil || slices.Contains(g.open, target) || !g.take(target) {
			return g.copyKept(n, typed("object")) // a cycle, or another document
		}
		g.open = append(g.open, target)
		defer func() { g.open = g.open[:len(g.open)-1] }()
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

// copyKept copies the keywords of n that Gemini accepts to out.
func (g *geminiRewriter) copyKept(n, out *node) *node {
	for _, key := range keptKeywords {
		if v := n.get(key); v != nil && v.raw != "" && v.raw != "null" {
			out.set(key, v)
		}
	}
	return out
}

// merge returns one schema for allOf.
func (g *geminiRewriter) merge(n, all *node) *node {
	n = n.clone()
	n.remove("allOf")
	for _, part := range all.items {
		if !g.take(part, resolve(g.root, part.get("$ref"))) {
			return n
		}
	}
	mergeProperties(g.root, n, all, true)
	for _, part := range all.items {
		if target := resolve(g.root, part.get("$ref")); target != nil {
			if slices.Contains(g.open, target) {
				continue
			}
			part = target.clone()
			part.remove("allOf") // it may contain this schema
		}
		overlay(n, part)
	}
	if len(n.get("properties").items) == 0 {
		n.remove("properties")
	}
	return n
}

// union returns one schema for anyOf or oneOf.
func (g *geminiRewriter) union(n *node, variants []*node) *node {
	nullable := false
	var list []*node
	for _, v := range variants {
		if kind, _ := v.get("type").text(); kind == "null" {
			nullable = true
			continue
		}
		v = v.clone()
		if !v.isObject() {
			v = object()
		}
		if !g.take(n) {
			break
		}
		overlay(v, withoutMeta(n))
		list = append(list, g.schema(v))
	}
	if !g.take(list...) {
		return typed("string")
	}
	out := typed("string")
	switch {
	case len(list) == 1:
		out = list[0]
	case len(list) > 1:
		out = flatten(list)
	}
	g.copyKept(n, out)
	if nullable {
		out.set("nullable", scalar("true"))
	}
	return out
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
func flatten(list []*node) *node {
	kind := list[0].get("type")
	for _, v := range list[1:] {
		if t := v.get("type"); t == nil || kind == nil || t.raw != kind.raw {
			out := object()
			out.set("anyOf", &node{array: true, items: list})
			return out
		}
	}
	out := object()
	out.set("type", kind)
	switch kind.raw {
	case `"object"`:
		mergeProperties(nil, out, &node{array: true, items: list}, false)
		if len(out.get("properties").items) == 0 {
			out.remove("properties")
		}
	case `"array"`:
		out.set("items", list[0].get("items"))
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

// single rewrites a schema without unions and references.
func (g *geminiRewriter) single(n *node) *node {
	kinds := n.get("type").texts()
	if kind, ok := n.get("type").text(); ok {
		kinds = []string{kind}
	}
	if len(kinds) == 0 {
		kinds = []string{inferType(n)}
	}
	nullable := slices.Contains(kinds, "null")
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
			out.set("nullable", scalar("true"))
		}
		return out
	}
	kind := "string"
	if len(kinds) == 1 {
		kind = kinds[0]
	}
	out := g.copyKept(n, typed(kind))
	if nullable || g.enum(n, kind, out) {
		out.set("nullable", scalar("true"))
	}
	if format, ok := n.get("format").text(); ok && slices.Contains(formats[kind], format) {
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

// inferType returns the type of a schema without one.
func inferType(n *node) string {
	switch {
	case n.get("properties") != nil:
		return "object"
	case n.get("items") != nil || n.get("prefixItems") != nil:
		return "array"
	case n.get("minimum") != nil || n.get("maximum") != nil:
		return "number"
	}
	return "string"
}

// enum copies the allowed values and reports whether null is one of them.
// Gemini accepts strings only; other values are added to the description.
func (g *geminiRewriter) enum(n *node, kind string, out *node) (null bool) {
	values := n.get("enum")
	if one := n.get("const"); one != nil {
		values = &node{array: true, items: []*node{one}}
	}
	if values == nil || !values.array {
		return false
	}
	var others []string
	for _, v := range values.items {
		switch _, isText := v.text(); {
		case v.raw == "null":
			null = true
		case !isText && v.raw != "":
			others = append(others, v.raw)
		}
	}
	if texts := values.texts(); kind == "string" && len(texts) > 0 {
		out.set("enum", textNodes(unique(texts)))
	} else if len(others) > 0 {
		text, _ := n.get("description").text()
		out.set("description", quoted(strings.TrimSpace(text+" One of: "+strings.Join(others, ", ")+".")))
	}
	return null
}

func (g *geminiRewriter) properties(n, out *node) {
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
	out.set("properties", list)
	required := slices.DeleteFunc(unique(n.get("required").texts()), func(s string) bool { return list.get(s) == nil })
	if len(required) > 0 {
		out.set("required", textNodes(required))
	}
}

func (g *geminiRewriter) items(n *node) *node {
	tuple := n.get("prefixItems")
	if tuple == nil {
		tuple = n.get("items")
	}
	switch {
	case tuple == nil:
		return typed("string")
	case tuple.array && len(tuple.items) > 0:
		return g.union(object(), tuple.items)
	}
	return g.schema(tuple)
}
