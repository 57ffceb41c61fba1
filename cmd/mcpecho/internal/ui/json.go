package ui

import (
	"reflect"
	"slices"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// The package reads and writes JSON with package wire, because encoding/json would add
// more to the program than the page has.

// fields returns a JSON object for wire.AppendValue from keys and values by turns. It
// omits values that are empty.
func fields(pairs ...any) map[string]any {
	o := make(map[string]any, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		if v := pairs[i+1]; !reflect.ValueOf(v).IsZero() {
			o[pairs[i].(string)] = v
		}
	}
	return o
}

// values returns a JSON array of what f returns for each element, or nil for none.
func values[T any](list []T, f func(T) any) (all []any) {
	for _, v := range list {
		all = append(all, f(v))
	}
	return all
}

// encoded returns a value as JSON text.
func encoded(v any) []byte {
	text, err := wire.AppendValue(nil, v)
	if err != nil {
		return []byte("null") // no value of the page is invalid
	}
	return text
}

// An object is a JSON object whose members are read when they are needed.
type object struct {
	list []member
}

// raw returns the text of a member, or nil.
func (o object) raw(key string) mcp.RawMessage {
	if i := slices.IndexFunc(o.list, func(m member) bool { return m.key == key }); i >= 0 {
		return o.list[i].raw
	}
	return nil
}

func (o object) has(key string) bool { return o.raw(key) != nil }

// text returns the string value of a member, or "".
func (o object) text(key string) string { return wire.TextOf(o.raw(key)) }

// number returns the integer value of a member, or 0.
func (o object) number(key string) int {
	raw := o.raw(key)
	r := wire.NewReader(raw)
	if len(raw) == 0 || r.Kind() != wire.Number {
		return 0
	}
	return int(r.Int())
}

// A member is a member of a JSON object.
type member struct {
	key string
	raw mcp.RawMessage
}

// maxMembers limits the members of an object that the page looks at.
const maxMembers = 2000

// members returns the members of an object in order, or nil if it is not an object.
func members(raw []byte) (list []member) {
	r := wire.NewReader(raw)
	if r.Kind() != wire.Object {
		return nil
	}
	for r.Object(); r.More() && len(list) < maxMembers; {
		key := string(r.Key())
		list = append(list, member{key, r.Raw()})
	}
	return list
}

// elements returns the elements of an array, at most n.
func elements(raw mcp.RawMessage, n int) (list []mcp.RawMessage) {
	r := wire.NewReader(raw)
	if len(raw) == 0 || r.Kind() != wire.Array {
		return nil
	}
	for r.Array(); r.More() && len(list) < n; {
		list = append(list, r.Raw())
	}
	return list
}

// What the page receives of each type.

func (e *entry) value() any {
	o := fields("seq", e.Seq, "at", e.At, "conn", e.Conn, "kind", e.Kind, "sent", e.Sent, "method", e.Method, "name", e.Name, "id", e.ID,
		"of", e.Of, "text", e.Text, "failed", e.Failed)
	o["size"] = e.Size
	if e.Took != nil {
		o["took"] = *e.Took
	}
	return o
}

func (c *connection) value() any {
	o := fields("target", c.Target, "status", c.Status, "reason", c.Reason, "modern", c.Modern, "opened", c.Opened, "took", c.Took,
		"watched", c.Watched, "previous", c.Previous, "versions", c.Versions, "ended", c.Ended, "endReason", c.EndCause,
		"refused", values(c.Refused, func(v string) any { return v }))
	o["version"] = c.Version
	if s := c.Server; s != nil {
		o["server"] = fields("name", s.Name, "title", s.Title, "version", s.Version, "description", s.Description,
			"protocolVersion", s.ProtocolVersion, "capabilities", s.Capabilities, "instructions", s.Instructions)
	}
	return o
}

func (f *followed) value() any {
	return fields("uri", f.URI, "active", f.Active, "updates", f.Updates, "at", f.At, "problem", f.Problem)
}

func (l *lists) value() any {
	items, failures := make(map[string]any), make(map[string]any)
	for kind, list := range l.items {
		items[kind] = append([]any{}, values(list, (*item).summary)...)
	}
	for kind, reason := range l.errors {
		failures[kind] = reason
	}
	return fields("items", items, "errors", failures, "loaded", l.loaded)
}

func (i *item) summary() any {
	return fields("name", i.Name, "title", i.Title, "description", i.Description, "change", i.Change,
		"hints", values(i.Hints, func(s string) any { return s }),
		"notes", values(i.Notes, func(n note) any { return fields("kind", n.Kind, "text", n.Text) }))
}

func (a *ask) value() any {
	o := fields("id", a.ID, "kind", a.Kind, "at", a.At, "message", a.Message, "params", a.Params, "url", a.URL, "host", a.Host, "punycode", a.Punycode)
	if a.Form != nil {
		o["form"] = a.Form.value()
	}
	return o
}

func (c *call) value() any {
	return fields("id", c.ID, "kind", c.Kind, "name", c.Name, "arguments", cut(string(c.Arguments), maxName), "at", c.At, "took", c.Took, "status", c.Status,
		"progress", c.Progress, "error", c.Error, "isError", c.IsError, "check", c.Check, "problem", c.Problem, "size", c.Size, "kept", c.Kept)
}

func (f *field) value() any {
	o := fields("key", f.Key, "title", f.Title, "description", f.Description, "kind", f.Kind, "required", f.Required, "default", f.Default,
		"rules", f.Rules, "format", f.Format, "reason", f.Reason, "complete", f.Complete,
		"options", values(f.Options, func(o option) any { return fields("value", o.Value, "title", o.Title) }),
		"fields", values(f.Fields, (*field).value), "choices", values(f.Choices, (*field).value))
	if f.Item != nil {
		o["item"] = f.Item.value()
	}
	return o
}
