package mcp

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// pages yields the items of a list, which split takes from a page. If held is not nil,
// the caller keeps all items; pages adds the bytes of each page to *held and limits the
// sum. A function that returns an iterator would be compiled into each caller.
func pages[T any, R result](ctx context.Context, c *Client, method string, held *int,
	allocate func() R, split func(R) ([]T, *Page), yield func(T, error) bool) {
	l := listing{c: c, method: method, held: held, seen: make(cursors)}
	defer l.seen.forget(c)
	for l.more() {
		res, err := page(ctx, c, method, l.next, allocate)
		if err != nil {
			l.err = err
			break
		}
		result(res).(lossyList).page().shorten(res)
		list, rest := split(res)
		for _, item := range list[:l.add(rest, len(list))] {
			if !yield(item, nil) {
				return
			}
		}
	}
	if l.err != nil {
		var none T
		yield(none, l.err)
	}
}

// A listing is the state of reading a paginated list.
//
// A cursor is opaque; from 2026-07-28 on it may be empty. If a cursor occurs
// twice, the list would never end.
type listing struct {
	c      *Client
	method string
	held   *int // see pages

	next         *string
	seen         cursors
	pages, items int
	last         bool  // no page follows
	err          error // ends the list after the items of the current page
}

func (l *listing) more() bool {
	if l.last || l.err != nil {
		return false
	}
	if limit := l.c.opts.MaxPages; l.pages == limit { // a negative limit is none
		l.err = l.c.listLimit(l.method, limit, " pages")
	}
	l.pages++
	return l.err == nil
}

// add adds a page with n items to the list, and returns how many of them are
// within the limits.
func (l *listing) add(p *Page, n int) int {
	if l.held != nil {
		*l.held += len(p.raw)
		if limit := l.c.budget.Max(); *l.held > limit {
			l.err = l.c.listLimit(l.method, limit, " bytes")
			return 0
		}
	}
	if limit := l.c.opts.MaxItems; limit >= 0 && n > limit-l.items {
		l.err = l.c.listLimit(l.method, limit, " items")
		return limit - l.items
	}
	l.items += n
	if l.next = p.NextCursor; l.next == nil {
		l.last = true
	} else {
		l.err = l.seen.add(l.c, l.method, *l.next)
	}
	return n
}

// cursors are the cursors of a list.
type cursors map[string]bool

// add returns an error for a cursor that occurs twice, or if there is no room.
func (s cursors) add(c *Client, method, cursor string) error {
	if s[cursor] {
		return c.listError(method, "the cursor "+wire.Quote(cursor)+" occurs twice")
	}
	if !c.budget.Take(len(cursor)) {
		return c.listLimit(method, c.budget.Max(), " bytes of cursors")
	}
	s[strings.Clone(cursor)] = true
	return nil
}

func (s cursors) forget(c *Client) {
	for cursor := range s {
		c.budget.Return(len(cursor))
	}
}

// maxUsual is how many bytes an item usually has at most.
const maxUsual = 4 << 10

// shorten reads a page again, without white space and without long members that
// are not lists, if it is less than half as long then. The items share memory with
// the page, and often outlive it.
func (t *Page) shorten(res result) {
	if len(t.raw) <= maxUsual*(t.n+1) {
		return
	}
	r := wire.NewReader(t.raw)
	r.Trust()
	text := []byte{'{'}
	for r.Object(); r.More(); {
		key := r.Key()
		if value := r.Raw(); len(value) <= maxUsual || value[0] == '[' || string(key) == "nextCursor" {
			text = wire.AppendCompact(wire.AppendKey(text, string(key)), value)
		}
	}
	if text = append(text, '}'); len(text) < len(t.raw)/2 {
		text = slices.Clip(text)
		last := t.NextCursor == nil
		*t = Page{raw: text}
		_ = decodeText(text, res) // it was valid before
		if last {
			t.NextCursor = nil // which decode decides
		}
	}
}

func page[R result](ctx context.Context, c *Client, method string, cursor *string, allocate func() R) (R, error) {
	if c.undeclared(method) {
		return allocate(), c.ended(method)
	}
	res, err := call(ctx, c, pageRequest(method, cursor), allocate)
	if cursor == nil && isUnknownMethod(err) {
		return allocate(), nil
	}
	return res, err
}

func pageRequest(method string, cursor *string) *request {
	q := newRequest(method, "", nil)
	if cursor != nil {
		q.traits |= continues
		q.params = func(_ *request, b []byte) ([]byte, error) {
			return wire.AppendString(wire.AppendKey(b, "cursor"), *cursor), nil
		}
	}
	return q
}

// undeclared reports whether the server has declared that it has no method of this
// name. Early legacy servers have tools that they do not declare, and completions
// were not declared before 2025-03-26.
func (c *Client) undeclared(method string) bool {
	a := c.agreed.Load()
	caps := &a.server.Capabilities
	switch {
	case a.hint:
		return false
	case method == "tools/list":
		return caps.Tools == nil && !a.era.legacy()
	case method == "prompts/list":
		return caps.Prompts == nil
	case method == "completion/complete":
		return caps.Completions == nil && a.server.ProtocolVersion != ProtocolVersion20241105
	}
	return caps.Resources == nil && strings.HasPrefix(method, "resources/")
}

func (c *Client) ended(method string) error {
	if err := c.conn.Err(); err != nil {
		return c.failed(newRequest(method, "", nil), err)
	}
	return nil
}

