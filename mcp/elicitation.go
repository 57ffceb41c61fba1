package mcp

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// Elicitation lets servers request input from the user. As a [Handler] it
// answers elicitation/create. The program must show which server asks and let
// the user decline. With package host, host.ServerOf names the server.
type Elicitation struct {
	// Form asks the user to fill in a form. The client fills in the defaults of
	// missing fields. If the content does not match the schema, the client
	// sends an internal error instead. Nil means that the program does not
	// support forms.
	Form func(context.Context, *ElicitParams) (*ElicitResult, error)

	// OpenURL asks the user whether to open a page, opens it, and returns
	// [ElicitAccept], [ElicitDecline] or [ElicitCancel]. It does not wait until
	// the user has finished. Nil means that the program does not support pages.
	OpenURL func(context.Context, *URLRequest) (ElicitAction, error)
}

func (e Elicitation) method() string { return "elicitation/create" }

func (e Elicitation) declare(caps *clientCapabilities, _ bool) {
	if e.Form == nil && e.OpenURL == nil {
		return // an empty capability would mean forms
	}
	b := []byte{'{'}
	if e.Form != nil {
		b = append(wire.AppendKey(b, "form"), "{}"...)
	}
	if e.OpenURL != nil {
		b = append(wire.AppendKey(b, "url"), "{}"...)
	}
	caps.Elicitation = append(b, '}')
}

func (e Elicitation) answer(ctx context.Context, c *Client, params RawMessage) (object, error) {
	var p ElicitParams
	if err := readParams(params, &p); err != nil {
		return nil, err
	}
	form := p.Mode == "" || p.Mode == "form"
	switch {
	case form && e.Form != nil:
		return e.answerForm(ctx, c, &p)
	case p.Mode == "url" && e.OpenURL != nil:
		action, err := e.openURL(ctx, &p)
		if err == nil && action == ElicitAccept {
			c.requests.pauseTimers(pageTime)
		}
		return &ElicitResult{Action: action}, err
	case form || p.Mode == "url":
		return nil, invalidParams("this client declared no elicitation in this mode")
	}
	return nil, invalidParams("unknown mode of elicitation")
}

var errAction = errors.New("the action must be accept, decline or cancel")

func (e Elicitation) answerForm(ctx context.Context, c *Client, p *ElicitParams) (object, error) {
	fields, odd, err := p.readFields()
	if err != nil {
		return nil, invalidParams("requestedSchema: " + err.Error())
	}
	if odd != "" {
		c.odd(diag.Message(odd), p.RequestedSchema)
	}
	res, err := e.Form(ctx, p)
	if err == nil && res == nil {
		err = errNoAnswer
	}
	if err != nil {
		return nil, err
	}
	switch res.Action {
	case ElicitDecline, ElicitCancel:
		return &ElicitResult{Action: res.Action, Meta: res.Meta}, nil
	case ElicitAccept:
		filled := *res
		filled.Content, err = completeForm(fields, res.Content)
		return &filled, err
	}
	return nil, errAction
}

