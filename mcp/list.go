package mcp

import (
	"context"
	"iter"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// pages returns an iterator over a paginated list. split returns the items of a
// page and the cursor of the next one.
//
// A cursor is opaque; it may be empty. If a cursor occurs twice, the list would
// never end.
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
				yield(nil, c.listError(method, "the cursor "+wire.Quote(*next)+" occurs twice"))
				return
			}
			seen[*next] = true
		}
	}
}

// page requests one page of a list: the first one if cursor is nil.
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

// all reads a whole list within Options.MaxTimeout. With an error it returns
// the items before it.
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

// withoutStaleCursor returns a context for reading a list anew without the
// cache if err may be the refusal of a cursor from a cached page, otherwise nil.
func (c *Client) withoutStaleCursor(ctx context.Context, err error) context.Context {
	if refusal := serverError(err); refusal != nil && c.cache != nil {
		return c.cache.refresh(ctx)
	}
	return nil
}

// discarded returns an error for each item that could not be read.
func (t *Page) discarded() []error { return t.bad }
