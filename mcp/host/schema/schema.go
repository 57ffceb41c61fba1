// Package schema writes tools and their results the way the interfaces of
// model providers want them.
//
//	tools, err := schema.List(schema.Anthropic, h.Tools())
//	…
//	block := schema.AnthropicResult(use.ID, res)
//
// # Definitions
//
// A server's schema goes out as it came, unless a provider would refuse it.
// For Anthropic and OpenAI the root becomes an object with properties; unions
// there are made one object with the properties of all. For Gemini references
// are replaced by what they lead to, unions are flattened, types that allow
// null become nullable, and keywords that it does not know are left out.
// References to other documents are never fetched. A schema that unfolds to
// more than 10,000 values is an error, [ErrTooComplex].
//
// # Results
//
// Pictures go to models that take them in results, and everything else that is
// no text becomes a note, as host.Text has it.
//
// # Concurrency
//
// All functions may be called by any number of goroutines at once.
package schema

import (
	"errors"
	"slices"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// A Tool is what a *host.Tool is.
type Tool interface {
	Name() string
	Description() string
	InputSchema() mcp.RawMessage
}

// A Definer returns the definition of a tool for a provider.
type Definer func(Tool) (mcp.RawMessage, error)

// List returns the definitions of tools as one array. Tools that can't be
// defined are left out, and are what the error is about.
func List[T Tool](define Definer, tools []T) (mcp.RawMessage, error) {
	if define == nil {
		return nil, errors.New("schema: the definer is nil")
	}
	b := []byte("[")
	var errs []error
	for _, t := range tools {
		d, err := define(t)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		b = append(wire.AppendComma(b), d...)
	}
	return append(b, ']'), errors.Join(errs...)
}

// Anthropic is the Definer for the Messages API.
func Anthropic(t Tool) (mcp.RawMessage, error) {
	return define(t, "{", "input_schema", "}", sanitizeJSON)
}

// OpenAI is the Definer for the Chat Completions API.
func OpenAI(t Tool) (mcp.RawMessage, error) {
	return define(t, `{"type":"function","function":{`, "parameters", "}}", sanitizeJSON)
}

// OpenAIResponses is the Definer for the Responses API.
func OpenAIResponses(t Tool) (mcp.RawMessage, error) {
	return define(t, `{"type":"function",`, "parameters", "}", sanitizeJSON)
}

// Gemini is the Definer for functionDeclarations. A tool without parameters
// has none there.
func Gemini(t Tool) (mcp.RawMessage, error) {
	return define(t, "{", "parameters", "}", geminiJSON)
}

func define(t Tool, before, key, after string, rewrite func(mcp.RawMessage) ([]byte, error)) (mcp.RawMessage, error) {
	if t == nil {
		return nil, errors.New("schema: the tool is nil")
	}
	schema, err := rewrite(t.InputSchema())
	if err != nil {
		return nil, &toolError{t.Name(), err}
	}
	b := wire.AppendString(append([]byte(before), `"name":`...), t.Name())
	b = wire.AppendString(wire.AppendKey(b, "description"), t.Description())
	if schema != nil {
		b = append(wire.AppendKey(b, key), schema...)
	}
	return append(b, after...), nil
}

// mended returns a schema for Anthropic and OpenAI.
func sanitizeJSON(raw mcp.RawMessage) ([]byte, error) {
	root, err := parse(raw)
	if err != nil {
		return nil, err
	}
	kind, _ := root.get("type").text()
	union := slices.ContainsFunc([]string{"$ref", "allOf", "anyOf", "oneOf", "enum", "not"}, func(key string) bool { return root.get(key) != nil })
	if required := root.get("required"); kind == "object" && root.get("properties").isObject() && !union && (required == nil || required.array) {
		return wire.AppendLine(nil, raw), nil
	}
	return sanitize(root).append(nil), nil
}

// geminified returns a schema for Gemini, or nil when there are no parameters.
func geminiJSON(raw mcp.RawMessage) ([]byte, error) {
	root, err := parse(raw)
	if err != nil {
		return nil, err
	}
	g := &geminiRewriter{root: root, budget: maxNodes}
	n := g.schema(sanitize(root))
	if g.budget < 0 {
		return nil, ErrTooComplex
	}
	if len(n.get("properties").list()) == 0 {
		return nil, nil
	}
	return n.append(nil), nil
}

func (n *node) list() []*node {
	if n == nil {
		return nil
	}
	return n.items
}

// toolError says which tool can't be defined.
type toolError struct {
	name string
	err  error
}

func (e *toolError) Error() string {
	return "tool " + wire.Quote(e.name) + ": input schema: " + e.err.Error()
}
func (e *toolError) Unwrap() error { return e.err }