// ElicitParams describes a server's request for input from the user
// (elicitation/create): to fill in a form, or to open a URL if Mode is "url".
type ElicitParams struct {
	Mode    string // "form" or "url" (2025-11-25); empty means form
	Message string // for the user

	// RequestedSchema is the JSON Schema of the form, as received; see
	// Fields.
	RequestedSchema RawMessage

	URL           string // the page for the user to open
	ElicitationID string // identifies the page (2025-11-25 only)

	Meta  RawMessage            // "_meta", as received; nil if absent
	Extra map[string]RawMessage // members without a field, as received
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

// A FormField is a field of a form.
type FormField struct {
	Name     string // the member of ElicitResult.Content
	Required bool
	Schema   PrimitiveSchema
}

// Fields returns the fields of the form, in the order of RequestedSchema, or an
// error if that is not the schema of a form.
func (t *ElicitParams) Fields() ([]FormField, error) {
	list, _, err := t.readFields()
	return list, err
}

// readFields is Fields that also returns what the schema breaks that was read nevertheless.
func (t *ElicitParams) readFields() (list []FormField, odd string, err error) {
	if t.RequestedSchema == nil {
		return nil, "", nil
	}
	var f form
	r := wire.NewReader(t.RequestedSchema) // a program may have made it
	if err := decodeWhole(&r, &f); err != nil {
		return nil, "", err
	}
	for i := range f.list {
		s := &f.list[i].Schema
		f.list[i].Required = slices.Contains(f.required, f.list[i].Name)
		if s.Default != nil && s.Check(s.Default) != nil {
			r.Note("a default that does not match its schema")
		}
	}
	return f.list, r.Odd(), nil
}

// A form is the content of a requested schema.
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
	Type        string // "string", "number", "integer", "boolean", or "array" for a multiple choice
	Title       string // for people
	Description string

	MinLength *int64 // string: in characters (Unicode code points)
	MaxLength *int64 // string
	Format    string // string: "email", "uri", "date" or "date-time"; may be empty

	Minimum *float64 // number, integer
	Maximum *float64 // number, integer

	// The options of a choice, in one of four forms. [PrimitiveSchema.Choices]
	// returns them in one form.
	Enum      []string     // string
	EnumNames []string     // string: titles for Enum
	OneOf     []EnumOption // string (2025-11-25)
	Items     *EnumItems   // array (2025-11-25)
	MinItems  *int64       // array: the minimum number of choices
	MaxItems  *int64       // array: the maximum number of choices

	Default RawMessage // the default value; nil if absent

	Extra map[string]RawMessage // members without a field, as received
}

func (t *PrimitiveSchema) fields(c *codec) {
	if c.at("type") && c.r.Kind() == wire.Array {
		t.Type = c.readTypes()
	}
	c.string("type", &t.Type, always)
	c.hints = true
	c.string("title", &t.Title, omitEmpty)
	c.string("description", &t.Description, omitEmpty)
	c.hints = false
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

func (c *codec) readTypes() (kind string) {
	c.key = nil
	n, null := 0, false
	for c.r.Array(); c.more(); n++ {
		if s := c.r.String(); s == "null" {
			null = true
		} else {
			kind = s
		}
	}
	c.r.Note("a field that may be null")
	if n != 2 || !null || kind == "" {
		c.r.Fail(errTypes)
	}
	return kind
}

var errTypes = errors.New("JSON: the types of a field are not one type and null")

// Choices returns the options of a choice with their titles, or nil if the field
// is not a choice.
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

// EnumItems lists the options of a multiple choice, in Enum or in AnyOf.
type EnumItems struct {
	Type  string       // "string" beside Enum
	Enum  []string     // the values, without titles
	AnyOf []EnumOption // the values with titles

	Extra map[string]RawMessage // members without a field, as received
}

func (t *EnumItems) fields(c *codec) {
	c.string("type", &t.Type, omitEmpty)
	stringList(c, "enum", &t.Enum, omitEmpty)
	list(c, "anyOf", &t.AnyOf, omitEmpty)
	c.extra(&t.Extra)
}

// An EnumOption is an option of a choice.
type EnumOption struct {
	Const string // the value
	Title string // for people

	Extra map[string]RawMessage // members without a field, as received
}

func (t *EnumOption) fields(c *codec) {
	c.string("const", &t.Const, always)
	c.string("title", &t.Title, omitEmpty)
	c.extra(&t.Extra)
}

// An ElicitAction is what a user did with an [ElicitParams].
type ElicitAction string

// The actions.
const (
	ElicitAccept  ElicitAction = "accept"
	ElicitDecline ElicitAction = "decline" // the user refused
	ElicitCancel  ElicitAction = "cancel"  // the user made no choice
)

// An ElicitResult is the user's answer to an [ElicitParams].
type ElicitResult struct {
	Action ElicitAction

	// Content holds the fields of an accepted form: a string, a boolean, a
	// number or a list of strings for each. UnmarshalJSON decodes numbers as
	// int64 or float64.
	Content map[string]any

	Meta  RawMessage            // "_meta", as received; nil if absent
	Extra map[string]RawMessage // members without a field, as received
}

func (t *ElicitResult) fields(c *codec) {
	c.string("action", (*string)(&t.Action), always)
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
