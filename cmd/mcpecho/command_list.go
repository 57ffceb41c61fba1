package main

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A list describes one of the four lists of a server.
type list struct {
	name   string // of the command
	method string
	key    string // member of the result with the items
	id     string // member of an item that the user types
	header row
}

func lists() map[string]*list {
	all := make(map[string]*list)
	for _, l := range []*list{
		{"tools", "tools/list", "tools", "name", row{name: "NAME", description: "DESCRIPTION", rest: "HINTS"}},
		{"resources", "resources/list", "resources", "uri", row{name: "URI", description: "DESCRIPTION", rest: "TYPE"}},
		{"templates", "resources/templates/list", "resourceTemplates", "uriTemplate", row{name: "URI TEMPLATE", description: "DESCRIPTION", rest: "TYPE"}},
		{"prompts", "prompts/list", "prompts", "name", row{name: "NAME", description: "DESCRIPTION"}},
	} {
		all[l.name] = l
	}
	return all
}

// lister returns the command that prints a list.
func lister(name string) func(context.Context, *invocation) error {
	return func(ctx context.Context, c *invocation) error {
		return c.withServer(ctx, func(s *conversation) error {
			l := lists()[name]
			raw, offered, err := c.fetchOffered(ctx, s, l)
			if err != nil {
				return err
			}
			if c.flags.json {
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
				c.note(s, "The configuration excludes "+count(s.excluded, "tool")+".")
			}
			return c.printLong(ctx, c.table(l.header, rows))
		})
	}
}

// fetchOffered is fetch for a list that the server may not have: it then returns
// an empty result and false. Early servers have tools that they do not declare.
func (c *invocation) fetchOffered(ctx context.Context, s *conversation, l *list) (raw json.RawMessage, offered bool, err error) {
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
		if raw, err = c.fetch(ctx, s, l); errorCode(err) != jsonrpc.CodeMethodNotFound {
			return raw, true, err
		}
	}
	return append(append(wire.AppendKey([]byte("{"), l.key), "[]"...), '}'), false, nil
}

// maxPages limits the pages of a list.
const maxPages = 1000

// fetch reads all pages of a list and returns the first result with the items of
// all pages, byte for byte.
func (c *invocation) fetch(ctx context.Context, s *conversation, l *list) (json.RawMessage, error) {
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
			return nil, endless(l.method, "the server sent the cursor "+strconv.Quote(*cursor)+" twice")
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
func (c *invocation) request(ctx context.Context, s *conversation, method string, params map[string]any) (json.RawMessage, error) {
	if params == nil {
		return s.Call(ctx, method, nil)
	}
	return s.Call(ctx, method, params)
}

func malformed(method string, err error) error {
	return &failure{status: statusUnreachable, kind: "protocol", message: method + ": malformed response: " + err.Error(), err: err}
}

func endless(method, why string) error {
	return malformed(method, errors.New("the list does not end: "+why))
}

// firstOf returns the first of the texts that says something, in a line.
func firstOf(texts ...string) string {
	for _, t := range texts {
		if t = firstLine(t); t != "" {
			return t
		}
	}
	return ""
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(line)
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
