package mcp

import "context"

// Roots returns the places that servers may work in. As a [Handler] it answers
// roots/list.
type Roots func(context.Context) ([]Root, error)

func (f Roots) method() string { return "roots/list" }

func (f Roots) declare(caps *ClientCapabilities, sessions bool) {
	caps.Roots = new(RootsCapability)
	if sessions {
		caps.Roots.ListChanged = &sessions
	}
}

func (f Roots) answer(ctx context.Context, _ RawMessage) (object, error) {
	roots, err := f(ctx)
	return &ListRootsResult{Roots: roots}, err
}

// RootsChanged tells the server that what the handler [Roots] returns has
// changed. Servers of 2026-07-28 and later ask when they want to know, so for
// them it does nothing.
func (c *Client) RootsChanged(ctx context.Context) error {
	if !c.era.serves() {
		return nil
	}
	return c.Notify(ctx, "notifications/roots/list_changed", nil)
}

// Sampling lets servers use the program's model. As a [Handler] it answers
// sampling/createMessage.
type Sampling struct {
	// CreateMessage asks the model. It decides what servers may ask for, mostly
	// with the user, and must keep to MaxTokens.
	CreateMessage func(context.Context, *CreateMessageParams) (*CreateMessageResult, error)

	// Tools says that the model may use the tools in CreateMessageParams
	// (2025-11-25). Without it requests that have some are refused.
	Tools bool
}

func (s Sampling) method() string { return "sampling/createMessage" }

func (s Sampling) declare(caps *ClientCapabilities, _ bool) {
	caps.Sampling = new(SamplingCapability)
	if s.Tools {
		caps.Sampling.Tools = RawMessage("{}")
	}
}

func (s Sampling) answer(ctx context.Context, params RawMessage) (object, error) {
	var p CreateMessageParams
	if err := readParams(params, &p); err != nil {
		return nil, err
	}
	if !s.Tools && (p.Tools != nil || p.ToolChoice != nil) {
		return nil, invalidParams("this client declared no tools in sampling")
	}
	res, err := s.CreateMessage(ctx, &p)
	return res, err
}
