package mcp

import "context"

// ListToolsPage requests one page of the server's tools: the first page if
// cursor is nil. cursor is usually the NextCursor of the previous page. Most
// programs use Tools or ListTools; ListToolsPage is for programs that display
// pages or need the other fields of a page, such as TTLMs.
func (c *Client) ListToolsPage(ctx context.Context, cursor *string) (*ListToolsResult, error) {
	res, err := page(ctx, c, "tools/list", cursor, fresh[ListToolsResult])
	if err == nil {
		res.Tools = c.bind(res.Tools)
	}
	return res, err
}

// ListResourcesPage requests one page of the server's resources, as
// ListToolsPage does.
func (c *Client) ListResourcesPage(ctx context.Context, cursor *string) (*ListResourcesResult, error) {
	return page(ctx, c, "resources/list", cursor, fresh[ListResourcesResult])
}

// ListResourceTemplatesPage requests one page of the server's resource
// templates, as ListToolsPage does.
func (c *Client) ListResourceTemplatesPage(ctx context.Context, cursor *string) (*ListResourceTemplatesResult, error) {
	return page(ctx, c, "resources/templates/list", cursor, fresh[ListResourceTemplatesResult])
}

// ListPromptsPage requests one page of the server's prompts, as ListToolsPage
// does.
func (c *Client) ListPromptsPage(ctx context.Context, cursor *string) (*ListPromptsResult, error) {
	return page(ctx, c, "prompts/list", cursor, fresh[ListPromptsResult])
}
