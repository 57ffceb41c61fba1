package mcp

import (
	"slices"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// ElicitParams are a server's request to ask the user (elicitation/create): to
// fill in a form, or to open a URL when Mode is "url".
type ElicitParams struct {
	Mode    string // "form" or "url" (2025-11-25); empty means form
	Message string // for the user

	// RequestedSchema is the JSON Schema of the form, byte for byte. See
	// Fields.
	RequestedSchema RawMessage

	URL           string // what the user is to open
	ElicitationID string // for URL (2025-11-25 only)

	Meta  RawMessage            // "_meta", byte for byte; nil when there is none
	Extra map[string]RawMessage // members that this type has no field for, as they came
}

func (t *ElicitParams) fields(c *codec) {
	c.string("mode", &t.Mode, omitEmpty)
	c.string("message", &t.Message, always)
	c.raw("requestedSchema", &t.RequestedSchema)
	c.string("url", &t.URL, omitEmpty)
	c.string("elicitationId", &t.ElicitationID, omitEmpty)
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
}

// A FormField is what the user is asked for.
type FormField struct {
	Name     string // the member of ElicitResult.Content
	Required bool
	Schema   PrimitiveSchema
}

// Fields returns the fields of the form, in the order in which the server gave
// them. The error says that RequestedSchema is not the schema of a form.
func (t *ElicitParams) Fields() ([]FormField, error) {
	if t.RequestedSchema == nil {
		return nil, nil
	}
	var f form
	err := wire.Valid(t.RequestedSchema) // a program may have made it
	if err == nil {
		err = decodeText(t.RequestedSchema, &f)
	}
	if err != nil {
		return nil, err
	}
	for i := range f.list {
		f.list[i].Required = slices.Contains(f.required, f.list[i].Name)
	}
	return f.list, nil
}

// A form is what a requested schema says.
type form struct {
	list     []FormField
	required []string
}

func (t *form) fields(c *codec) {
	if c.take("properties") && !c.emptyArray() {
		for c.r.Object(); c.r.More(); {
			f := FormField{Name: string(c.r.Key())}
			c.read(&f.Schema)
			t.list = append(t.list, f)
		}
	}
	stringList(c, "required", &t.required, omitEmpty)
}

// A PrimitiveSchema is the JSON Schema of one field of a form.
type PrimitiveSchema struct {
	Type        string // "string", "number", "integer", "boolean", or "array" for a choice of several
	Title       string // for people
	Description string

	MinLength *int64 // string: in characters
	MaxLength *int64 // string
	Format    string // string: "email", "uri", "date" or "date-time"; may be empty

	Minimum *float64 // number, integer
	Maximum *float64 // number, integer

	// What there is to choose from, in one of the four ways that the revisions
	// have. Choices returns it.
	Enum      []string     // string
	EnumNames []string     // string: titles for Enum
	OneOf     []EnumOption // string (2025-11-25)
	Items     *EnumItems   // array (2025-11-25)
	MinItems  *int64       // array: how many are to be chosen
	MaxItems  *int64       // array

	Default RawMessage // of the kind that Type says; nil when there is none

	Extra map[string]RawMessage // members that this type has no field for, as they came
}

func (t *PrimitiveSchema) fields(c *codec) {
	c.string("type", &t.Type, always)
	c.string("title", &t.Title, omitEmpty)
	c.string("description", &t.Description, omitEmpty)
	c.intPtr("minLength", &t.MinLength)
	c.intPtr("maxLength", &t.MaxLength)
	c.string("format", &t.Format, omitEmpty)
	c.floatPtr("minimum", &t.Minimum)
	c.floatPtr("maximum", &t.Maximum)
	stringList(c, "enum", &t.Enum, omitEmpty)
	stringList(c, "enumNames", &t.EnumNames, omitEmpty)
	list(c, "oneOf", &t.OneOf, omitEmpty)
	pointer(c, "items", &t.Items)
	c.intPtr("minItems", &t.MinItems)
	c.intPtr("maxItems", &t.MaxItems)
	c.raw("default", &t.Default)
	c.extra(&t.Extra)
}

// Choices returns what there is to choose from, with a title for each, or nil
// when the user is free to enter anything.
func (t *PrimitiveSchema) Choices() []EnumOption {
	enum, options := t.Enum, t.OneOf
	if t.Items != nil {
		enum, options = t.Items.Enum, t.Items.AnyOf
	}
	if enum == nil {
		return options
	}
	options = make([]EnumOption, len(enum))
	for i, value := range enum {
		options[i] = EnumOption{Const: value, Title: value}
		if t.Items == nil && i < len(t.EnumNames) {
			options[i].Title = t.EnumNames[i]
		}
	}
	return options
}

// EnumItems say what there is to choose several from.
type EnumItems struct {
	Type  string       // "string" beside Enum
	Enum  []string     // one way
	AnyOf []EnumOption // the other

	Extra map[string]RawMessage // members that this type has no field for, as they came
}

func (t *EnumItems) fields(c *codec) {
	c.string("type", &t.Type, omitEmpty)
	stringList(c, "enum", &t.Enum, omitEmpty)
	list(c, "anyOf", &t.AnyOf, omitEmpty)
	c.extra(&t.Extra)
}

// An EnumOption is something to choose.
type EnumOption struct {
	Const string // the value
	Title string // for people

	Extra map[string]RawMessage // members that this type has no field for, as they came
}

func (t *EnumOption) fields(c *codec) {
	c.string("const", &t.Const, always)
	c.string("title", &t.Title, omitEmpty)
	c.extra(&t.Extra)
}

// What a user does with a request.
const (
	ElicitAccept  = "accept"
	ElicitDecline = "decline" // refused it
	ElicitCancel  = "cancel"  // left it without a choice
)

// An ElicitResult is what the user answered.
type ElicitResult struct {
	Action string // ElicitAccept, ElicitDecline or ElicitCancel

	// Content is what a form was filled in with, when it was accepted: for
	// each field a string, a boolean, a number or a list of strings. Of
	// numbers, those that were read are int64 or float64.
	Content map[string]any

	Meta  RawMessage            // "_meta", byte for byte; nil when there is none
	Extra map[string]RawMessage // members that this type has no field for, as they came
}

func (t *ElicitResult) fields(c *codec) {
	c.string("action", &t.Action, always)
	if c.take("content") {
		t.Content = make(map[string]any)
		if !c.emptyArray() {
			for c.r.Object(); c.r.More(); {
				key := string(c.r.Key())
				t.Content[key] = c.formValue()
			}
		}
	} else if c.put("content", t.Content != nil) {
		b, err := wire.AppendValue(c.b, t.Content)
		if err != nil {
			c.fail(err)
			b = append(c.b, "{}"...)
		}
		c.b = b
	}
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
}

// formValue reads what a field of a form was filled in with. A value of
// another kind stays as it came.
func (c *codec) formValue() any {
	switch c.r.Kind() {
	case wire.String:
		return c.r.String()
	case wire.Bool:
		return c.r.Bool()
	case wire.Number:
		b := c.r.Number()
		if n, err := strconv.ParseInt(string(b), 10, 64); err == nil {
			return n
		}
		if f, err := strconv.ParseFloat(string(b), 64); err == nil {
			return f
		}
		return RawMessage(b)
	case wire.Array:
		mark := c.r
		list := []string{}
		for c.r.Array(); c.r.More(); {
			list = append(list, c.r.String())
		}
		if c.r.Err() == nil {
			return list
		}
		c.r = mark
	}
	return RawMessage(c.r.Raw())
}
