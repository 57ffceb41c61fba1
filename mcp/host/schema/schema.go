// Package schema writes tool definitions and tool results in the formats of
// model providers. It may change in a minor version, as the formats do.
//
//	tools, err := schema.List(schema.Anthropic, h.Tools())
//	…
//	block := schema.AnthropicResult(use.ID, res)
//
// # Definitions
//
// The definitions contain the server's schema unmodified unless the provider
// would reject it. For Anthropic and OpenAI the root becomes an object with
// properties; a union at the root becomes one object with the properties of all
// its variants. For Gemini, references are replaced by their targets, unions
// are flattened, types that allow null become nullable, and unsupported
// keywords are removed. The package never fetches references to other
// documents. A schema that expands to more than 10,000 values is an error,
// [ErrTooComplex].
//
// # Results
//
// Images are sent to models that accept them in results. Other content that is
// not text becomes a note, as in host.Text. A nil result is empty.
//
// # Concurrency
//
// All functions may be called by multiple goroutines at once.
package schema

import (
	"errors"
	"slices"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// A Tool describes a tool; *host.Tool implements it.
type Tool interface {
	Name() string
	Description() string
	InputSchema() mcp.RawMessage
}

// A Definer returns the definition of a tool in the format of a provider.
type Definer func(Tool) (mcp.RawMessage, error)

// List returns the definitions of tools as an array. If some tools cannot be
// defined, it returns the others and an error about those.
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

// OpenAIResponses is the Definer for the Responses API. Its definitions are not
// strict: by default, that API would make optional arguments required.
func OpenAIResponses(t Tool) (mcp.RawMessage, error) {
	return define(t, `{"type":"function","strict":false,`, "parameters", "}", sanitizeJSON)
}

// Gemini is the Definer for functionDeclarations. The definition of a tool
// without parameters has no schema.
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

// sanitizeJSON returns a schema for Anthropic and OpenAI.
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

// geminiJSON returns a schema for Gemini, or nil if there are no parameters.
func geminiJSON(raw mcp.RawMessage) ([]byte, error) {
	root, err := parse(raw)
	if err != nil {
		return nil, err
	}
	g := &geminiRewriter{root: root, budget: minBudget + budgetPerByte*len(raw)}
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

// A toolError adds the name of the tool to an error.
type toolError struct {
	name string
	err  error
}

func (e *toolError) Error() string {
	return "tool " + wire.Quote(e.name) + ": input schema: " + e.err.Error()
}
func (e *toolError) Unwrap() error { return e.err }
