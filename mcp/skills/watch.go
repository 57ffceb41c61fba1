package skills

import (
	"context"
	"iter"

	"github.com/stdmcp/stdmcp/mcp"
)

// Watch returns an iterator over lists of the server's skills: the present list,
// then a new one each time the server reports that its resources have changed, as
// servers do when they add or remove a skill or change its name or description. A
// list may equal the one before. The iterator ends with a nil list and an error: the
// cause of ctx if ctx ends, an error that matches [mcp.ErrNoChanges] if the server
// reports no such changes, or an error of [Reader.List] or of the connection.
//
// Servers need not report that a file has changed. Reads of the file fail with
// [ErrDigest] or [ErrSize] until the program gets the new entry.
func (r *Reader) Watch(ctx context.Context) iter.Seq2[[]*Skill, error] {
	return func(yield func([]*Skill, error) bool) {
		if !r.Supported() {
			yield(nil, fail(r, "skills/list", "", ErrUnsupported))
			return
		}
		// A server of the legacy era need not refuse a subscription that it ignores.
		if res := r.c.Server().Capabilities.Resources; res == nil || res.ListChanged == nil || !*res.ListChanged {
			yield(nil, fail(r, "skills/list", "", mcp.ErrNoChanges))
			return
		}
		sub, err := r.c.Subscribe(ctx, &mcp.SubscriptionFilter{ResourcesListChanged: true})
		if err != nil {
			yield(nil, err)
			return
		}
		defer sub.Close()
		for {
			list, err := r.List(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(list, nil) {
				return
			}
			if _, err := sub.Next(ctx); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}
