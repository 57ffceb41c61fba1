package main

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A list describes one of the four lists of a server.
type list struct {
	name   string // of the command
	method string
	key    string // member of the result with the items
	header row
	decode func(raw json.RawMessage) ([]row, error)
}

func lists() map[string]list {
	return map[string]list{
		"tools":     {"tools", "tools/list", "tools", row{"NAME", "DESCRIPTION", "REQUIRED"}, toolRows},
		"resources": {"resources", "resources/list", "resources", row{"URI", "DESCRIPTION", "TYPE"}, resourceRows},
		"templates": {"templates", "resources/templates/list", "resourceTemplates", row{"URI TEMPLATE", "DESCRIPTION", "TYPE"}, templateRows},
		"prompts":   {"prompts", "prompts/list", "prompts", row{"NAME", "DESCRIPTION", "REQUIRED"}, promptRows},
	}
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
			rows, err := l.decode(raw)
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
				c.note(s, "The configuration excludes "+countTools(s.excluded)+".")
			}
			return c.print(c.table(l.header, rows))
		})
	}
}

// fetchOffered is fetch for a list that the server may not have: it then returns
// an empty result and false. Early servers have tools that they do not declare.
func (c *invocation) fetchOffered(ctx context.Context, s *conversation, l list) (raw json.RawMessage, offered bool, err error) {
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
func (c *invocation) fetch(ctx context.Context, s *conversation, l list) (json.RawMessage, error) {
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

func toolRows(raw json.RawMessage) ([]row, error) {
	var res mcp.ListToolsResult
	err := res.UnmarshalJSON(raw)
	rows := make([]row, len(res.Tools))
	for i, t := range res.Tools {
		rows[i] = row{t.Name, firstOf(t.Description, t.DisplayName()), strings.Join(parseSchema(t.InputSchema).required, ", ")}
	}
	return rows, err
}

func resourceRows(raw json.RawMessage) ([]row, error) {
	var res mcp.ListResourcesResult
	err := res.UnmarshalJSON(raw)
	rows := make([]row, len(res.Resources))
	for i, r := range res.Resources {
		rows[i] = row{r.URI, firstOf(r.Description, r.Title, r.Name), r.MIMEType}
	}
	return rows, err
}

func templateRows(raw json.RawMessage) ([]row, error) {
	var res mcp.ListResourceTemplatesResult
	err := res.UnmarshalJSON(raw)
	rows := make([]row, len(res.ResourceTemplates))
	for i, t := range res.ResourceTemplates {
		rows[i] = row{t.URITemplate, firstOf(t.Description, t.Title, t.Name), t.MIMEType}
	}
	return rows, err
}

func promptRows(raw json.RawMessage) ([]row, error) {
	var res mcp.ListPromptsResult
	err := res.UnmarshalJSON(raw)
	rows := make([]row, len(res.Prompts))
	for i, p := range res.Prompts {
		var required []string
		for _, a := range p.Arguments {
			if a.Required != nil && *a.Required {
				required = append(required, a.Name)
			}
		}
		rows[i] = row{p.Name, firstOf(p.Description, p.Title), strings.Join(required, ", ")}
	}
	return rows, err
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
