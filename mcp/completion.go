package mcp

import (
	"context"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// Complete returns the server's completions for an argument of a prompt or a
// variable of a resource template. ref is the result of [PromptRef] or
// [TemplateRef], name is the name of the argument, and value is what the user
// has typed so far. given holds the arguments that already have values
// (2025-06-18); it may be nil.
func (c *Client) Complete(ctx context.Context, ref Reference, name, value string, given map[string]string) (*Completion, error) {
	q := newRequest("completion/complete", "", func(_ *request, b []byte) ([]byte, error) {
		b = appendObject(wire.AppendKey(b, "ref"), &ref)
		b = append(wire.AppendKey(b, "argument"), '{')
		b = wire.AppendString(wire.AppendKey(b, "name"), name)
		b = wire.AppendString(wire.AppendKey(b, "value"), value)
		b = append(b, '}')
		if given == nil {
			return b, nil
		}
		b, err := wire.AppendValue(append(wire.AppendKey(b, "context"), `{"arguments":`...), given)
		return append(b, '}'), err
	})
	if c.undeclared(q.method) {
		return new(Completion), c.ended(q.method)
	}
	res, err := call(ctx, c, q, fresh[CompleteResult])
	if isUnknownMethod(err) {
		return new(Completion), nil
	}
	if err != nil {
		return nil, err
	}
	return &res.Completion, nil
}

// PromptRef returns a reference to a prompt.
func PromptRef(name string) Reference { return Reference{Type: RefPrompt, Name: name} }

// TemplateRef returns a reference to a resource template.
func TemplateRef(uriTemplate string) Reference { return Reference{Type: RefResource, URI: uriTemplate} }
