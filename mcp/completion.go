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
//
// If the server does not declare completions, the result is empty and nothing is sent.
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

// A ReferenceType is the type of a [Reference].
type ReferenceType string

// The types of references.
const (
	RefPrompt   ReferenceType = "ref/prompt"
	RefResource ReferenceType = "ref/resource" // a resource or a resource template
)

// A Reference names a prompt, or a resource or resource template.
type Reference struct {
	Type  ReferenceType
	Name  string // of the prompt
	Title string // of the prompt, for people (2025-06-18)
	URI   string // of the resource, or the URI template

	Extra map[string]RawMessage // members without a field, as received
}

func (t *Reference) fields(c *codec) {
	c.string("type", (*string)(&t.Type), always)
	c.string("name", &t.Name, t.Type == RefPrompt)
	c.string("title", &t.Title, omitEmpty)
	c.string("uri", &t.URI, t.Type == RefResource)
	c.extra(&t.Extra)
}

// A CompleteResult is the result of completion/complete, for programs that use
// [Client.Call]. [Client.Complete] returns only its Completion.
type CompleteResult struct {
	Completion Completion
	Result
}

func (t *CompleteResult) fields(c *codec) {
	c.object("completion", &t.Completion)
	t.Result.fields(c)
}

// A Completion is a list of possible values of an argument.
type Completion struct {
	Values  []string // at most 100
	Total   *int64   // the number of values that exist; nil if unknown
	HasMore *bool    // whether there are more values; nil if unknown

	Extra map[string]RawMessage // members without a field, as received
}

func (t *Completion) fields(c *codec) {
	stringList(c, "values", &t.Values, always)
	c.hintPtr("total", &t.Total)
	c.boolPtr("hasMore", &t.HasMore)
	c.extra(&t.Extra)
}
