package servercheck

import (
	"context"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/schema"
)

// schemaTypes are the types of JSON Schema.
var schemaTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// The keywords whose values are schemas, lists of schemas, or objects with schemas as
// members.
const (
	schemaKeywords = " items additionalItems additionalProperties unevaluatedItems unevaluatedProperties contains propertyNames not if then else "
	listKeywords   = " allOf anyOf oneOf prefixItems items "
	memberKeywords = " properties patternProperties dependentSchemas $defs definitions "
)

// unknownType returns the first type in a schema that JSON Schema does not define, and its
// place as a JSON Pointer after path. Most validators refuse such a schema; others accept
// no value.
func unknownType(schema []byte, path string) (at, unknown string) {
	r := wire.NewReader(schema)
	if r.Kind() != wire.Object {
		return "", ""
	}
	for r.Object(); r.More() && unknown == ""; {
		key := string(r.Key())
		value, word, below := r.Raw(), " "+key+" ", path+"/"+key
		inner := wire.NewReader(value)
		kind := inner.Kind()
		switch {
		case key == "type":
			at, unknown = below, wrongType(value)
		case kind == wire.Object && strings.Contains(schemaKeywords, word):
			at, unknown = unknownType(value, below)
		case kind == wire.Array && strings.Contains(listKeywords, word):
			for inner.Array(); inner.More() && unknown == ""; {
				at, unknown = unknownType(inner.Raw(), below)
			}
		case kind == wire.Object && strings.Contains(memberKeywords, word):
			for inner.Object(); inner.More() && unknown == ""; {
				name := string(inner.Key())
				at, unknown = unknownType(inner.Raw(), below+"/"+name)
			}
		}
	}
	return at, unknown
}

// wrongType returns the first name in the keyword type that does not name a type.
func wrongType(raw []byte) string {
	r := wire.NewReader(raw)
	switch r.Kind() {
	case wire.String:
		if name := r.String(); !slices.Contains(schemaTypes, name) {
			return name
		}
	case wire.Array:
		for r.Array(); r.More(); {
			if name := wrongType(r.Raw()); name != "" {
				return name
			}
		}
	}
	return ""
}

func typeText(schema, at, unknown string) string {
	text := schema + ": " + at + " is " + wire.Quote(unknown) + ", which is not a type of JSON Schema"
	if near := nearest.Names(unknown, schemaTypes); len(near) > 0 {
		text += " (did you mean " + wire.Quote(near[0]) + "?)"
	}
	return text
}

// A definition is a tool as a server defines it.
type definition struct{ *mcp.Tool }

func (d definition) Name() string                { return d.Tool.Name }
func (d definition) Description() string         { return d.Tool.Description }
func (d definition) InputSchema() mcp.RawMessage { return d.Tool.InputSchema }

// rejected adds findings for what a model provider rejects.
func (c *check) rejected(provider, where string, t *mcp.Tool) {
	found, err := schema.Check(provider, definition{t})
	if err != nil {
		c.errorf(where, "%s: %v", provider, err)
	}
	for _, f := range found {
		at := ""
		if f.Path != "" {
			at = "inputSchema" + f.Path + ": "
		}
		c.warnf(where, "%s%s rejects %s", at, provider, f.Rule.Text)
	}
}

// stable adds a finding if several lists of the tools in a row differ. A single change may
// be an update of the server.
func (c *check) stable(ctx context.Context, tools []*mcp.Tool) {
	where := ""
	for range 2 {
		next, err := c.client.ListTools(ctx)
		if err != nil {
			return // the first was good
		}
		if where = difference(tools, next); where == "" {
			return
		}
		tools = next
	}
	c.warnf("tools/list", "%s with every request: clients that keep or compare lists see a change each time", where)
}

// difference describes the first tool in which two lists differ, or returns "". It ignores
// the order of tools, and descriptions.
func difference(before, after []*mcp.Tool) string {
	known := make(map[string]*mcp.Tool, len(before))
	for _, t := range before {
		known[t.Name] = t
	}
	for _, t := range after {
		old := known[t.Name]
		switch {
		case old == nil:
			return "other tools are listed"
		case string(old.InputSchema) != string(t.InputSchema):
			return "the inputSchema of the tool " + wire.Quote(t.Name) + " is another one"
		case string(old.OutputSchema) != string(t.OutputSchema):
			return "the outputSchema of the tool " + wire.Quote(t.Name) + " is another one"
		}
	}
	if len(before) != len(after) {
		return "other tools are listed"
	}
	return ""
}
