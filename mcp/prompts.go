package mcp

import (
	"context"
	"iter"
)

// Prompts returns an iterator over the server's prompts, as Tools does over
// tools.
//
// If the server does not declare prompts, the result is empty and nothing is sent.
func (c *Client) Prompts(ctx context.Context) iter.Seq2[*Prompt, error] {
	return c.promptPages(ctx, nil)
}

func (c *Client) promptPages(ctx context.Context, held *int) iter.Seq2[*Prompt, error] {
	return func(yield func(*Prompt, error) bool) {
		pages(ctx, c, "prompts/list", held, fresh[ListPromptsResult], func(res *ListPromptsResult) ([]*Prompt, *Page) {
			return res.Prompts, &res.Page
		}, yield)
	}
}

// ListPrompts returns all prompts of the server. If it fails, it returns those
// received so far and the error.
//
// If the server does not declare prompts, the result is empty and nothing is sent.
func (c *Client) ListPrompts(ctx context.Context) ([]*Prompt, error) {
	return all(ctx, c, c.promptPages)
}

// GetPrompt returns the messages of a prompt with the given arguments, which may
// be nil.
//
// If the server does not declare prompts, the request is sent all the same.
func (c *Client) GetPrompt(ctx context.Context, name string, args map[string]string) (*GetPromptResult, error) {
	q := newRequest("prompts/get", name, (*request).appendNamed)
	if args != nil {
		q.args = args
	}
	res, err := call(ctx, c, q, fresh[GetPromptResult])
	if err == nil && res.Messages == nil {
		return nil, c.lacks(q, "messages")
	}
	return res, err
}

// A Prompt is a template of messages that a server offers to users.
type Prompt struct {
	Name        string // for programs
	Title       string // for people (2025-06-18); see DisplayName
	Description string
	Arguments   []PromptArgument
	Icons       []Icon // 2025-11-25

	Meta  RawMessage            // "_meta", as received; nil if absent
	Extra map[string]RawMessage // members without a field, as received
}

func (t *Prompt) fields(c *codec) {
	c.exact("name", &t.Name)
	c.hints = true
	c.string("title", &t.Title, omitEmpty)
	c.string("description", &t.Description, omitEmpty)
	c.hints = false
	list(c, "arguments", &t.Arguments, omitEmpty)
	c.hints = true
	list(c, "icons", &t.Icons, omitEmpty)
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
}

func (t *Prompt) ident() string { return t.Name }

// A PromptArgument describes an argument of a prompt.
type PromptArgument struct {
	Name        string // for programs
	Title       string // for people (2025-06-18)
	Description string
	Required    *bool // nil means false

	Extra map[string]RawMessage // members without a field, as received
}

func (t *PromptArgument) fields(c *codec) {
	c.exact("name", &t.Name)
	c.hints = true
	c.string("title", &t.Title, omitEmpty)
	c.string("description", &t.Description, omitEmpty)
	c.boolPtr("required", &t.Required)
	c.extra(&t.Extra)
}

// A PromptMessage is a message of a prompt.
type PromptMessage struct {
	Role    Role
	Content Content

	Extra map[string]RawMessage // members without a field, as received
}

func (t *PromptMessage) fields(c *codec) {
	c.string("role", (*string)(&t.Role), always)
	c.content("content", &t.Content)
	c.extra(&t.Extra)
}

// A ListPromptsResult is a page of a server's prompts.
type ListPromptsResult struct {
	Prompts []*Prompt
	Page
}

func (t *ListPromptsResult) fields(c *codec) {
	items(c, "prompts", &t.Prompts, &t.Page)
	t.Page.fields(c)
}

// A GetPromptResult holds the messages of a prompt.
type GetPromptResult struct {
	Description string
	Messages    []PromptMessage
	Result
}

func (t *GetPromptResult) fields(c *codec) {
	c.hints = true
	c.string("description", &t.Description, omitEmpty)
	c.hints = false
	list(c, "messages", &t.Messages, always)
	t.Result.fields(c)
}
