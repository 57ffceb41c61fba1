package ui

import (
	"context"
	"errors"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/compat"
)

var errReplaced = errors.New("another comparison has begun")

// compare connects to the target with each of two protocol versions, one after the
// other, and returns what the server offers differently. The connection of the page
// stays. A further comparison ends the one that runs.
func (b *Bench) compare(ctx context.Context, old, new string) (map[string]any, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(b.ctx, func() { cancel(context.Cause(b.ctx)) })()
	b.mu.Lock()
	last := b.endComparison
	b.endComparison = cancel
	b.mu.Unlock()
	if last != nil {
		last(errReplaced)
	}
	var catalogs [2]*compat.Catalog
	for i, version := range [2]string{old, new} {
		if err := known(version); err != nil {
			return nil, err
		}
		catalog, err := b.catalog(ctx, version)
		if context.Cause(ctx) == errReplaced {
			return nil, errReplaced
		}
		if err != nil {
			return nil, errors.New(version + ": " + b.config.Explain(err))
		}
		catalogs[i] = catalog
	}
	changes := []any{}
	for _, c := range compat.Sorted(compat.Compare(catalogs[0], catalogs[1])) {
		changes = append(changes, fields("kind", c.Kind.String(), "item", c.Item, "path", c.Path, "text", c.Text, "old", c.Old, "new", c.New))
	}
	return map[string]any{"changes": changes}, nil
}

// catalog returns what the server offers with a protocol version.
func (b *Bench) catalog(ctx context.Context, version string) (*compat.Catalog, error) {
	client, end, err := b.config.Connect(ctx, b.setup(version, b.answers()))
	if err != nil {
		return nil, err
	}
	defer end()
	return compat.Read(ctx, client)
}
