package main

import (
	"context"
	"errors"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A list describes one of the four lists of a server.
type list struct {
	name   string // of the command
	method string
	key    string // member of the result with the items
	id     string // member of an item that the user types
	header terminal.Row

	read  func(context.Context, *mcp.Client) (names []string, err error) // as the library reads the list; nil for lists of extensions
	valid func(item []byte) (name string, ok bool)                       // decodes an item as the library does
}

func lists() map[string]*list {
	all := make(map[string]*list)
	for _, l := range []*list{
		{"tools", "tools/list", "tools", "name", terminal.Row{Name: "NAME", Description: "DESCRIPTION", Rest: "HINTS"},
			namesOf((*mcp.Client).ListTools, func(t *mcp.Tool) string { return t.Name }), nameOf(func(t *mcp.Tool) string { return t.Name })},
		{"resources", "resources/list", "resources", "uri", terminal.Row{Name: "URI", Description: "DESCRIPTION", Rest: "TYPE"},
			namesOf((*mcp.Client).ListResources, func(t *mcp.Resource) string { return t.URI }), nameOf(func(t *mcp.Resource) string { return t.URI })},
		{"templates", "resources/templates/list", "resourceTemplates", "uriTemplate", terminal.Row{Name: "URI TEMPLATE", Description: "DESCRIPTION", Rest: "TYPE"},
			namesOf((*mcp.Client).ListResourceTemplates, func(t *mcp.ResourceTemplate) string { return t.URITemplate }), nameOf(func(t *mcp.ResourceTemplate) string { return t.URITemplate })},
		{"prompts", "prompts/list", "prompts", "name", terminal.Row{Name: "NAME", Description: "DESCRIPTION"},
			namesOf((*mcp.Client).ListPrompts, func(t *mcp.Prompt) string { return t.Name }), nameOf(func(t *mcp.Prompt) string { return t.Name })},
	} {
		all[l.name] = l
	}
	return all
}

// namesOf returns a function that lists with one of the methods of a client, and returns the
// names by which id tells the items apart.
func namesOf[T any](list func(*mcp.Client, context.Context) ([]*T, error), id func(*T) string) func(context.Context, *mcp.Client) ([]string, error) {
	return func(ctx context.Context, c *mcp.Client) ([]string, error) {
		items, err := list(c, ctx)
		names := make([]string, len(items))
		for i, item := range items {
			names[i] = id(item)
		}
		return names, err
	}
}

// nameOf returns a function that decodes an item.
func nameOf[T any, P interface {
	*T
	UnmarshalJSON([]byte) error
}](id func(*T) string) func([]byte) (string, bool) {
	return func(item []byte) (string, bool) {
		v := new(T)
		err := P(v).UnmarshalJSON(item)
		return id(v), err == nil && id(v) != ""
	}
}

// lister returns the command that prints a list.
func lister(name string) func(context.Context, *invocation) error {
	return func(ctx context.Context, c *invocation) error { return c.printList(ctx, name) }
}

func (c *invocation) printList(ctx context.Context, name string) error {
	return c.withServer(ctx, func(s *conversation) error {
		l := lists()[name]
		raw, offered, err := c.fetchOffered(ctx, s, l)
		if err != nil {
			return err
		}
		if c.flags.JSON {
			return c.printJSON(raw)
		}
		rows, err := l.rows(raw)
		if err != nil {
			return malformed(l.method, err)
		}
		switch {
		case !offered:
			c.note(s, "The server offers no "+name+".")
		case len(rows) == 0 && s.excluded == 0:
			c.note(s, "The server has no "+name+".")
		}
		if s.excluded > 0 {
			c.note(s, "The configuration excludes "+terminal.Count(s.excluded, "tool")+".")
		}
		return c.printLong(ctx, c.table(l.header, rows))
	})
}

// fetchOffered is fetch for a list that the server may not have: it then returns
// an empty result and false. Early servers have tools that they do not declare.
func (c *invocation) fetchOffered(ctx context.Context, s *conversation, l *list) (raw mcp.RawMessage, offered bool, err error) {
	caps := s.Server().Capabilities
	switch l.key {
	case "tools":
		offered = caps.Tools != nil || !s.Server().Modern()
	case "prompts":
		offered = caps.Prompts != nil
	default:
		offered = caps.Resources != nil
	}
	if offered {
		if raw, err = c.fetch(ctx, s, l); failure.Code(err) != jsonrpc.CodeMethodNotFound {
			return raw, true, err
		}
	}
	return append(append(wire.AppendKey([]byte("{"), l.key), "[]"...), '}'), false, nil
}

// fetch reads a list as the library does, and returns the first result with the items of
// all pages, byte for byte. It leaves out what the library does: items that are invalid.
func (c *invocation) fetch(ctx context.Context, s *conversation, l *list) (mcp.RawMessage, error) {
	var pages []mcp.RawMessage
	var failed error
	reading := context.WithValue(ctx, sentKey{}, func(raw mcp.RawMessage, err error) {
		if failed = err; err == nil {
			pages = append(pages, raw)
		}
	})
	var valid []string
	all := func(mcp.RawMessage) bool { return true }
	if l.read == nil {
		if err := s.CallList(reading, l.method, "", l.key, all); err != nil {
			return nil, err
		}
	} else {
		list, err := l.read(reading, s.Client)
		switch {
		case err != nil:
			return nil, err
		case failed != nil: // which an empty list stands for
			return nil, failed
		case len(pages) == 0: // the server declares no such list, and may have one all the same
			if err := s.CallList(reading, l.method, "", l.key, all); err != nil {
				return nil, err
			}
		}
		valid = list
	}
	return c.join(s, l, pages, valid)
}

// join returns the first page with the items of all pages, without those that are neither
// valid nor allowed. valid has the names of the valid ones, in order, unless it is nil.
func (c *invocation) join(s *conversation, l *list, pages []mcp.RawMessage, valid []string) (mcp.RawMessage, error) {
	var items, rest []byte
	whole := len(pages) == 1
	s.excluded = 0
	for i, page := range pages {
		others, err := splitPage(page, l.key, func(item []byte) {
			if valid != nil {
				name, ok := l.valid(item)
				if !ok || len(valid) == 0 || name != valid[0] {
					whole = false
					return
				}
				valid = valid[1:]
				if l.key == "tools" && c.checkAllowed(name) != nil {
					whole = false
					s.excluded++
					return
				}
			}
			items = wire.AppendLine(wire.AppendComma(items), item)
		})
		if err != nil {
			return nil, malformed(l.method, err)
		}
		if i == 0 {
			rest = others
		}
	}
	if whole {
		return pages[0], nil
	}
	b := append(wire.AppendKey([]byte("{"), l.key), '[')
	b = append(append(b, items...), ']')
	return append(append(b, rest...), '}'), nil
}

// splitPage calls f with the items of a page, and returns its other members but the
// cursor, each after a comma.
func splitPage(raw []byte, key string, f func(item []byte)) (others []byte, err error) {
	r := wire.NewReader(raw)
	for r.Object(); r.More(); {
		switch k := string(r.Key()); k {
		case key:
			if r.Null() {
				continue // some servers send null for an empty list
			}
			for r.Array(); r.More(); {
				f(r.Raw())
			}
		case "nextCursor":
			r.Skip()
		default:
			others = append(wire.AppendString(append(others, ','), k), ':')
			others = wire.AppendLine(others, r.Raw())
		}
	}
	return others, r.End()
}

func malformed(method string, err error) error {
	return &failure.Error{Status: failure.Unreachable, Kind: "protocol", Message: method + ": malformed response: " + err.Error(), Err: err}
}

// oneLine joins the lines of s.
func oneLine(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}

// rows returns the items of a result as rows. The items of all lists are alike:
// each has a name of some sort, texts that describe it, and details.
func (l *list) rows(raw mcp.RawMessage) (rows []terminal.Row, err error) {
	r := wire.NewReader(wire.Lookup(raw, l.key))
	if r.Null() {
		return nil, nil
	}
	for r.Array(); r.More(); {
		if r.Null() {
			continue // some servers send such items
		}
		item := r.Raw()
		if toolargs.TypeOf(item) != "object" {
			return nil, malformed(l.method, errors.New("not a JSON object"))
		}
		rows = append(rows, l.row(item))
	}
	return rows, r.End()
}

func (l *list) row(item []byte) terminal.Row {
	text := func(path ...string) string {
		v := wire.Lookup(item, path...)
		if toolargs.TypeOf(v) != "string" {
			return "" // as package mcp reads it
		}
		return terminal.PlainJSON(v)
	}
	r := terminal.Row{Name: terminal.PlainJSON(wire.Lookup(item, l.id)), Description: terminal.FirstOf(text("description"), text("title"), text("annotations", "title"), text("name"))}
	switch l.key {
	case "tools":
		s := toolargs.ParseSchema(wire.Lookup(item, "inputSchema"))
		r.Arguments, r.Rest = toolargs.Signature(s), marks(item)
	case "prompts":
		s := new(toolargs.Schema)
		for _, a := range toolargs.Elements(wire.Lookup(item, "arguments")) {
			name := terminal.PlainJSON(wire.Lookup(a, "name"))
			s.Properties = append(s.Properties, toolargs.Property{Name: name, Schema: new(toolargs.Schema)})
			if string(wire.Lookup(a, "required")) == "true" {
				s.Required = append(s.Required, name)
			}
		}
		r.Arguments = toolargs.Signature(s)
	default:
		r.Rest = text("mimeType")
	}
	return r
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
