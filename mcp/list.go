package mcp

import (
	"context"
	"iter"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// pages returns an iterator over a list that the server hands out in pages.
// split returns the items of a page and the cursor of the next.
//
// A cursor is opaque: even the empty string is one. A list that comes back to
// a cursor would never end.
func pages[T, R any, P resultPtr[R]](ctx context.Context, c *Client, method string,
	split func(P) ([]*T, *string)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		var next *string
		seen := make(map[string]bool)
		for n, items := 1, 0; ; n++ {
			if limit := max(0, c.opts.MaxPages); n > limit {
				yield(nil, c.listError(method, "more than "+strconv.Itoa(limit)+" pages"))
				return
			}
			res, err := page[R, P](ctx, c, method, next)
			if err != nil {
				yield(nil, err)
				return
			}
			var list []*T
			list, next = split(res)
			for _, item := range list {
				if limit := max(0, c.opts.MaxItems); items == limit {
					yield(nil, c.listError(method, "more than "+strconv.Itoa(limit)+" items"))
					return
				}
				items++
				if !yield(item, nil) {
					return
				}
			}
			switch {
			case next == nil:
				return
			case seen[*next]:
				yield(nil, c.listError(method, "the cursor "+wire.Quote(*next)+" came twice"))
				return
			}
			seen[*next] = true
		}
	}
}

// page asks for one page of a list: the first, or that which cursor names.
func page[R any, P resultPtr[R]](ctx context.Context, c *Client, method string, cursor *string) (P, error) {
	q := newCall(method, "", nil)
	if cursor != nil {
		q.params = func(_ *request, b []byte) ([]byte, error) {
			return wire.AppendString(wire.AppendKey(b, "cursor"), *cursor), nil
		}
	}
	return callWithInputs[R, P](ctx, c, q)
}

func (c *Client) listError(method, why string) error {
	return c.failed(newCall(method, "", nil), diag.Op(why, ErrListLimit))
}

// all reads a list to its end, in no more time than a call may take in all.
// What was read is returned with the error.
func all[T any](ctx context.Context, c *Client, list func(context.Context) iter.Seq2[*T, error]) ([]*T, error) {
	ctx, cancel := c.withMaxTimeout(ctx)
	defer cancel()
	for {
		items := make([]*T, 0, 64) // as many as most servers have
		var err error
		var item *T
		for item, err = range list(ctx) {
			if err != nil {
				break
			}
			items = append(items, item)
		}
		if ctx = c.withoutStaleCursor(ctx, err); ctx == nil {
			return items, err
		}
	}
}

// refreshed returns a context for reading a list from its beginning when the
// server has refused the cursor of a page that was kept, else nil.
func (c *Client) withoutStaleCursor(ctx context.Context, err error) context.Context {
	if refusal := serverError(err); refusal != nil && c.cache != nil {
		return c.cache.refresh(ctx)
	}
	return nil
}

// problems returns what is wrong with the items that were left out.
func (t *Page) discarded() []error { return t.bad }
