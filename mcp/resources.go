package mcp

import (
	"context"
	"iter"
)

// Resources returns an iterator over the server's resources, as Tools does over
// tools.
func (c *Client) Resources(ctx context.Context) iter.Seq2[*Resource, error] {
	return c.resourcePages(ctx, nil)
}

// resourcePages is [pages] of resources.
func (c *Client) resourcePages(ctx context.Context, held *int) iter.Seq2[*Resource, error] {
	return pages(ctx, c, "resources/list", held, fresh[ListResourcesResult], func(res *ListResourcesResult) ([]*Resource, *Page) {
		return res.Resources, &res.Page
	})
}

// ListResources returns all resources of the server. If it fails, it returns
// those received so far and the error.
func (c *Client) ListResources(ctx context.Context) ([]*Resource, error) {
	return all(ctx, c, c.resourcePages)
}

// ResourceTemplates returns an iterator over the server's resource templates,
// as Tools does over tools.
func (c *Client) ResourceTemplates(ctx context.Context) iter.Seq2[*ResourceTemplate, error] {
	return c.templatePages(ctx, nil)
}

// templatePages is [pages] of resource templates.
func (c *Client) templatePages(ctx context.Context, held *int) iter.Seq2[*ResourceTemplate, error] {
	return pages(ctx, c, "resources/templates/list", held, fresh[ListResourceTemplatesResult], func(res *ListResourceTemplatesResult) ([]*ResourceTemplate, *Page) {
		return res.ResourceTemplates, &res.Page
	})
}

// ListResourceTemplates returns all resource templates of the server. If it
// fails, it returns those received so far and the error.
func (c *Client) ListResourceTemplates(ctx context.Context) ([]*ResourceTemplate, error) {
	return all(ctx, c, c.templatePages)
}

// ReadResource reads a resource. If there is none with this URI, the server
// refuses with [CodeResourceNotFound], or with jsonrpc.CodeInvalidParams from
// 2026-07-28 on.
func (c *Client) ReadResource(ctx context.Context, uri string) (*ReadResourceResult, error) {
	return call(ctx, c, newRequest("resources/read", uri, (*request).appendURI), fresh[ReadResourceResult])
}
