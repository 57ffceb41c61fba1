// Package schemagen makes random JSON Schemas, and values that they may accept, for tests.
package schemagen

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Generator makes schemas and values for them.
type Generator struct {
	*rand.Rand
	Undeclared bool // whether values have members that the schema does not name
	work       int  // for the current value
}

// New returns a Generator.
func New(r *rand.Rand) *Generator { return &Generator{Rand: r} }

// One returns one of the values.
func (g *Generator) One(of ...any) any { return of[g.IntN(len(of))] }

// Name returns a name of a property.
func (g *Generator) Name() string { return g.One("a", "b", "c").(string) }

func (g *Generator) number() any { return g.One(0, 1, 2, 3, 5, -1, 1.5, 2.5, 1e3) }

// Scalar returns a value that is neither an array nor an object.
func (g *Generator) Scalar() any { return g.One("x", "yy", "", 1, 2, 0.5, true, false, nil) }

// Schema returns a random schema.
func (g *Generator) Schema(depth int) any {
	if g.IntN(20) == 0 {
		return g.One(true, false)
	}
	s := map[string]any{}
	for range g.IntN(4) {
		g.Keyword(s, depth)
	}
	return s
}

// Keyword sets a random keyword.
func (g *Generator) Keyword(s map[string]any, depth int) {
	sub := func() any { return g.Schema(depth - 1) }
	subs := func() any {
		list := []any{}
		for range 1 + g.IntN(3) {
			list = append(list, sub())
		}
		return list
	}
	most := 27
	if depth == 0 {
		most = 14
	}
	switch g.IntN(most) {
	case 0, 1, 2:
		s["type"] = g.One("string", "integer", "number", "boolean", "null", "array", "object", "object", "object")
	case 3:
		s["type"] = []any{g.One("string", "integer", "object"), g.One("null", "number", "array")}
	case 4:
		s["enum"] = []any{g.Scalar(), g.Scalar()}
	case 5:
		s["const"] = g.Scalar()
	case 6:
		s[g.One("minimum", "exclusiveMinimum").(string)] = g.number()
		s["type"] = g.One("integer", "number")
	case 7:
		s[g.One("maximum", "exclusiveMaximum").(string)] = g.number()
		s["type"] = g.One("integer", "number")
	case 8, 9:
		kind := g.IntN(3)
		s[[]string{"minLength", "minItems", "minProperties", "maxLength", "maxItems", "maxProperties"}[kind+3*g.IntN(2)]] = g.IntN(4)
		s["type"] = []string{"string", "array", "object"}[kind]
	case 10:
		s["required"] = []any{g.Name(), g.Name()}
	case 11:
		s["additionalProperties"] = g.One(true, false, false)
	case 12:
		s[g.One("uniqueItems", "multipleOf", "pattern", "default", "description").(string)] = g.One(true, 2, "x", "^x")
	case 13:
		s["$ref"] = g.One("#/$defs/d", "#/$defs/e", "#")
	case 14:
		s["items"] = sub()
	case 15, 16, 17, 18, 19, 20:
		properties := map[string]any{}
		for range 1 + g.IntN(3) {
			properties[g.Name()] = sub()
		}
		s["properties"] = properties
		if g.IntN(2) == 0 {
			s["type"] = "object"
		}
	case 21:
		s["additionalProperties"] = sub()
	case 22, 23:
		s["anyOf"] = subs()
	case 24:
		s["allOf"] = subs()
	case 25:
		s[g.One("oneOf", "prefixItems").(string)] = subs()
	case 26:
		s[g.One("not", "propertyNames", "contains", "if", "unevaluatedProperties").(string)] = sub()
	}
}

// Document returns a schema with definitions.
func (g *Generator) Document() any {
	s := map[string]any{"type": "object", "properties": map[string]any{"a": g.Schema(2), "b": g.Schema(2)}}
	if g.IntN(3) == 0 {
		s, _ = g.Schema(3).(map[string]any)
	}
	if s == nil {
		return true
	}
	s["$defs"] = map[string]any{"d": g.Schema(2), "e": g.Schema(1)}
	return s
}

// Value returns a value that a schema may accept.
func (g *Generator) Value(doc any) any {
	g.work = 0
	return g.value(doc, doc, 6)
}

