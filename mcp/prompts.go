package mcp

import (
	"context"
	"iter"
)

// Prompts returns an iterator over the server's prompts, which asks for a page
// when the one before is used up. After an error it ends.
func (c *Client) Prompts(ctx context.Context) iter.Seq2[*Prompt, error] {
	return pages(ctx, c, "prompts/list", func(res *ListPromptsResult) ([]*Prompt, *string) {
		return res.Prompts, res.NextCursor
	})
}

// ListPrompts returns all of the server's prompts. With an error it returns
// those that were read before it.
func (c *Client) ListPrompts(ctx context.Context) ([]*Prompt, error) { return all(ctx, c, c.Prompts) }

// GetPrompt has the server fill in a prompt. args may be nil.
func (c *Client) GetPrompt(ctx context.Context, name string, args map[string]string) (*GetPromptResult, error) {
	q := newCall("prompts/get", name, (*request).appendNamed)
	if args != nil {
		q.args = args
	}
	return callWithInputs[GetPromptResult](ctx, c, q)
}
