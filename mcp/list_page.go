package mcp

import "context"

// ListToolsPage requests one page of the server's tools: the first page if
// cursor is nil. cursor is usually the NextCursor of the previous page. Most
// programs use Tools or ListTools; ListToolsPage is for programs that display
// pages or need the other fields of a page, such as TTLMs.
func (c *Client) ListToolsPage(ctx context.Context, cursor *string) (*ListToolsResult, error) {
	res, err := page[ListToolsResult](ctx, c, "tools/list", cursor)
	if err == nil {
		res.Tools = c.bind(res.Tools)
	}
	return res, err
}

// ListResourcesPage requests one page of the server's resources, as
// ListToolsPage does.
func (c *Client) ListResourcesPage(ctx context.Context, cursor *string) (*ListResourcesResult, error) {
	return page[ListResourcesResult](ctx, c, "resources/list", cursor)
}

// ListResourceTemplatesPage requests one page of the server's resource
// templates, as ListToolsPage does.
func (c *Client) ListResourceTemplatesPage(ctx context.Context, cursor *string) (*ListResourceTemplatesResult, error) {
	return page[ListResourceTemplatesResult](ctx, c, "resources/templates/list", cursor)
}

// ListPromptsPage requests one page of the server's prompts, as ListToolsPage
// does.
func (c *Client) ListPromptsPage(ctx context.Context, cursor *string) (*ListPromptsResult, error) {
	return page[ListPromptsResult](ctx, c, "prompts/list", cursor)
}
