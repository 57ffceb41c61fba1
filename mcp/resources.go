package mcp

import (
	"context"
	"iter"
)

// Resources returns an iterator over the server's resources, which asks for a
// page when the one before is used up. After an error it ends.
func (c *Client) Resources(ctx context.Context) iter.Seq2[*Resource, error] {
	return pages(ctx, c, "resources/list", func(res *ListResourcesResult) ([]*Resource, *string) {
		return res.Resources, res.NextCursor
	})
}

// ListResources returns all of the server's resources. With an error it
// returns those that were read before it.
func (c *Client) ListResources(ctx context.Context) ([]*Resource, error) {
	return all(ctx, c, c.Resources)
}

// ResourceTemplates returns an iterator over the server's resource templates,
// as Resources does over resources.
func (c *Client) ResourceTemplates(ctx context.Context) iter.Seq2[*ResourceTemplate, error] {
	return pages(ctx, c, "resources/templates/list", func(res *ListResourceTemplatesResult) ([]*ResourceTemplate, *string) {
		return res.ResourceTemplates, res.NextCursor
	})
}

// ListResourceTemplates returns all of the server's resource templates. With
// an error it returns those that were read before it.
func (c *Client) ListResourceTemplates(ctx context.Context) ([]*ResourceTemplate, error) {
	return all(ctx, c, c.ResourceTemplates)
}

// ReadResource reads a resource. A URI may stand for several contents.
func (c *Client) ReadResource(ctx context.Context, uri string) (*ReadResourceResult, error) {
	return callWithInputs[ReadResourceResult](ctx, c, newCall("resources/read", uri, (*request).appendURI))
}
