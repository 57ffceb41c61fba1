package schema

import "github.com/stdmcp/stdmcp/mcp"

// DeferLoading returns a Definer that sets defer_loading for the tools for which
// deferred returns true, so that the provider hides them until its own tool search
// finds them. Anthropic's Messages API and OpenAI's Responses API support this;
// the program adds their search tool to the definitions. A nil deferred defers all
// tools. With deferred = !ToolSearch.Visible of package host, pinned tools stay
// visible.
func DeferLoading(define Definer, deferred func(Tool) bool) Definer {
	if define == nil {
		return nil
	}
	return func(t Tool) (mcp.RawMessage, error) {
		b, err := define(t)
		if err != nil || len(b) == 0 || deferred != nil && !deferred(t) {
			return b, err
		}
		return append(b[:len(b)-1:len(b)-1], `,"defer_loading":true}`...), nil
	}
}
