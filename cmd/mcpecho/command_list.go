package main

import (
	"context"
	"errors"
	"strconv"
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
}

func lists() map[string]*list {
	all := make(map[string]*list)
	for _, l := range []*list{
		{"tools", "tools/list", "tools", "name", terminal.Row{Name: "NAME", Description: "DESCRIPTION", Rest: "HINTS"}},
		{"resources", "resources/list", "resources", "uri", terminal.Row{Name: "URI", Description: "DESCRIPTION", Rest: "TYPE"}},
		{"templates", "resources/templates/list", "resourceTemplates", "uriTemplate", terminal.Row{Name: "URI TEMPLATE", Description: "DESCRIPTION", Rest: "TYPE"}},
		{"prompts", "prompts/list", "prompts", "name", terminal.Row{Name: "NAME", Description: "DESCRIPTION"}},
	} {
		all[l.name] = l
	}
	return all
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

// maxPages limits the pages of a list.
const maxPages = 1000

// fetch reads all pages of a list and returns the first result with the items of
// all pages, byte for byte.
func (c *invocation) fetch(ctx context.Context, s *conversation, l *list) (mcp.RawMessage, error) {
	var items, rest []byte
	var params map[string]any
	seen := make(map[string]bool)
	for page := 1; ; page++ {
		raw, err := c.request(ctx, s, l.method, params)
		if err != nil {
			return nil, err
		}
		cursor, others, err := splitPage(raw, l.key, &items)
		if err != nil {
			return nil, malformed(l.method, err)
		}
		if page == 1 {
			rest = others
		}
		if cursor == nil && l.key == "tools" && c.entry != nil {
			if items, s.excluded, err = c.removeExcluded(items); err != nil {
				return nil, malformed(l.method, err)
			}
		}
		switch {
		case cursor == nil && page == 1 && s.excluded == 0:
			return raw, nil
		case cursor == nil:
			b := append(wire.AppendKey([]byte("{"), l.key), '[')
			b = append(append(b, items...), ']')
			return append(append(b, rest...), '}'), nil
		case seen[*cursor]:
			return nil, endless(l.method, "the server sent the cursor "+wire.Quote(*cursor)+" twice")
		case page == maxPages:
			return nil, endless(l.method, "more than "+strconv.Itoa(page)+" pages")
		}
		seen[*cursor] = true
		params = map[string]any{"cursor": *cursor}
	}
}

// splitPage appends the items of a page to items, and returns its cursor and its
// other members, each after a comma.
func splitPage(raw []byte, key string, items *[]byte) (cursor *string, others []byte, err error) {
	r := wire.NewReader(raw)
	for r.Object(); r.More(); {
		switch k := string(r.Key()); k {
		case key:
			if r.Null() {
				continue // some servers send null for an empty list
			}
			for r.Array(); r.More(); {
				*items = wire.AppendLine(wire.AppendComma(*items), r.Raw())
			}
		case "nextCursor":
			if !r.Null() {
				next := r.String()
				cursor = &next
			}
		default:
			others = append(wire.AppendString(append(others, ','), k), ':')
			others = wire.AppendLine(others, r.Raw())
		}
	}
	return cursor, others, r.End()
}

// request sends a request.
func (c *invocation) request(ctx context.Context, s *conversation, method string, params map[string]any) (mcp.RawMessage, error) {
	if params == nil {
		return s.Call(ctx, method, nil)
	}
	return s.Call(ctx, method, params)
}

func malformed(method string, err error) error {
	return &failure.Error{Status: failure.Unreachable, Kind: "protocol", Message: method + ": malformed response: " + err.Error(), Err: err}
}

func endless(method, why string) error {
	return malformed(method, errors.New("the list does not end: "+why))
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
	text := func(path ...string) string { return terminal.PlainJSON(wire.Lookup(item, path...)) }
	r := terminal.Row{Name: text(l.id), Description: terminal.FirstOf(text("description"), text("title"), text("annotations", "title"), text("name"))}
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