func isUnknownMethod(err error) bool {
	refusal := serverError(err)
	return refusal != nil && refusal.Code == jsonrpc.CodeMethodNotFound
}

func (c *Client) listLimit(method string, limit int, of string) error {
	return c.listError(method, "more than "+strconv.Itoa(limit)+of)
}

func (c *Client) listError(method, why string) error {
	return c.failed(newRequest(method, "", nil), diag.Op(why, ErrListLimit))
}

// all reads a whole list within Options.MaxTimeout. If it fails, it returns the
// items received so far and the error.
func all[T any](ctx context.Context, c *Client, list func(context.Context, *int) iter.Seq2[T, error]) ([]T, error) {
	ctx, cancel := c.withMaxTimeout(ctx)
	defer cancel()
	for {
		items, held := make([]T, 0, 64), 0 // as many as most servers have
		var err error
		// A range over the list would make the smallest program 1 KB larger.
		list(ctx, &held)(func(item T, failed error) bool {
			if err = failed; err == nil {
				items = append(items, item)
			}
			return err == nil
		})
		if ctx = c.withoutStaleCursor(ctx, err); ctx == nil {
			return items, err
		}
	}
}

// withoutStaleCursor returns a context for reading a list anew without the
// cache if err may be the refusal of a cursor from a cached page, otherwise nil.
func (c *Client) withoutStaleCursor(ctx context.Context, err error) context.Context {
	if refusal := serverError(err); refusal != nil && c.cache != nil {
		return c.cache.refresh(ctx)
	}
	return nil
}

func (t *Page) page() *Page { return t }

// ListToolsPage requests one page of the server's tools: the first page if
// cursor is nil. cursor is usually the NextCursor of the previous page. Most
// programs use Tools or ListTools; ListToolsPage is for programs that display
// pages or need the other fields of a page, such as TTLMs.
//
// If the server does not declare tools, the result is empty and, from 2026-07-28 on,
// nothing is sent.
func (c *Client) ListToolsPage(ctx context.Context, cursor *string) (*ListToolsResult, error) {
	res, err := page(ctx, c, "tools/list", cursor, fresh[ListToolsResult])
	if err == nil {
		res.Tools = c.bind(res.Tools)
	}
	return res, err
}

// ListResourcesPage requests one page of the server's resources, as
// ListToolsPage does.
//
// If the server does not declare resources, the result is empty and nothing is sent.
func (c *Client) ListResourcesPage(ctx context.Context, cursor *string) (*ListResourcesResult, error) {
	return page(ctx, c, "resources/list", cursor, fresh[ListResourcesResult])
}

// ListResourceTemplatesPage requests one page of the server's resource
// templates, as ListToolsPage does.
//
// If the server does not declare resources, the result is empty and nothing is sent.
func (c *Client) ListResourceTemplatesPage(ctx context.Context, cursor *string) (*ListResourceTemplatesResult, error) {
	return page(ctx, c, "resources/templates/list", cursor, fresh[ListResourceTemplatesResult])
}

// ListPromptsPage requests one page of the server's prompts, as ListToolsPage
// does.
//
// If the server does not declare prompts, the result is empty and nothing is sent.
func (c *Client) ListPromptsPage(ctx context.Context, cursor *string) (*ListPromptsResult, error) {
	return page(ctx, c, "prompts/list", cursor, fresh[ListPromptsResult])
}

// CallList requests the pages of a list and calls f with each item, as received, until
// f returns false. It is for the lists of extensions, as [Client.Call] is for their
// methods. key is the member of a page that holds the items; uri is the parameter uri,
// or empty for none. Limits and errors are as for ListTools; if a page lacks the
// member, the error matches [ErrMalformed]. CallList uses the [Cache]
// only for skills/list.
func (c *Client) CallList(ctx context.Context, method, uri, key string, f func(item RawMessage) bool) error {
	if f == nil {
		return c.failed(newRequest(method, uri, nil), errNilFunc)
	}
	held := 0
	var l listing
	l.c, l.method, l.held, l.seen = c, method, &held, make(cursors)
	defer l.seen.forget(c)
	for l.more() {
		q := newRequest(method, uri, (*request).appendPage)
		if q.args = l.next; l.next != nil {
			q.traits |= continues
		}
		if method != listSkills {
			q.traits &^= cacheable
		}
		res, err := call(ctx, c, q, fresh[Page])
		if err != nil {
			return err
		}
		list := res.Extra[key]
		if len(list) == 0 || list[0] != '[' {
			return c.failed(q, jsonrpc.Malformed(errors.New("the result has no list "+wire.Quote(key))))
		}
		if !l.each(list, f) {
			break
		}
		l.add(res, 0)
	}
	return l.err
}

var errNilFunc = errors.New("CallList: f is nil")

func (l *listing) each(list RawMessage, f func(item RawMessage) bool) bool {
	r := wire.NewReader(list)
	r.Trust()
	for r.Array(); r.More(); l.items++ {
		if limit := l.c.opts.MaxItems; l.items == limit {
			l.err = l.c.listLimit(l.method, limit, " items")
			return false
		}
		if !f(r.Raw()) {
			return false
		}
	}
	return true
}

func (q *request) appendPage(b []byte) ([]byte, error) {
	if q.name != "" {
		b = wire.AppendString(wire.AppendKey(b, "uri"), q.name)
	}
	if cursor := q.args.(*string); cursor != nil {
		b = wire.AppendString(wire.AppendKey(b, "cursor"), *cursor)
	}
	return b, nil
}
