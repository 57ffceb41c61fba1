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
