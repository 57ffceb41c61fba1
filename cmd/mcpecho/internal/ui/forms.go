package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

const (
	maxFormDepth  = 8    // of nested objects, arrays, choices and references
	maxFormFields = 1000 // of a form
	maxOptions    = 500  // of a field

	maxFormOptions = 20_000   // of all fields
	maxFormRead    = 32 << 20 // bytes that references of a schema lead to
)

// Kinds of fields.
const (
	fieldString  = "string"
	fieldNumber  = "number"
	fieldInteger = "integer"
	fieldBoolean = "boolean"
	fieldNull    = "null"
	fieldEnum    = "enum"
	fieldMulti   = "multi" // a list of options
	fieldObject  = "object"
	fieldArray   = "array"
	fieldChoice  = "choice"
	fieldRaw     = "raw" // JSON text, for the Reason
)

// A field is a part of a form, made from a JSON Schema.
type field struct {
	Key         string
	Title       string
	Description string
	Kind        string
	Required    bool
	Default     mcp.RawMessage
	Rules       string   // limits, for the user
	Format      string   // of a string
	Options     []option // of an enum
	Fields      []*field // of an object
	Item        *field   // of an array
	Choices     []*field // of a choice
	Reason      string   // why the field is raw
	Complete    bool
}

// An option is a value of an enum.
type option struct {
	Value mcp.RawMessage
	Title string
}

// A former makes the fields of a form.
type former struct {
	root    mcp.RawMessage
	fields  int
	options int // enums and choices
	read    int // bytes that references led to
}

func formOf(raw mcp.RawMessage) *field {
	f := &former{root: raw}
	return f.field("", raw, 0)
}

func rawField(reason string) *field { return &field{Kind: fieldRaw, Reason: reason} }

func (f *former) field(key string, raw mcp.RawMessage, depth int) *field {
	made := f.make(raw, depth)
	made.Key = key
	return made
}

func (f *former) make(raw mcp.RawMessage, depth int) *field {
	f.fields++
	switch {
	case depth > maxFormDepth:
		return rawField("the schema is nested more deeply than " + strconv.Itoa(maxFormDepth) + " levels")
	case f.fields > maxFormFields:
		return rawField("the form has more than " + strconv.Itoa(maxFormFields) + " fields")
	case string(raw) == "true", len(raw) == 0:
		return rawField("the schema accepts every value")
	}
	s, reason := f.resolve(raw)
	if reason != "" {
		return rawField(reason)
	}
	made := f.kind(s, depth)
	if made.Title == "" {
		made.Title = cut(s.text("title"), maxName)
	}
	if d := s.text("description"); d != "" {
		made.Description = cut(d, 2000)
	}
	if s.has("default") {
		made.Default = s.raw("default")
	}
	made.Rules = rulesOf(s)
	return made
}

// resolve follows local references, and an allOf with one schema. Members beside a
// reference take precedence.
func (f *former) resolve(raw mcp.RawMessage) (s object, reason string) {
	for range maxFormDepth {
		list := members(raw)
		if list == nil && !slices.Equal(wire.AppendCompact(nil, raw), []byte("{}")) {
			return s, "the schema is not an object"
		}
		s.list = append(s.list, list...) // of members with the same key, the first is read
		here := object{list}
		switch all := elements(here.raw("allOf"), 2); {
		case here.has("$ref"):
			if f.read > maxFormRead {
				return s, "the references of the schema lead to more than " + strconv.Itoa(maxFormRead>>20) + " MiB"
			}
			ref := here.text("$ref")
			if raw = f.target(ref); raw == nil {
				return s, "the reference " + wire.Quote(cut(ref, maxName)) + " leads to no schema of this document"
			}
		case len(all) == 1:
			raw = all[0]
		case len(all) > 1:
			return s, "the schema combines several schemas with allOf"
		default:
			for _, key := range [...]string{"$dynamicRef", "if", "not", "dependentSchemas", "patternProperties"} {
				if s.has(key) {
					return s, "the schema uses " + key
				}
			}
			return s, ""
		}
	}
	return s, "the references of the schema do not end"
}

