package compat

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// A generator makes schemas, changes them, and makes values for them.
type generator struct {
	*rand.Rand
	undeclared bool // whether values have members that the schema does not name
	work       int  // for the current value
}

func (g *generator) one(of ...any) any { return of[g.IntN(len(of))] }

func (g *generator) name() string { return g.one("a", "b", "c").(string) }

func (g *generator) number() any { return g.one(0, 1, 2, 3, 5, -1, 1.5, 2.5, 1e3) }

func (g *generator) scalar() any { return g.one("x", "yy", "", 1, 2, 0.5, true, false, nil) }

// schema returns a random schema.
func (g *generator) schema(depth int) any {
	if g.IntN(20) == 0 {
		return g.one(true, false)
	}
	s := map[string]any{}
	for range g.IntN(4) {
		g.keyword(s, depth)
	}
	return s
}

// keyword sets a random keyword.
func (g *generator) keyword(s map[string]any, depth int) {
	sub := func() any { return g.schema(depth - 1) }
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
		s["type"] = g.one("string", "integer", "number", "boolean", "null", "array", "object", "object", "object")
	case 3:
		s["type"] = []any{g.one("string", "integer", "object"), g.one("null", "number", "array")}
	case 4:
		s["enum"] = []any{g.scalar(), g.scalar()}
	case 5:
		s["const"] = g.scalar()
	case 6:
		s[g.one("minimum", "exclusiveMinimum").(string)] = g.number()
		s["type"] = g.one("integer", "number")
	case 7:
		s[g.one("maximum", "exclusiveMaximum").(string)] = g.number()
		s["type"] = g.one("integer", "number")
	case 8, 9:
		kind := g.IntN(3)
		s[[]string{"minLength", "minItems", "minProperties", "maxLength", "maxItems", "maxProperties"}[kind+3*g.IntN(2)]] = g.IntN(4)
		s["type"] = []string{"string", "array", "object"}[kind]
	case 10:
		s["required"] = []any{g.name(), g.name()}
	case 11:
		s["additionalProperties"] = g.one(true, false, false)
	case 12:
		s[g.one("uniqueItems", "multipleOf", "pattern", "default", "description").(string)] = g.one(true, 2, "x", "^x")
	case 13:
		s["$ref"] = g.one("#/$defs/d", "#/$defs/e", "#")
	case 14:
		s["items"] = sub()
	case 15, 16, 17, 18, 19, 20:
		properties := map[string]any{}
		for range 1 + g.IntN(3) {
			properties[g.name()] = sub()
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
		s[g.one("oneOf", "prefixItems").(string)] = subs()
	case 26:
		s[g.one("not", "propertyNames", "contains", "if", "unevaluatedProperties").(string)] = sub()
	}
}

// document returns a schema with definitions.
func (g *generator) document() any {
	s := map[string]any{"type": "object", "properties": map[string]any{"a": g.schema(2), "b": g.schema(2)}}
	if g.IntN(3) == 0 {
		s, _ = g.schema(3).(map[string]any)
	}
	if s == nil {
		return true
	}
	s["$defs"] = map[string]any{"d": g.schema(2), "e": g.schema(1)}
	return s
}

func clone(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var c any
	if err := json.Unmarshal(text, &c); err != nil {
		panic(err)
	}
	return c
}

// mutate changes one schema in a document, which it may modify.
func (g *generator) mutate(v any) any {
	s, ok := v.(map[string]any)
	if !ok {
		return g.schema(1)
	}
	keys := slices.Sorted(maps.Keys(s))
	if len(keys) > 0 && g.IntN(4) > 0 {
		key := keys[g.IntN(len(keys))]
		switch of := s[key].(type) {
		case float64:
			s[key] = of + float64(g.IntN(3)) - 1
			return s
		case map[string]any:
			if key != "properties" && key != "$defs" {
				s[key] = g.mutate(of)
				return s
			}
			names := slices.Sorted(maps.Keys(of))
			switch name := names[g.IntN(len(names))]; g.IntN(6) {
			case 0:
				if key == "properties" && len(of) > 1 {
					delete(of, name)
				}
			case 1:
				of[g.name()] = g.schema(1)
			default:
				of[name] = g.mutate(of[name])
			}
			return s
		case []any:
			if len(of) == 0 {
				return s
			}
			i := g.IntN(len(of))
			switch {
			case key == "required" || key == "enum" || key == "type":
				if g.IntN(2) == 0 && len(of) > 1 {
					s[key] = slices.Delete(of, i, i+1)
				} else if key == "enum" {
					s[key] = append(of, g.scalar())
				} else if key == "required" {
					s[key] = append(of, g.name())
				}
			case g.IntN(4) == 0 && len(of) > 1:
				s[key] = slices.Delete(of, i, i+1)
			case g.IntN(4) == 0:
				s[key] = append(of, g.schema(1))
			case g.IntN(4) == 0:
				g.Shuffle(len(of), func(a, b int) { of[a], of[b] = of[b], of[a] })
			default:
				of[i] = g.mutate(of[i])
			}
			return s
		}
	}
	switch {
	case g.IntN(3) == 0 && len(keys) > 0:
		key := keys[g.IntN(len(keys))]
		if key != "$defs" {
			delete(s, key)
		}
	case g.IntN(6) == 0 && s["$defs"] == nil:
		return map[string]any{g.one("anyOf", "allOf").(string): []any{s, g.schema(1)}}
	default:
		g.keyword(s, 1)
	}
	return s
}

// value returns a value that a schema may accept.
func (g *generator) value(doc, schema any, depth int) any {
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
		return g.one(list...)
	}
	kind := s["type"]
	if list, _ := kind.([]any); len(list) > 0 {
		kind = g.one(list...)
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
		return strings.Repeat(g.one("x", "y").(string), g.IntN(5))
	case "integer":
		return g.near(s, 0)
	case "number":
		return g.near(s, g.one(0.0, 0.5, 0.25).(float64))
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
func (g *generator) near(s map[string]any, by float64) any {
	bounds := []any{0.0, 3.0}
	for _, name := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"} {
		if n, ok := s[name].(float64); ok {
			bounds = append(bounds, n, n)
		}
	}
	return g.one(bounds...).(float64) + g.one(-1.0, 0.0, 0.0, 1.0).(float64) + by
}

func (g *generator) object(doc any, s map[string]any, depth int) any {
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
		if g.undeclared {
			name = g.name()
		}
		if _, ok := o[name]; !ok {
			o[name] = g.value(doc, s["additionalProperties"], depth-1)
		}
	}
	return o
}

// merge adds the keywords of a schema, of those that also apply, and of one branch.
func (g *generator) merge(doc any, s, to map[string]any, depth int) {
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
			if sub, ok := g.one(list...).(map[string]any); ok {
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

// any returns any value.
func (g *generator) any(depth int) any {
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
		if depth == 0 || !g.undeclared {
			break
		}
		o := map[string]any{}
		for range g.IntN(3) {
			o[g.name()] = g.any(depth - 1)
		}
		return o
	case 2:
		return g.number()
	}
	return g.scalar()
}
