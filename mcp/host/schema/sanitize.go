package schema

import (
	"slices"
	"strings"
)

// sanitize returns a schema that Anthropic and OpenAI accept: its root is an
// object with properties and without unions. The rest is unmodified.
func sanitize(root *node) *node {
	if !root.isObject() {
		root = object()
	}
	n := root.clone()
	for range 8 { // the target may be a reference, too
		target := resolve(root, n.get("$ref"))
		if target == nil {
			break
		}
		n.remove("$ref")
		overlay(n, target)
	}
	n.remove("$ref")
	for _, key := range [...]string{"allOf", "anyOf", "oneOf"} {
		if variants := n.get(key); variants != nil {
			n.remove(key)
			mergeProperties(root, n, variants, key == "allOf")
		}
	}
	n.remove("enum")
	n.remove("not")
	n.set("type", quoted("object"))
	if !n.get("properties").isObject() {
		n.set("properties", object())
	}
	if required := n.get("required"); required != nil && !required.array {
		n.remove("required")
	}
	return n
}

// overlay adds to n the members of other that n lacks.
func overlay(n, other *node) {
	for i, key := range other.keys {
		if n.get(key) == nil {
			n.set(key, other.items[i])
		}
	}
}

// mergeProperties adds the properties of variants to n. A property is required
// if all variants require it or, with all set, if one does.
func mergeProperties(root, n, variants *node, all bool) {
	properties := object()
	if p := n.get("properties"); p.isObject() {
		properties = p.clone()
	}
	var common []string
	seen := make(map[*node]bool) // targets of references, which add nothing when they are repeated
	for i, v := range variants.items {
		if target := resolve(root, v.get("$ref")); target != nil {
			if seen[target] {
				continue
			}
			seen[target] = true
			v = target
		}
		if p := v.get("properties"); p.isObject() {
			overlay(properties, p)
		}
		required := v.get("required").texts()
		switch {
		case i == 0:
			common = required
		case all:
			common = append(common, required...)
		default:
			in := make(map[string]bool, len(required))
			for _, s := range required {
				in[s] = true
			}
			common = slices.DeleteFunc(common, func(s string) bool { return !in[s] })
		}
	}
	n.set("properties", properties)
	if required := unique(append(n.get("required").texts(), common...)); len(required) > 0 {
		n.set("required", textNodes(required))
	}
}

// unique returns list without what occurs again.
func unique(list []string) []string {
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(list, func(s string) bool {
		again := seen[s]
		seen[s] = true
		return again
	})
}

// unescape replaces the escapes in a part of a reference (RFC 6901).
var unescape = strings.NewReplacer("~1", "/", "~0", "~", "%24", "$")

// resolve returns the target of a reference within the schema, or nil. It never
// fetches documents.
func resolve(root, ref *node) *node {
	path, ok := ref.text()
	if !ok || !strings.HasPrefix(path, "#") {
		return nil
	}
	n := root
	for part := range strings.SplitSeq(strings.TrimPrefix(path[1:], "/"), "/") {
		if part != "" {
			n = n.get(unescape.Replace(part))
		}
		if n == nil {
			return nil
		}
	}
	if !n.isObject() {
		return nil
	}
	return n
}