// target returns the schema at a local reference, or nil.
func (f *former) target(ref string) mcp.RawMessage {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || pointer != "" && pointer[0] != '/' {
		return nil
	}
	raw := f.root
	for _, part := range strings.Split(pointer, "/")[1:] {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		f.read += len(raw)
		if raw = (object{members(raw)}).raw(part); raw == nil {
			return nil
		}
	}
	f.read += len(raw)
	return raw
}

// kind returns the field without what all fields have.
func (f *former) kind(s object, depth int) *field {
	switch {
	case s.has("const"):
		return &field{Kind: fieldEnum, Options: []option{{Value: s.raw("const")}}}
	case s.has("enum"):
		return f.enum(s)
	case s.has("oneOf"), s.has("anyOf"):
		return f.choice(s, depth)
	}
	types := []string{s.text("type")}
	if s.has("type") && types[0] == "" {
		types = types[:0]
		for _, raw := range elements(s.raw("type"), 8) {
			types = append(types, wire.TextOf(raw))
		}
	}
	if len(types) > 1 {
		choice := &field{Kind: fieldChoice}
		for _, t := range types {
			made := f.simple(s, t, depth+1)
			made.Title = t
			choice.Choices = append(choice.Choices, made)
		}
		return choice
	}
	if len(types) == 0 {
		return rawField("the schema has an invalid type")
	}
	return f.simple(s, types[0], depth)
}

// simple returns the field for a type; "" means that the schema has none.
func (f *former) simple(s object, kind string, depth int) *field {
	if kind == "" {
		switch {
		case s.has("properties"):
			kind = fieldObject
		case s.has("items"):
			kind = fieldArray
		default:
			return rawField("the schema has no type")
		}
	}
	switch kind {
	case fieldString, fieldNumber, fieldInteger, fieldBoolean, fieldNull:
		return &field{Kind: kind, Format: cut(s.text("format"), maxName)}
	case fieldObject:
		return f.object(s, depth)
	case fieldArray:
		return f.array(s, depth)
	}
	return rawField("the schema has the unknown type " + wire.Quote(cut(kind, maxName)))
}

func (f *former) object(s object, depth int) *field {
	made := &field{Kind: fieldObject}
	var required []string
	isRequired, described := make(map[string]bool), make(map[string]bool)
	for _, raw := range elements(s.raw("required"), maxMembers) {
		key := wire.TextOf(raw)
		required, isRequired[key] = append(required, key), true
	}
	properties := members(s.raw("properties"))
	if len(properties) == 0 && depth > 0 && string(s.raw("additionalProperties")) != "false" {
		return rawField("the schema names no members of the object")
	}
	for _, m := range properties {
		child := f.field(m.key, m.raw, depth+1)
		child.Required, described[m.key] = isRequired[m.key], true
		made.Fields = append(made.Fields, child)
	}
	for _, key := range required {
		if !described[key] && len(made.Fields) < maxFormFields {
			child := rawField("the member is required, and the schema does not describe it")
			child.Key, child.Required = key, true
			made.Fields = append(made.Fields, child)
		}
	}
	return made
}

func (f *former) array(s object, depth int) *field {
	if s.has("prefixItems") || len(elements(s.raw("items"), 1)) > 0 {
		return rawField("the elements of the array have schemas of their own")
	}
	if !s.has("items") {
		return rawField("the schema does not describe the elements of the array")
	}
	item := f.field("", s.raw("items"), depth+1)
	if item.Kind == fieldEnum && string(s.raw("uniqueItems")) == "true" || item.Kind == fieldEnum && len(item.Options) <= 12 {
		return &field{Kind: fieldMulti, Options: item.Options}
	}
	return &field{Kind: fieldArray, Item: item}
}

// tooManyOptions is why a field is raw whose options the form has no room for.
const tooManyOptions = "the form has too many options"

