package main

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// rows returns the items of a result as rows. The items of all lists are alike:
// each has a name of some sort, texts that describe it, and details.
func (l *list) rows(raw json.RawMessage) (rows []row, err error) {
	r := wire.NewReader(wire.Lookup(raw, l.key))
	if r.Null() {
		return nil, nil
	}
	for r.Array(); r.More(); {
		if r.Null() {
			continue // some servers send such items
		}
		item := r.Raw()
		if typeOf(item) != "object" {
			return nil, malformed(l.method, errNotObject)
		}
		rows = append(rows, l.row(item))
	}
	return rows, r.End()
}

func (l *list) row(item []byte) row {
	text := func(path ...string) string { return plainJSON(wire.Lookup(item, path...)) }
	r := row{name: text(l.id), description: firstOf(text("description"), text("title"), text("annotations", "title"), text("name"))}
	switch l.key {
	case "tools":
		s := parseSchema(wire.Lookup(item, "inputSchema"))
		r.arguments, r.rest = signature(s), marks(item)
	case "prompts":
		s := new(schema)
		for _, a := range elements(wire.Lookup(item, "arguments")) {
			name := plainJSON(wire.Lookup(a, "name"))
			s.properties = append(s.properties, property{name, new(schema)})
			if string(wire.Lookup(a, "required")) == "true" {
				s.required = append(s.required, name)
			}
		}
		r.arguments = signature(s)
	default:
		r.rest = text("mimeType")
	}
	return r
}

// signature returns the arguments of a tool or prompt: a: number, note?: string.
// The required ones come first.
func signature(s *schema) []string {
	arguments := []string{} // not nil: a tool without arguments shows ()
	for _, optional := range []bool{false, true} {
		for _, p := range s.properties {
			if slices.Contains(s.required, p.name) == optional {
				continue
			}
			text := escapeName(p.name)
			if optional {
				text += "?"
			}
			if kind := p.shortKind(); kind != "" {
				text += ": " + kind
			}
			arguments = append(arguments, text)
		}
	}
	return arguments
}

// shortKind describes the values of an argument in a few characters.
func (s *schema) shortKind() string {
	const maxEnum = 3
	switch {
	case len(s.enum) > 0 && len(s.enum) <= maxEnum:
		return strings.Join(escapeAll(s.enum), "|")
	case len(s.types) == 0 || slices.Contains(s.types, "any"):
		return ""
	case s.types[0] == "array" && s.items != nil && len(s.items.types) > 0:
		return s.items.types[0] + "[]"
	}
	return strings.Join(s.types, "|")
}

func escapeAll(texts []string) (escaped []string) {
	for _, t := range texts {
		escaped = append(escaped, escapeName(t))
	}
	return escaped
}

// marks returns what the server says about the effects of a tool, in a word each.
// What it leaves out has no mark, although the defaults are pessimistic.
func marks(item []byte) string {
	is := func(hint string) bool { return string(wire.Lookup(item, "annotations", hint)) == "true" }
	var words []string
	switch {
	case is("readOnlyHint"):
		words = append(words, "read-only")
	case is("destructiveHint"):
		words = append(words, "destructive")
	}
	if is("openWorldHint") {
		words = append(words, "open-world")
	}
	return strings.Join(words, ", ")
}
