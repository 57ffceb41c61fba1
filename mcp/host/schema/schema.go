// Package schema writes tool definitions and tool results in the formats of
// model providers. A minor version follows the formats, and keeps the Go API.
//
//	tools, err := schema.List(schema.Anthropic, h.Tools())
//	…
//	block := schema.AnthropicResult(use.ID, res)
//
// # Definitions
//
// A definition contains the server's schema, byte for byte, unless the provider would
// reject it: one definition that is rejected makes an API reject the whole request.
// [Rules] lists what each provider rejects, where that is known from, and what a Definer
// does about it; [Check] finds it in a tool. A union at the root becomes one object that
// accepts the arguments of each variant, and the description says which arguments the
// variants require. [GeminiParameters] writes the older format of Gemini: references are
// replaced by their targets, unions are flattened, and much is lost. The package never
// fetches references to other documents. A tool that has no valid form, such as one with
// an invalid name or a schema that expands to more than 10,000 values ([ErrTooComplex]),
// is an error, which [List] returns with the other tools.
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
	"strings"
	"unicode/utf8"

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
	const most = 4 << 20
	b := []byte("[")
	var errs []error
	for _, t := range tools {
		d, err := define(t)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if len(b) == 1 { // the others are similar
			b = wire.Grow(b, min(len(d)*len(tools), most))
		}
		b = append(wire.AppendComma(b), d...)
	}
	return append(b, ']'), errors.Join(errs...)
}

// A format is how an API takes definitions.
type format struct {
	target             target
	before, key, after string
	convert            func(w *walker, root *node) *node // from JSON Schema, nil for no parameters; may be nil
}

var (
	formatAnthropic        = format{anthropic, "{", "input_schema", "}", nil}
	formatOpenAI           = format{openai, `{"type":"function","function":{`, "parameters", "}}", nil}
	formatOpenAIResponses  = format{openai, `{"type":"function","strict":false,`, "parameters", "}", nil}
	formatGemini           = format{gemini, "{", "parametersJsonSchema", "}", nil}
	formatVertex           = format{vertex, "{", "parametersJsonSchema", "}", nil}
	formatGeminiParameters = format{geminiParameters, "{", "parameters", "}", openAPISchema}
)

// Anthropic is the Definer for the Messages API.
func Anthropic(t Tool) (mcp.RawMessage, error) { return define(t, &formatAnthropic) }

// OpenAI is the Definer for the Chat Completions API.
func OpenAI(t Tool) (mcp.RawMessage, error) { return define(t, &formatOpenAI) }

// OpenAIResponses is the Definer for the Responses API. Its definitions are not
// strict: by default, that API would make optional arguments required.
func OpenAIResponses(t Tool) (mcp.RawMessage, error) { return define(t, &formatOpenAIResponses) }

// Gemini is the Definer for functionDeclarations of the Gemini API. It uses the field
// parametersJsonSchema.
func Gemini(t Tool) (mcp.RawMessage, error) { return define(t, &formatGemini) }

// Vertex is the Definer for functionDeclarations of Gemini on Vertex AI.
func Vertex(t Tool) (mcp.RawMessage, error) { return define(t, &formatVertex) }

// GeminiParameters is the Definer for functionDeclarations with the field parameters,
// for APIs without parametersJsonSchema, such as the Live API. That field accepts a
// subset of OpenAPI 3.0, in which much of JSON Schema is lost. The definition of a tool
// without parameters has no schema.
func GeminiParameters(t Tool) (mcp.RawMessage, error) { return define(t, &formatGeminiParameters) }

// maxDescription is how many characters OpenAI accepts in a description.
const maxDescription = 1024

func define(t Tool, f *format) (mcp.RawMessage, error) {
	if t == nil {
		return nil, errors.New("schema: the tool is nil")
	}
	name, description := t.Name(), t.Description()
	if !nameFits(ruleName, name) {
		return nil, &toolError{name, errName}
	}
	if applies[ruleFirstLetter]&f.target != 0 && !nameFits(ruleFirstLetter, name) {
		return nil, &toolError{name, errFirstLetter}
	}
	raw := t.InputSchema()
	root, free, err := parse(raw)
	defer free()
	w := &walker{target: f.target, budget: minBudget + budgetPerByte*len(raw)}
	if err == nil {
		root, err = w.mend(root)
	}
	if err == nil && f.convert != nil {
		root = f.convert(w, root)
		if w.budget < 0 {
			err = ErrTooComplex
		}
	}
	if err != nil {
		return nil, &toolError{name, err}
	}
	lost := cut(strings.Join(w.lost[nil], "\n"), maxDescription/2)
	if applies[ruleDescription]&f.target != 0 {
		description = cut(description, maxDescription-utf8.RuneCountInString(lost)-1)
	}
	if lost != "" {
		description = strings.TrimPrefix(description+"\n"+lost, "\n")
	}
	b := make([]byte, 0, len(f.before)+len(name)+len(description)+len(raw)+len(raw)/16+64)
	b = wire.AppendString(append(append(b, f.before...), `"name":`...), name)
	b = wire.AppendString(wire.AppendKey(b, "description"), description)
	if root != nil {
		b = wire.AppendKey(b, f.key)
		if w.broken {
			b = root.append(b)
		} else { // the server's own
			b = wire.AppendLine(b, raw)
		}
	}
	return append(b, f.after...), nil
}

var (
	errName        = errors.New("the provider accepts only names of 1 to 64 letters, digits, _ and -")
	errFirstLetter = errors.New("the provider accepts only names that begin with a letter or _")
)

// cut returns a text of at most n characters, which ends with a sentence if that costs at
// most half of it.
func cut(text string, n int) string {
	const mark = " […]"
	if len(text) <= n || utf8.RuneCountInString(text) <= n {
		return text
	}
	n -= utf8.RuneCountInString(mark)
	end := 0
	for i := range text {
		if n--; n < 0 {
			end = i
			break
		}
	}
	head := text[:end]
	best := 0
	for _, stop := range [...]string{". ", ".\n", "! ", "? ", "\n", "。"} {
		if i := strings.LastIndex(head, stop); i > best {
			best = i + len(strings.TrimSpace(stop))
		}
	}
	if best < end/2 {
		if best = strings.LastIndexByte(head, ' '); best < end/2 {
			best = end
		}
	}
	return strings.TrimSpace(head[:best]) + mark
}

// A toolError adds the name of the tool to an error.
type toolError struct {
	name string
	err  error
}

func (e *toolError) Error() string {
	return "tool " + wire.Quote(e.name) + ": " + e.err.Error()
}
func (e *toolError) Unwrap() error { return e.err }
