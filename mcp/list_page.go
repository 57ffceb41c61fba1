package mcp

import "context"

// Pages, one at a time: for programs that show lists page by page, or that
// want what a server says of a page as a whole, such as how long it stays good.

// ListToolsPage asks for one page of the server's tools: the first when cursor
// is nil, else that which a page before has as its NextCursor.
func (c *Client) ListToolsPage(ctx context.Context, cursor *string) (*ListToolsResult, error) {
	res, err := page[ListToolsResult](ctx, c, "tools/list", cursor)
	if err == nil {
		res.Tools = c.bind(res.Tools)
	}
	return res, err
}

// ListResourcesPage asks for one page of the server's resources, as
// ListToolsPage does.
func (c *Client) ListResourcesPage(ctx context.Context, cursor *string) (*ListResourcesResult, error) {
	return page[ListResourcesResult](ctx, c, "resources/list", cursor)
}

// ListResourceTemplatesPage asks for one page of the server's resource
// templates, as ListToolsPage does.
func (c *Client) ListResourceTemplatesPage(ctx context.Context, cursor *string) (*ListResourceTemplatesResult, error) {
	return page[ListResourceTemplatesResult](ctx, c, "resources/templates/list", cursor)
}

// ListPromptsPage asks for one page of the server's prompts, as ListToolsPage
// does.
func (c *Client) ListPromptsPage(ctx context.Context, cursor *string) (*ListPromptsResult, error) {
	return page[ListPromptsResult](ctx, c, "prompts/list", cursor)
}
