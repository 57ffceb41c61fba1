package mcp

import (
	"context"
	"errors"
	"iter"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// Resources returns an iterator over the server's resources, as Tools does over
// tools.
//
// If the server does not declare resources, the result is empty and nothing is sent.
func (c *Client) Resources(ctx context.Context) iter.Seq2[*Resource, error] {
	return c.resourcePages(ctx, nil)
}

func (c *Client) resourcePages(ctx context.Context, held *int) iter.Seq2[*Resource, error] {
	return func(yield func(*Resource, error) bool) {
		pages(ctx, c, "resources/list", held, fresh[ListResourcesResult], func(res *ListResourcesResult) ([]*Resource, *Page) {
			return res.Resources, &res.Page
		}, yield)
	}
}

// ListResources returns all resources of the server. If it fails, it returns
// those received so far and the error.
//
// If the server does not declare resources, the result is empty and nothing is sent.
func (c *Client) ListResources(ctx context.Context) ([]*Resource, error) {
	return all(ctx, c, c.resourcePages)
}

// ResourceTemplates returns an iterator over the server's resource templates,
// as Tools does over tools.
//
// If the server does not declare resources, the result is empty and nothing is sent.
func (c *Client) ResourceTemplates(ctx context.Context) iter.Seq2[*ResourceTemplate, error] {
	return c.templatePages(ctx, nil)
}

func (c *Client) templatePages(ctx context.Context, held *int) iter.Seq2[*ResourceTemplate, error] {
	return func(yield func(*ResourceTemplate, error) bool) {
		pages(ctx, c, "resources/templates/list", held, fresh[ListResourceTemplatesResult], func(res *ListResourceTemplatesResult) ([]*ResourceTemplate, *Page) {
			return res.ResourceTemplates, &res.Page
		}, yield)
	}
}

// ListResourceTemplates returns all resource templates of the server. If it
// fails, it returns those received so far and the error.
//
// If the server does not declare resources, the result is empty and nothing is sent.
func (c *Client) ListResourceTemplates(ctx context.Context) ([]*ResourceTemplate, error) {
	return all(ctx, c, c.templatePages)
}

// ReadResource reads a resource. If there is none with this URI, the server
// refuses with [CodeResourceNotFound], or with jsonrpc.CodeInvalidParams from
// 2026-07-28 on.
//
// If the server does not declare resources, the request is sent all the same.
func (c *Client) ReadResource(ctx context.Context, uri string) (*ReadResourceResult, error) {
	q := newRequest("resources/read", uri, (*request).appendURI)
	res, err := call(ctx, c, q, fresh[ReadResourceResult])
	if err == nil && res.Contents == nil {
		return nil, c.lacks(q, "contents")
	}
	return res, err
}

// A Resource describes data that a server offers.
type Resource struct {
	URI         string
	Name        string // for programs
	Title       string // for people (2025-06-18); see DisplayName
	Description string // for a model
	MIMEType    string // empty if unknown
	Size        *int64 // in bytes, before base64; nil if unknown
	Annotations *Annotations
	Icons       []Icon // 2025-11-25

	Meta  RawMessage            // "_meta", as received; nil if absent
	Extra map[string]RawMessage // members without a field, as received
}

func (t *Resource) fields(c *codec) {
	c.resource(&t.URI, &t.Name, &t.Title, &t.Description, &t.MIMEType, &t.Size)
	c.hints = true
	pointer(c, "annotations", &t.Annotations)
	list(c, "icons", &t.Icons, omitEmpty)
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
}

func (c *codec) resource(uri, name, title, description, mimeType *string, size **int64) {
	c.exact("uri", uri)
	c.string("name", name, always)
	c.hints = true
	c.string("title", title, omitEmpty)
	c.string("description", description, omitEmpty)
	c.string("mimeType", mimeType, omitEmpty)
	c.hints = false
	c.hintPtr("size", size)
}

func (t *Resource) ident() string { return t.URI }

// A ResourceTemplate describes resources by a URI template.
type ResourceTemplate struct {
	URITemplate string // RFC 6570
	Name        string // for programs
	Title       string // for people (2025-06-18); see DisplayName
	Description string // for a model
	MIMEType    string // of all matching resources; empty if they differ
	Annotations *Annotations
	Icons       []Icon // 2025-11-25

	Meta  RawMessage            // "_meta", as received; nil if absent
	Extra map[string]RawMessage // members without a field, as received
}

func (t *ResourceTemplate) fields(c *codec) {
	c.exact("uriTemplate", &t.URITemplate)
	c.string("name", &t.Name, always)
	c.hints = true
	c.string("title", &t.Title, omitEmpty)
	c.string("description", &t.Description, omitEmpty)
	c.string("mimeType", &t.MIMEType, omitEmpty)
	pointer(c, "annotations", &t.Annotations)
	list(c, "icons", &t.Icons, omitEmpty)
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
}

func (t *ResourceTemplate) ident() string { return t.URITemplate }

// A ListResourcesResult is a page of a server's resources.
type ListResourcesResult struct {
	Resources []*Resource
	Page
}

func (t *ListResourcesResult) fields(c *codec) {
	items(c, "resources", &t.Resources, &t.Page)
	t.Page.fields(c)
}

// A ListResourceTemplatesResult is a page of a server's resource templates.
type ListResourceTemplatesResult struct {
	ResourceTemplates []*ResourceTemplate
	Page
}

func (t *ListResourceTemplatesResult) fields(c *codec) {
	items(c, "resourceTemplates", &t.ResourceTemplates, &t.Page)
	t.Page.fields(c)
}

// A ReadResourceResult holds the contents of a resource. A resource such as a
// folder may have several contents, each with its own URI.
type ReadResourceResult struct {
	Contents []ResourceContents
	Caching
	Result
}

func (t *ReadResourceResult) fields(c *codec) {
	list(c, "contents", &t.Contents, always)
	t.Caching.fields(c)
	t.Result.fields(c)
}

// Expand returns the URI for the given variables, whose values are strings or
// []string (RFC 6570). It omits variables without a value. It returns an error
// for an invalid template or value.
func (t *ResourceTemplate) Expand(values map[string]any) (string, error) {
	uri, err := expandTemplate(t.URITemplate, values)
	if err == errTemplate {
		err = errors.New(err.Error() + " " + wire.Quote(t.URITemplate))
	}
	return uri, err
}

func expandTemplate(rest string, values map[string]any) (string, error) {
	var uri []byte
	for {
		before, after, found := strings.Cut(rest, "{")
		if strings.Contains(before, "}") {
			return "", errTemplate
		}
		uri = append(uri, escapeURI(before, true)...)
		if !found {
			return string(uri), nil
		}
		expression, after, closed := strings.Cut(after, "}")
		if !closed {
			return "", errTemplate
		}
		text, err := expand(expression, values)
		if err != nil {
			return "", err
		}
		uri, rest = append(uri, text...), after
	}
}

var errTemplate = errors.New("invalid URI template")

// An operator determines how an expression is expanded (RFC 6570, Appendix A).
type operator struct {
	first, sep string
	named      bool   // values are preceded by their names
	empty      string // follows the name of an empty value
	reserved   bool   // reserved characters are not escaped
}

func operatorFor(c byte) (op operator, special bool) {
	switch c {
	case '+':
		return operator{"", ",", false, "", true}, true
	case '#':
		return operator{"#", ",", false, "", true}, true
	case '.', '/':
		return operator{string(c), string(c), false, "", false}, true
	case ';':
		return operator{";", ";", true, "", false}, true
	case '?', '&':
		return operator{string(c), "&", true, "=", false}, true
	}
	return operator{"", ",", false, "", false}, false
}

func expand(expression string, values map[string]any) (string, error) {
	if expression == "" {
		return "", errTemplate
	}
	op, special := operatorFor(expression[0])
	if special {
		expression = expression[1:]
	}
	var parts []string
	for spec := range strings.SplitSeq(expression, ",") {
		name, explode := strings.CutSuffix(spec, "*")
		name, length, prefixed := strings.Cut(name, ":")
		limit, err := strconv.Atoi(length)
		if !isVariable(name) || prefixed && (err != nil || explode || length[0] < '1' || len(length) > 4) {
			return "", errTemplate
		}
		var list []string
		switch v := values[name].(type) {
		case nil:
			continue
		case string:
			if prefixed {
				v = firstRunes(v, limit)
			}
			list, explode = []string{v}, false
		case []string:
			if prefixed {
				return "", errors.New("the variable " + wire.Quote(name) + " is a list, which has no prefix")
			}
			if len(v) == 0 {
				continue
			}
			list = v
		default:
			return "", errors.New("the variable " + wire.Quote(name) + " is neither a string nor a list of strings")
		}
		parts = append(parts, op.joinValues(name, list, explode)...)
	}
	if parts == nil {
		return "", nil
	}
	return op.first + strings.Join(parts, op.sep), nil
}

func (op *operator) joinValues(name string, list []string, explode bool) []string {
	escaped := make([]string, len(list))
	for i, v := range list {
		escaped[i] = escapeURI(v, op.reserved)
	}
	if !explode {
		escaped = []string{strings.Join(escaped, ",")}
	}
	if op.named {
		for i, v := range escaped {
			if v == "" {
				escaped[i] = name + op.empty
			} else {
				escaped[i] = name + "=" + v
			}
		}
	}
	return escaped
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

func isVariable(s string) bool {
	for i := range len(s) {
		c := s[i]
		dot := c == '.' && i > 0 && i < len(s)-1 && s[i-1] != '.'
		if !isAlphanumeric(c) && c != '_' && c != '%' && !dot {
			return false
		}
	}
	return s != ""
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// escapeURI escapes the characters that are not allowed in a URI. If reserved is
// set it leaves reserved characters and existing escapes as they are.
func escapeURI(s string, reserved bool) string {
	const hex = "0123456789ABCDEF"
	var b []byte
	for i := range len(s) {
		c := s[i]
		switch {
		case isAlphanumeric(c), strings.IndexByte("-._~", c) >= 0,
			reserved && strings.IndexByte(":/?#[]@!$&'()*+,;=", c) >= 0,
			reserved && c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			b = append(b, c)
		default:
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(b)
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
