package mcp

import (
	"context"
	"iter"
)

// Prompts returns an iterator over the server's prompts, as Tools does over
// tools.
func (c *Client) Prompts(ctx context.Context) iter.Seq2[*Prompt, error] {
	return c.promptPages(ctx, nil)
}

// promptPages is [pages] of prompts.
func (c *Client) promptPages(ctx context.Context, held *int) iter.Seq2[*Prompt, error] {
	return pages(ctx, c, "prompts/list", held, fresh[ListPromptsResult], func(res *ListPromptsResult) ([]*Prompt, *Page) {
		return res.Prompts, &res.Page
	})
}

// ListPrompts returns all prompts of the server. If it fails, it returns those
// received so far and the error.
func (c *Client) ListPrompts(ctx context.Context) ([]*Prompt, error) {
	return all(ctx, c, c.promptPages)
}

// GetPrompt returns the messages of a prompt with the given arguments, which may
// be nil.
func (c *Client) GetPrompt(ctx context.Context, name string, args map[string]string) (*GetPromptResult, error) {
	q := newRequest("prompts/get", name, (*request).appendNamed)
	if args != nil {
		q.args = args
	}
	return call(ctx, c, q, fresh[GetPromptResult])
}