func (f *former) enum(s object) *field {
	if f.options > maxFormOptions {
		return rawField(tooManyOptions)
	}
	made := &field{Kind: fieldEnum}
	names := elements(s.raw("enumNames"), maxOptions)
	for i, raw := range elements(s.raw("enum"), maxOptions+1) {
		if i == maxOptions {
			return rawField("the schema has more than " + strconv.Itoa(maxOptions) + " options")
		}
		o := option{Value: raw}
		if i < len(names) {
			o.Title = cut(wire.TextOf(names[i]), maxName)
		}
		made.Options = append(made.Options, o)
	}
	f.options += len(made.Options)
	if len(made.Options) == 0 {
		return rawField("the schema has no options")
	}
	return made
}

// choice returns an enum if every choice is a constant.
func (f *former) choice(s object, depth int) *field {
	key := "oneOf"
	if !s.has(key) {
		key = "anyOf"
	}
	if s.has("properties") || s.has("items") || s.has("oneOf") && s.has("anyOf") {
		return rawField("the schema combines " + key + " with other conditions")
	}
	if f.options > maxFormOptions {
		return rawField(tooManyOptions)
	}
	list := elements(s.raw(key), maxOptions)
	f.options += len(list)
	enum := &field{Kind: fieldEnum}
	for _, raw := range list {
		if one := (object{members(raw)}); one.has("const") {
			enum.Options = append(enum.Options, option{one.raw("const"), cut(one.text("title"), maxName)})
		}
	}
	if len(enum.Options) == len(list) && len(list) > 0 {
		return enum
	}
	made := &field{Kind: fieldChoice}
	for i, raw := range list {
		child := f.field("", raw, depth+1)
		if child.Title == "" {
			child.Title = child.Kind
			if child.Kind == fieldObject || child.Kind == fieldRaw {
				child.Title = "choice " + strconv.Itoa(i+1)
			}
		}
		made.Choices = append(made.Choices, child)
	}
	if len(made.Choices) == 0 {
		return rawField("the schema has no choices")
	}
	return made
}

// rulesOf describes the limits of a value.
func rulesOf(s object) string {
	var rules []string
	for _, r := range [...]struct{ key, text string }{
		{"minimum", "at least %s"}, {"exclusiveMinimum", "more than %s"}, {"maximum", "at most %s"}, {"exclusiveMaximum", "less than %s"},
		{"multipleOf", "a multiple of %s"}, {"minLength", "length at least %s"}, {"maxLength", "length at most %s"},
		{"minItems", "length at least %s"}, {"maxItems", "length at most %s"}, {"pattern", "matches %s"},
	} {
		if value := s.raw(r.key); value != nil {
			text := wire.TextOf(value)
			if text == "" {
				text = string(value)
			}
			rules = append(rules, fmt.Sprintf(r.text, cut(text, 80)))
		}
	}
	return strings.Join(rules, ", ")
}

// inputSchema returns the schema of what an item takes, or nil.
func inputSchema(i *item) mcp.RawMessage {
	if t, ok := i.value.(*mcp.Tool); ok {
		return t.InputSchema
	}
	return nil
}

func inputForm(i *item) *field {
	made := &field{Kind: fieldObject}
	switch v := i.value.(type) {
	case *mcp.Tool:
		if v.InputSchema == nil {
			return rawField("the tool has no input schema")
		}
		return formOf(v.InputSchema)
	case *mcp.Prompt:
		for _, a := range v.Arguments {
			made.Fields = append(made.Fields, &field{Key: a.Name, Title: a.Title, Description: cut(a.Description, 2000), Kind: fieldString,
				Required: a.Required != nil && *a.Required, Complete: true})
		}
	case *mcp.ResourceTemplate:
		for _, name := range toolargs.TemplateVariables(v.URITemplate) {
			made.Fields = append(made.Fields, &field{Key: name, Kind: fieldString, Complete: true})
		}
	}
	return made
}
