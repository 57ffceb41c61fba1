package toolargs

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// A Schema holds the parts of a JSON Schema that mcpecho uses.
type Schema struct {
	Types       []string // allowed types: string, number, integer, boolean, array, object, null, any; empty means any
	Description string
	Default     string // the default, in JSON
	Enum        []string
	Exact       bool     // no other values than those of Enum are allowed
	Limits      []string // such as "minimum 0"
	Properties  []Property
	Required    []string
	Filled      []string // required arguments of a tool whose defaults mcpecho sends
	Items       *Schema  // of an array; nil if unknown
	Open        bool     // an object may have other properties

	index map[string]*Schema // of Properties; nil if none was read
}

type Property struct {
	Name string
	*Schema
}

// limit returns how many bytes are read of a schema of n bytes and of what it refers to,
// because it may refer to itself often, and each of them takes 40 bytes of memory. Beyond, it
// is read less deep. Without references, each level is read once more.
func limit(n int) int { return min(64*n, 64<<10+10*n, 4<<20) }

// A parser is what the parts of a schema share while they are read.
type parser struct {
	root    []byte
	targets map[string]map[string][]byte // of references, by what comes before the last slash
	depth   int                          // limit
	left    int                          // bytes to read
}

// ParseSchema parses a schema. Keywords that it does not know allow everything.
func ParseSchema(raw []byte) (s *Schema) {
	p := &parser{root: raw, targets: make(map[string]map[string][]byte)}
	for _, p.depth = range [...]int{8, 3, 1} {
		s, p.left = new(Schema), limit(len(raw))
		if s.read(p, raw, 0); p.left >= 0 {
			break
		}
	}
	s.Required = slices.DeleteFunc(s.Required, func(name string) bool {
		p := s.Property(name)
		if p == nil || p.Default == "" {
			return false
		}
		s.Filled = append(s.Filled, name) // some generators require these although the server fills them in
		return true
	})
	return s
}

// read adds the keywords of raw, which is part of what p reads, to s.
func (s *Schema) read(p *parser, raw []byte, depth int) {
	r := wire.NewReader(raw)
	if p.left -= len(raw); r.Kind() != wire.Object || depth > p.depth || p.left < 0 {
		s.Open = true
		return
	}
	closed, known := false, false
	for r.Object(); r.More(); {
		key := string(r.Key())
		value := r.Raw()
		switch key {
		case "type":
			s.readTypes(Texts(value))
		case "description":
			s.Description = terminal.PlainJSON(value)
		case "default":
			s.Default = string(value)
		case "enum":
			s.readEnum(Elements(value))
		case "const":
			s.readEnum([][]byte{value})
		case "format", "pattern":
			s.Limits = append(s.Limits, terminal.PlainJSON(value))
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems":
			s.Limits = append(s.Limits, key+" "+string(value))
		case "properties":
			known = true
			s.readProperties(p, value, depth)
		case "required":
			s.Required = Union(s.Required, Texts(value))
		case "items":
			s.Items = new(Schema)
			s.Items.read(p, value, depth+1)
		case "additionalProperties":
			closed = string(value) == "false"
			s.Open = s.Open || !closed
		case "patternProperties":
			s.Open = true
		case "anyOf", "oneOf", "allOf":
			s.readAll(p, Elements(value), key == "allOf", depth)
		case "$ref":
			if target := p.lookup(terminal.PlainJSON(value)); target != nil {
				s.read(p, target, depth+1)
			} else {
				s.Open = true
			}
		}
	}
	s.Open = s.Open || !known && !closed
	if len(s.Properties) > 0 {
		s.index = make(map[string]*Schema, len(s.Properties))
	}
	for _, one := range slices.Backward(s.Properties) { // the first of a name counts
		s.index[one.Name] = one.Schema
	}
}

// readTypes adds the allowed types. An unknown type allows any value.
func (s *Schema) readTypes(names []string) {
	for _, name := range names {
		switch name {
		case "string", "number", "integer", "boolean", "array", "object", "null":
		default:
			name = "any"
		}
		s.addType(name)
	}
}

func (s *Schema) addType(name string) {
	if !slices.Contains(s.Types, name) {
		s.Types = append(s.Types, name)
	}
}

// readEnum adds the allowed values and their types.
func (s *Schema) readEnum(values [][]byte) {
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
		s.addType(TypeOf(v))
	}
	s.Exact = true
}

// accepts reports whether the value, in JSON and of an allowed type, is an integer where
// the schema requires one, and one of the allowed values where it lists them.
func (s *Schema) accepts(value string) bool {
	isNumber := TypeOf([]byte(value)) == "number"
	if isNumber && slices.Contains(s.Types, "integer") && !slices.Contains(s.Types, "number") && !slices.Contains(s.Types, "any") {
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || n != math.Trunc(n) {
			return false
		}
	}
	return !s.Exact || isNumber || slices.Contains(s.Enum, value)
}

