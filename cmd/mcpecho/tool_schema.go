package main

import (
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A schema holds the parts of a JSON Schema that mcpecho uses.
type schema struct {
	types       []string // allowed types: string, number, integer, boolean, array, object, null, any; empty means any
	description string
	def         string // the default, in JSON
	enum        []string
	limits      []string // such as "minimum 0"
	properties  []property
	required    []string
	filled      []string // required arguments of a tool whose defaults mcpecho sends
	items       *schema  // of an array; nil if unknown
	open        bool     // an object may have other properties
}

type property struct {
	name string
	*schema
}

// maxSchemaDepth limits the depth of nested schemas, because a schema may refer
// to itself.
const maxSchemaDepth = 8

// parseSchema parses a schema. Keywords that it does not know allow everything.
func parseSchema(raw []byte) *schema {
	s := new(schema)
	s.read(raw, raw, 0)
	s.required = slices.DeleteFunc(s.required, func(name string) bool {
		p := s.property(name)
		if p == nil || p.def == "" {
			return false
		}
		s.filled = append(s.filled, name) // some generators require these although the server fills them in
		return true
	})
	return s
}

// read adds the keywords of raw, which is part of root, to s.
func (s *schema) read(root, raw []byte, depth int) {
	r := wire.NewReader(raw)
	if r.Kind() != wire.Object || depth > maxSchemaDepth {
		s.open = true
		return
	}
	closed, known := false, false
	for r.Object(); r.More(); {
		key := string(r.Key())
		value := r.Raw()
		switch key {
		case "type":
			s.readTypes(texts(value))
		case "description":
			s.description = plainJSON(value)
		case "default":
			s.def = string(value)
		case "enum":
			s.readEnum(elements(value))
		case "const":
			s.readEnum([][]byte{value})
		case "format", "pattern":
			s.limits = append(s.limits, plainJSON(value))
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems":
			s.limits = append(s.limits, key+" "+string(value))
		case "properties":
			known = true
			s.readProperties(root, value, depth)
		case "required":
			s.required = union(s.required, texts(value))
		case "items":
			s.items = new(schema)
			s.items.read(root, value, depth+1)
		case "additionalProperties":
			closed = string(value) == "false"
			s.open = s.open || !closed
		case "patternProperties":
			s.open = true
		case "anyOf", "oneOf", "allOf":
			s.readAll(root, elements(value), key == "allOf", depth)
		case "$ref":
			if target := lookup(root, plainJSON(value)); target != nil {
				s.read(root, target, depth+1)
			} else {
				s.open = true
			}
		}
	}
	s.open = s.open || !known && !closed
}

// readTypes adds the allowed types. An unknown type allows any value.
func (s *schema) readTypes(names []string) {
	for _, name := range names {
		switch name {
		case "string", "number", "integer", "boolean", "array", "object", "null":
		default:
			name = "any"
		}
		s.types = union(s.types, []string{name})
	}
}

// readEnum adds the allowed values and their types.
func (s *schema) readEnum(values [][]byte) {
	for _, v := range values {
		s.enum = append(s.enum, string(v))
		s.types = union(s.types, []string{typeOf(v)})
	}
}

// readAll merges the schemas of allOf, or of anyOf and oneOf.
func (s *schema) readAll(root []byte, schemas [][]byte, all bool, depth int) {
	for _, raw := range schemas {
		var part schema
		part.read(root, raw, depth+1)
		s.types = union(s.types, part.types)
		s.enum = union(s.enum, part.enum)
		s.limits = union(s.limits, part.limits)
		s.properties = append(s.properties, part.properties...)
		s.open = s.open || part.open
		if s.items == nil {
			s.items = part.items
		}
		if all {
			s.required = union(s.required, part.required)
		}
		if len(part.types) == 0 && !all {
			s.types = union(s.types, []string{"any"})
		}
	}
}

func (s *schema) readProperties(root, raw []byte, depth int) {
	r := wire.NewReader(raw)
	if r.Kind() != wire.Object {
		return
	}
	for r.Object(); r.More(); {
		p := property{string(r.Key()), new(schema)}
		p.read(root, r.Raw(), depth+1)
		s.properties = append(s.properties, p)
	}
}

// property returns the schema of a property, or nil.
func (s *schema) property(name string) *schema {
	for _, p := range s.properties {
		if p.name == name {
			return p.schema
		}
	}
	return nil
}

func (s *schema) names() (names []string) {
	for _, p := range s.properties {
		names = append(names, p.name)
	}
	return names
}

// allows reports whether a value may have the JSON type.
func (s *schema) allows(jsonType string) bool {
	return len(s.types) == 0 || slices.Contains(s.types, "any") || slices.Contains(s.types, jsonType) ||
		jsonType == "number" && slices.Contains(s.types, "integer")
}

// onlyText reports whether every value is a string or null.
func (s *schema) onlyText() bool {
	return slices.Contains(s.types, "string") &&
		!slices.ContainsFunc(s.types, func(t string) bool { return t != "string" && t != "null" })
}

// lookup resolves a reference within the document, such as #/$defs/name.
func lookup(root []byte, ref string) []byte {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	for path != "" && root != nil {
		var step string
		step, path, _ = strings.Cut(strings.TrimPrefix(path, "/"), "/")
		if path != "" {
			path = "/" + path
		}
		root = member(root, strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
	}
	return root
}

// member returns a member of an object, or nil.
func member(raw []byte, key string) []byte {
	r := wire.NewReader(raw)
	if r.Kind() != wire.Object {
		return nil
	}
	for r.Object(); r.More(); r.Skip() {
		if string(r.Key()) == key {
			return r.Raw()
		}
	}
	return nil
}

// elements returns the elements of an array, or none.
func elements(raw []byte) (values [][]byte) {
	r := wire.NewReader(raw)
	if r.Kind() != wire.Array {
		return nil
	}
	for r.Array(); r.More(); {
		values = append(values, r.Raw())
	}
	return values
}

// texts returns the string in raw, or the strings in its array.
func texts(raw []byte) (list []string) {
	if typeOf(raw) == "string" {
		return []string{plainJSON(raw)}
	}
	for _, v := range elements(raw) {
		if typeOf(v) == "string" {
			list = append(list, plainJSON(v))
		}
	}
	return list
}

// typeOf returns the JSON Schema type of a JSON value.
func typeOf(raw []byte) string {
	r := wire.NewReader(raw)
	return [...]string{"", "null", "boolean", "number", "string", "array", "object"}[r.Kind()]
}

// union returns a with the elements of b that it lacks.
func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}
