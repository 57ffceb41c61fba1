package mcp

import "context"

// Sampling lets servers use the program's model. As a [Handler] it answers
// sampling/createMessage.
type Sampling struct {
	// CreateMessage asks the model. It decides what servers may ask for, mostly
	// with the user, and must keep to MaxTokens.
	CreateMessage func(context.Context, *CreateMessageParams) (*CreateMessageResult, error)

	// Tools says that the model may use the tools in CreateMessageParams
	// (2025-11-25). Without it requests that have some are refused.
	Tools bool

	// Context says that CreateMessage respects IncludeContext (2025-11-25).
	// Without it servers have no business to ask for more than "none".
	Context bool
}

// CodeRejected is the Code of a *[jsonrpc.Error] by which a handler says that
// the user did not allow what a server asks for.
const CodeRejected = -1

func (s Sampling) method() string { return "sampling/createMessage" }

func (s Sampling) declare(caps *clientCapabilities, _ bool) {
	if s.CreateMessage == nil {
		return
	}
	caps.Sampling = new(samplingCapability)
	if s.Tools {
		caps.Sampling.Tools = RawMessage("{}")
	}
	if s.Context {
		caps.Sampling.Context = RawMessage("{}")
	}
}

func (s Sampling) answer(ctx context.Context, params RawMessage) (object, error) {
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

// checkToolResults checks that what follows a model's uses of tools are their
// results, and nothing else (2025-11-25 client/sampling, Tool Result Messages):
// model providers refuse anything else.
func checkToolResults(messages []SamplingMessage) error {
	var open map[string]bool // uses without a result
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