// readAll merges the schemas of allOf, or of anyOf and oneOf.
func (s *Schema) readAll(p *parser, schemas [][]byte, all bool, depth int) {
	exact, enum, limits, required := 0, s.Enum, s.Limits, s.Required
	for _, raw := range schemas {
		var part Schema
		part.read(p, raw, depth+1)
		if part.Exact {
			exact++
		}
		s.Types = Union(s.Types, part.Types)
		enum, limits = append(enum, part.Enum...), append(limits, part.Limits...)
		s.Properties = append(s.Properties, part.Properties...)
		s.Open = s.Open || part.Open
		if s.Items == nil {
			s.Items = part.Items
		}
		if all {
			required = append(required, part.Required...)
		}
		if len(part.Types) == 0 && !all {
			s.addType("any")
		}
	}
	s.Enum, s.Limits, s.Required = Union(nil, enum), Union(nil, limits), Union(nil, required)
	s.Exact = s.Exact || exact > 0 && (all || exact == len(schemas))
}

func (s *Schema) readProperties(p *parser, raw []byte, depth int) {
	r := wire.NewReader(raw)
	if r.Kind() != wire.Object {
		return
	}
	r.AnyKeys() // more than 512, too
	for r.Object(); r.More(); {
		one := Property{string(r.Key()), new(Schema)}
		one.read(p, r.Raw(), depth+1)
		s.Properties = append(s.Properties, one)
	}
}

// Property returns the schema of a property, or nil.
func (s *Schema) Property(name string) *Schema {
	if s.index != nil {
		return s.index[name]
	}
	for _, p := range s.Properties {
		if p.Name == name {
			return p.Schema
		}
	}
	return nil
}

// Names returns the names of the properties.
func (s *Schema) Names() (names []string) {
	for _, p := range s.Properties {
		names = append(names, p.Name)
	}
	return names
}

// Allows reports whether a value may have the JSON type.
func (s *Schema) Allows(jsonType string) bool {
	return len(s.Types) == 0 || slices.Contains(s.Types, "any") || slices.Contains(s.Types, jsonType) ||
		jsonType == "number" && slices.Contains(s.Types, "integer")
}

// onlyText reports whether every value is a string or null.
func (s *Schema) onlyText() bool {
	return slices.Contains(s.Types, "string") &&
		!slices.ContainsFunc(s.Types, func(t string) bool { return t != "string" && t != "null" })
}

// lookup resolves a reference within the document, such as #/$defs/name.
func (p *parser) lookup(ref string) []byte {
	if ref == "#" {
		return p.root
	}
	at := strings.LastIndexByte(ref, '/')
	if at < 0 || strings.Count(ref, "/") > wire.MaxDepth {
		return nil
	}
	members := p.targets[ref[:at]]
	if members == nil { // the first reference to one of them
		members = make(map[string][]byte)
		object := p.lookup(ref[:at])
		p.left -= len(object) // names have several spellings, and each its own members
		if r := wire.NewReader(object); r.Kind() == wire.Object && p.left >= 0 {
			r.AnyKeys()
			for r.Object(); r.More(); {
				name := string(r.Key())
				members[name] = r.Raw()
			}
		}
		p.targets[ref[:at]] = members
	}
	return members[strings.NewReplacer("~1", "/", "~0", "~").Replace(ref[at+1:])]
}

// Member returns a member of an object, or nil.
func Member(raw []byte, key string) []byte {
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

// Elements returns the elements of an array, or none.
func Elements(raw []byte) (values [][]byte) {
	r := wire.NewReader(raw)
	if r.Kind() != wire.Array {
		return nil
	}
	for r.Array(); r.More(); {
		values = append(values, r.Raw())
	}
	return values
}

// Texts returns the string in raw, or the strings in its array.
func Texts(raw []byte) (list []string) {
	if TypeOf(raw) == "string" {
		return []string{terminal.PlainJSON(raw)}
	}
	for _, v := range Elements(raw) {
		if TypeOf(v) == "string" {
			list = append(list, terminal.PlainJSON(v))
		}
	}
	return list
}

// TypeOf returns the JSON Schema type of a JSON value.
func TypeOf(raw []byte) string {
	r := wire.NewReader(raw)
	return [...]string{"", "null", "boolean", "number", "string", "array", "object"}[r.Kind()]
}

// Union returns a with the elements of b that it lacks.
func Union(a, b []string) []string {
	seen := Set(a)
	for _, s := range b {
		if !seen[s] {
			seen[s] = true
			a = append(a, s)
		}
	}
	return a
}

// Set returns a set of names.
func Set(names []string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}

// PromptSchema returns the arguments of a prompt as a schema.
func PromptSchema(p *mcp.Prompt) *Schema {
	s := &Schema{Types: []string{"object"}}
	for _, a := range p.Arguments {
		s.Properties = append(s.Properties, Property{a.Name, &Schema{Types: []string{"string"}, Description: a.Description}})
		if a.Required != nil && *a.Required {
			s.Required = append(s.Required, a.Name)
		}
	}
	return s
}
