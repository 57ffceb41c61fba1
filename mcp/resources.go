package mcp

import (
	"context"
	"iter"
)

// Resources returns an iterator over the server's resources, as Tools does over
// tools.
func (c *Client) Resources(ctx context.Context) iter.Seq2[*Resource, error] {
	return pages(ctx, c, "resources/list", func(res *ListResourcesResult) ([]*Resource, *string) {
		return res.Resources, res.NextCursor
	})
}

// ListResources returns all resources of the server. With an error it returns
// the resources before it.
func (c *Client) ListResources(ctx context.Context) ([]*Resource, error) {
	return all(ctx, c, c.Resources)
}

// ResourceTemplates returns an iterator over the server's resource templates,
// as Tools does over tools.
func (c *Client) ResourceTemplates(ctx context.Context) iter.Seq2[*ResourceTemplate, error] {
	return pages(ctx, c, "resources/templates/list", func(res *ListResourceTemplatesResult) ([]*ResourceTemplate, *string) {
		return res.ResourceTemplates, res.NextCursor
	})
}

// ListResourceTemplates returns all resource templates of the server. With an
// error it returns the templates before it.
func (c *Client) ListResourceTemplates(ctx context.Context) ([]*ResourceTemplate, error) {
	return all(ctx, c, c.ResourceTemplates)
}

// ReadResource reads a resource, which may consist of several contents.
func (c *Client) ReadResource(ctx context.Context, uri string) (*ReadResourceResult, error) {
	return callWithInputs[ReadResourceResult](ctx, c, newCall("resources/read", uri, (*request).appendURI))
}