// value returns a value that a part of a schema may accept.
func (g *Generator) value(doc, schema any, depth int) any {
	s, ok := schema.(map[string]any)
	if !ok || depth == 0 || g.IntN(30) == 0 {
		return g.any(2)
	}
	merged := map[string]any{}
	g.merge(doc, s, merged, 6)
	s = merged
	if c, ok := s["const"]; ok && g.IntN(20) > 0 {
		return c
	}
	if list, _ := s["enum"].([]any); len(list) > 0 && g.IntN(20) > 0 {
		return g.One(list...)
	}
	kind := s["type"]
	if list, _ := kind.([]any); len(list) > 0 {
		kind = g.One(list...)
	}
	if kind == nil {
		switch {
		case s["properties"] != nil || s["required"] != nil || s["additionalProperties"] != nil || s["minProperties"] != nil || s["maxProperties"] != nil:
			kind = "object"
		case s["items"] != nil || s["minItems"] != nil || s["maxItems"] != nil:
			kind = "array"
		case s["minLength"] != nil || s["maxLength"] != nil:
			kind = "string"
		case s["minimum"] != nil || s["maximum"] != nil || s["exclusiveMinimum"] != nil || s["exclusiveMaximum"] != nil:
			kind = "number"
		}
		if kind == nil || g.IntN(8) == 0 {
			return g.any(2)
		}
	}
	switch kind {
	case "string":
		return strings.Repeat(g.One("x", "y").(string), g.IntN(5))
	case "integer":
		return g.near(s, 0)
	case "number":
		return g.near(s, g.One(0.0, 0.5, 0.25).(float64))
	case "boolean":
		return g.IntN(2) == 0
	case "array":
		list := []any{}
		for range g.IntN(4) {
			list = append(list, g.value(doc, s["items"], depth-1))
		}
		return list
	case "object":
		return g.object(doc, s, depth)
	}
	return nil
}

// near returns a number near a bound of a schema.
func (g *Generator) near(s map[string]any, by float64) any {
	bounds := []any{0.0, 3.0}
	for _, name := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
		if n, ok := s[name].(float64); ok {
			bounds = append(bounds, n, n)
		}
	}
	return g.One(bounds...).(float64) + g.One(-1.0, 0.0, 0.0, 1.0).(float64) + by
}

func (g *Generator) object(doc any, s map[string]any, depth int) any {
	o := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if g.IntN(3) > 0 || slices.Contains(required, any(name)) {
			o[name] = g.value(doc, properties[name], depth-1)
		}
	}
	for _, name := range required {
		if name, ok := name.(string); ok && o[name] == nil && g.IntN(10) > 0 {
			o[name] = g.value(doc, properties[name], depth-1)
		}
	}
	if g.IntN(4) == 0 {
		name := "zz"
		if g.Undeclared {
			name = g.Name()
		}
		if _, ok := o[name]; !ok {
			o[name] = g.value(doc, s["additionalProperties"], depth-1)
		}
	}
	return o
}

// merge adds the keywords of a schema, of those that also apply, and of one branch.
func (g *Generator) merge(doc any, s, to map[string]any, depth int) {
	if g.work++; g.work > 10_000 {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(s)) {
		if properties, ok := s[key].(map[string]any); ok && key == "properties" {
			all, _ := to[key].(map[string]any)
			all = maps.Clone(all)
			if all == nil {
				all = map[string]any{}
			}
			maps.Copy(all, properties)
			to[key] = all
		} else {
			to[key] = s[key]
		}
	}
	if depth == 0 {
		return
	}
	if list, _ := s["allOf"].([]any); list != nil {
		for _, sub := range list {
			if sub, ok := sub.(map[string]any); ok {
				g.merge(doc, sub, to, depth-1)
			}
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if list, _ := s[key].([]any); len(list) > 0 {
			if sub, ok := g.One(list...).(map[string]any); ok {
				g.merge(doc, sub, to, depth-1)
			}
		}
	}
	if ref, _ := s["$ref"].(string); strings.HasPrefix(ref, "#") {
		at := doc
		for _, step := range strings.Split(ref, "/")[1:] {
			o, _ := at.(map[string]any)
			at = o[step]
		}
		if sub, ok := at.(map[string]any); ok {
			g.merge(doc, sub, to, depth-1)
		}
	}
}

func (g *Generator) any(depth int) any {
	switch g.IntN(6) {
	case 0:
		if depth == 0 {
			break
		}
		list := []any{}
		for range g.IntN(3) {
			list = append(list, g.any(depth-1))
		}
		return list
	case 1:
		if depth == 0 || !g.Undeclared {
			break
		}
		o := map[string]any{}
		for range g.IntN(3) {
			o[g.Name()] = g.any(depth - 1)
		}
		return o
	case 2:
		return g.number()
	}
	return g.Scalar()
}
