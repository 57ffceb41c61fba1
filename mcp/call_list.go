package mcp

import (
	"context"
	"errors"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// CallList requests the pages of a list and calls f with each item, as received, until
// f returns false. It is for the lists of extensions, as [Client.Call] is for their
// methods. key is the member of a page that holds the items; uri is the parameter uri,
// or empty for none. Limits and errors are as for ListTools; if a page lacks the
// member, the error matches [ErrMalformed]. CallList does not use the [Cache].
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
		q.args = l.next
		q.traits &^= cacheable
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

// each calls f with the items of a page, and reports whether to go on.
//
//go:noinline
func (l *listing) each(list RawMessage, f func(item RawMessage) bool) bool {
	r := wire.NewReader(list)
	r.Trust()
	for r.Array(); r.More(); l.items++ {
		if limit := max(0, l.c.opts.MaxItems); l.items == limit {
			l.err = l.c.listLimit(l.method, limit, " items")
			return false
		}
		if !f(r.Raw()) {
			return false
		}
	}
	return true
}

// appendPage appends the URI, and the cursor in the arguments.
func (q *request) appendPage(b []byte) ([]byte, error) {
	if q.name != "" {
		b = wire.AppendString(wire.AppendKey(b, "uri"), q.name)
	}
	if cursor := q.args.(*string); cursor != nil {
		b = wire.AppendString(wire.AppendKey(b, "cursor"), *cursor)
	}
	return b, nil
}

// Extension returns the settings with which the server has declared an extension, or
// nil.
func (c *Client) Extension(name string) RawMessage {
	return c.agreed.Load().server.Capabilities.Extensions[name]
}

// Failed returns a *[CallError] with the server, the given method and name, and
// err, as other calls do; nil if err is nil. It is for packages that implement an
// extension.
func (c *Client) Failed(method, name string, err error) error {
	if err == nil {
		return nil
	}
	return c.failed(newRequest(method, name, nil), err)
}
