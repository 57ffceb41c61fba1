package mcp

import (
	"context"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// Sampling lets servers sample from the program's model. As a [Handler] it answers
// sampling/createMessage.
//
// Protocol version 2026-07-28 deprecates sampling; a version released on or
// after 2027-07-28 may remove it. Servers should call the API of a model
// provider instead.
type Sampling struct {
	// CreateMessage samples from the model. It must respect MaxTokens, and
	// should let the user approve the request and the result.
	CreateMessage func(context.Context, *CreateMessageParams) (*CreateMessageResult, error)

	// Tools reports that the model may use the tools in CreateMessageParams
	// (2025-11-25). If false, the client refuses requests with tools.
	Tools bool

	// Context reports that CreateMessage respects IncludeContext (2025-11-25).
	// If false, servers should request only "none". Protocol version 2025-11-25
	// deprecates the other values.
	Context bool
}

// CodeRejected is the Code of the *[jsonrpc.Error] that a handler returns when
// the user rejects a request.
const CodeRejected = -1

func (s Sampling) method() string { return "sampling/createMessage" }

func (s Sampling) declare(caps *clientCapabilities, _ bool) {
	if s.CreateMessage == nil {
		return
	}
	b := []byte{'{'}
	if s.Context {
		b = append(wire.AppendKey(b, "context"), "{}"...)
	}
	if s.Tools {
		b = append(wire.AppendKey(b, "tools"), "{}"...)
	}
	caps.Sampling = append(b, '}')
}

func (s Sampling) answer(ctx context.Context, _ *Client, params RawMessage) (object, error) {
	var p CreateMessageParams
	if err := readParams(params, &p); err != nil {
		return nil, err
	}
	if s.CreateMessage == nil {
		return nil, errNotDeclared
	}
	if !s.Tools && (p.Tools != nil || p.ToolChoice != nil) {
		return nil, invalidParams("this client declared no tools in sampling")
	}
	if err := checkToolResults(p.Messages); err != nil {
		return nil, err
	}
	res, err := s.CreateMessage(ctx, &p)
	if err == nil && res == nil {
		err = errNoAnswer
	}
	return res, err
}

// checkToolResults checks that the tool uses of a message are followed by their
// results and nothing else (2025-11-25 client/sampling, Tool Result Messages).
// Model providers refuse anything else.
func checkToolResults(messages []SamplingMessage) error {
	var open map[string]bool // tool uses without a result
	for i := range messages {
		content := messages[i].Content
		results := 0
		for j := range content {
			if content[j].Type == ContentToolResult {
				delete(open, content[j].ToolUseID)
				results++
			}
		}
		switch {
		case results > 0 && results < len(content):
			return invalidParams("Tool results mixed with other content")
		case len(open) > 0:
			return errNoToolResult
		}
		open = make(map[string]bool)
		for j := range content {
			if content[j].Type == ContentToolUse {
				open[content[j].ID] = true
			}
		}
	}
	if len(open) > 0 {
		return errNoToolResult
	}
	return nil
}

var errNoToolResult = invalidParams("Tool result missing in request")

// CreateMessageParams describes a server's request to sample from the client's
// model (sampling/createMessage). See [Sampling].
type CreateMessageParams struct {
	Messages         []SamplingMessage
	ModelPreferences *ModelPreferences
	SystemPrompt     string
	IncludeContext   string   // "none", or the deprecated "thisServer" or "allServers"; empty means none
	Temperature      *float64 // nil if the client decides
	MaxTokens        int64    // the maximum number of tokens to sample
	StopSequences    []string
	Metadata         RawMessage // an object for the model provider; nil if absent

	Tools      []*Tool     // the tools of the model (2025-11-25)
	ToolChoice *ToolChoice // nil means auto (2025-11-25)

	Meta  RawMessage            // "_meta", as received; nil if absent
	Extra map[string]RawMessage // members without a field, as received
}

func (t *CreateMessageParams) fields(c *codec) {
	list(c, "messages", &t.Messages, always)
	pointer(c, "modelPreferences", &t.ModelPreferences)
	c.string("systemPrompt", &t.SystemPrompt, omitEmpty)
	c.string("includeContext", &t.IncludeContext, omitEmpty)
	c.floatPtr("temperature", &t.Temperature)
	c.int("maxTokens", &t.MaxTokens)
	stringList(c, "stopSequences", &t.StopSequences, omitEmpty)
	c.raw("metadata", &t.Metadata)
	pointers(c, "tools", &t.Tools, omitEmpty, nil)
	pointer(c, "toolChoice", &t.ToolChoice)
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
}

// A SamplingMessage is a message to or from a model.
type SamplingMessage struct {
	Role Role

	// Content has one item before 2025-11-25. MarshalJSON encodes a single item
	// without a list, which all protocol versions accept.
	Content []Content

	Meta  RawMessage            // "_meta" (2025-11-25), as received; nil if absent
	Extra map[string]RawMessage // members without a field, as received
}

func (t *SamplingMessage) fields(c *codec) {
	c.string("role", (*string)(&t.Role), always)
	c.contents("content", &t.Content)
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
}

func (c *codec) contents(key string, p *[]Content) {
	switch {
	case c.writing && len(*p) == 1:
		c.content(key, &(*p)[0])
	case c.at(key) && c.r.Kind() != wire.Array && c.r.Kind() != wire.Null:
		*p = make([]Content, 1)
		c.content(key, &(*p)[0])
	default:
		list(c, key, p, always)
	}
}

// A CreateMessageResult is a model's answer to a [CreateMessageParams].
type CreateMessageResult struct {
	Role    Role      // empty means RoleAssistant
	Content []Content // as in a SamplingMessage
	Model   string    // the name of the model

	// StopReason is "endTurn", "stopSequence", "maxTokens", "toolUse" or a
	// value of the model provider; empty if unknown.
	StopReason string

	Meta  RawMessage            // "_meta", as received; nil if absent
	Extra map[string]RawMessage // members without a field, as received
}

func (t *CreateMessageResult) fields(c *codec) {
	if c.put("role", t.Role == "") {
		c.b = wire.AppendString(c.b, string(RoleAssistant))
	} else {
		c.string("role", (*string)(&t.Role), omitEmpty)
	}
	c.contents("content", &t.Content)
	c.string("model", &t.Model, always)
	c.string("stopReason", &t.StopReason, omitEmpty)
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
}

// ModelPreferences describe the model that a server prefers. The priorities are
// from 0 (unimportant) to 1; nil if unknown.
type ModelPreferences struct {
	Hints                []ModelHint // in order of preference
	CostPriority         *float64
	SpeedPriority        *float64
	IntelligencePriority *float64

	Extra map[string]RawMessage // members without a field, as received
}

func (t *ModelPreferences) fields(c *codec) {
	list(c, "hints", &t.Hints, omitEmpty)
	c.floatPtr("costPriority", &t.CostPriority)
	c.floatPtr("speedPriority", &t.SpeedPriority)
	c.floatPtr("intelligencePriority", &t.IntelligencePriority)
	c.extra(&t.Extra)
}

// A ModelHint suggests a model or a family of models.
type ModelHint struct {
	Name  string                // all or part of a model's name, such as "sonnet"
	Extra map[string]RawMessage // members without a field, as received
}

func (t *ModelHint) fields(c *codec) {
	c.string("name", &t.Name, omitEmpty)
	c.extra(&t.Extra)
}

// A ToolChoice controls how a model uses tools (2025-11-25).
type ToolChoice struct {
	Mode  string                // "auto", "required" or "none"; empty means auto
	Extra map[string]RawMessage // members without a field, as received
}

func (t *ToolChoice) fields(c *codec) {
	c.string("mode", &t.Mode, omitEmpty)
	c.extra(&t.Extra)
}
