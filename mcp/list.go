package mcp

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/queue"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// pages returns an iterator over a paginated list, which is the member key of each
// page. split returns the items of a page. If held is not nil, the caller keeps
// all items, and *held becomes the number of bytes of their pages.
//
// A cursor is opaque; it may be empty. If a cursor occurs twice, the list would
// never end.
func pages[T, R any, P resultPtr[R]](ctx context.Context, c *Client, method, key string, held *int,
	split func(P) ([]*T, *Page)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		var next *string
		seen := cursors{budget: &c.budget, seen: make(map[string]bool)}
		defer seen.forget()
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
			if text := itemsOnly(pageOf(res).raw, key); text != nil {
				own := P(new(R))
				if err := decodeText(text, own); err == nil {
					pageOf(own).NextCursor, pageOf(own).raw = pageOf(res).NextCursor, text
					res = own
				}
			}
			list, rest := split(res)
			if held != nil {
				*held += len(rest.raw)
				if limit := c.budget.Max(); *held > limit {
					yield(nil, c.listError(method, "more than "+strconv.Itoa(limit)+" bytes"))
					return
				}
			}
			next = rest.NextCursor
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
			case seen.seen[*next]:
				yield(nil, c.listError(method, "the cursor "+wire.Quote(*next)+" occurs twice"))
				return
			case !seen.add(*next):
				yield(nil, c.listError(method, "more than "+strconv.Itoa(c.budget.Max())+" bytes of cursors"))
				return
			}
		}
	}
}

// cursors are the cursors of a list.
type cursors struct {
	budget *queue.Budget
	seen   map[string]bool
}

// add reports whether there is room for a cursor.
func (s *cursors) add(cursor string) bool {
	if !s.budget.Take(len(cursor)) {
		return false
	}
	s.seen[strings.Clone(cursor)] = true
	return true
}

func (s *cursors) forget() {
	for cursor := range s.seen {
		s.budget.Return(len(cursor))
	}
}

// maxUsual is how many bytes an item may have before itemsOnly looks closer.
const maxUsual = 4 << 10

// itemsOnly returns the list of a page without anything else, and without white
// space, if that is less than half of the page. The items share memory with the
// page, and often outlive it.
func itemsOnly(raw []byte, key string) []byte {
	if len(raw) < maxUsual {
		return nil
	}
	r := wire.NewReader(wire.Lookup(raw, key))
	r.Trust()
	n, text := 0, wire.AppendKey(nil, key)
	for r.Array(); r.More(); n++ {
		r.Skip()
		if n*maxUsual > len(raw) {
			return nil // usual
		}
	}
	if text = append(wire.AppendCompact(append([]byte{'{'}, text...), wire.Lookup(raw, key)), '}'); r.End() != nil || len(text) > len(raw)/2 {
		return nil
	}
	return slices.Clip(text)
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
func all[T any](ctx context.Context, c *Client, list func(context.Context, *int) iter.Seq2[*T, error]) ([]*T, error) {
	ctx, cancel := c.withMaxTimeout(ctx)
	defer cancel()
	for {
		items := make([]*T, 0, 64) // as many as most servers have
		var err error
		var item *T
		var held int
		for item, err = range list(ctx, &held) {
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

func (t *Page) page() *Page { return t }

func pageOf(res result) *Page { return res.(lossyList).page() }
