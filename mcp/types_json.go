package mcp

import (
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// The methods of the protocol types.
//
// MarshalJSON takes a value, not a pointer, so that values in maps and
// interfaces are written in the same way. Its error says that a raw field is
// no JSON, or a number not finite; append writes null for these.

func (t *Implementation) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *Implementation) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t Implementation) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Implementation) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *Icon) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *Icon) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t Icon) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Icon) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *Annotations) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *Annotations) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t Annotations) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Annotations) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *Result) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *Result) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t Result) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Result) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *Tool) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *Tool) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t Tool) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Tool) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *ToolAnnotations) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *ToolAnnotations) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t ToolAnnotations) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ToolAnnotations) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *ToolExecution) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *ToolExecution) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t ToolExecution) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ToolExecution) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *ListToolsResult) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *ListToolsResult) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t ListToolsResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ListToolsResult) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *CallToolResult) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *CallToolResult) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t CallToolResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *CallToolResult) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *Content) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *Content) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t Content) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Content) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *ResourceContents) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *ResourceContents) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t ResourceContents) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ResourceContents) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *Resource) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *Resource) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t Resource) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Resource) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *ResourceTemplate) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *ResourceTemplate) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t ResourceTemplate) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ResourceTemplate) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *ListResourcesResult) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *ListResourcesResult) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t ListResourcesResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ListResourcesResult) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *ListResourceTemplatesResult) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *ListResourceTemplatesResult) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t ListResourceTemplatesResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ListResourceTemplatesResult) UnmarshalJSON(data []byte) error {
	return unmarshalObject(data, t)
}

func (t *ReadResourceResult) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *ReadResourceResult) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t ReadResourceResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ReadResourceResult) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *Prompt) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *Prompt) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t Prompt) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Prompt) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *PromptArgument) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *PromptArgument) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t PromptArgument) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *PromptArgument) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *PromptMessage) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *PromptMessage) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t PromptMessage) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *PromptMessage) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *ListPromptsResult) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *ListPromptsResult) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t ListPromptsResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ListPromptsResult) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *GetPromptResult) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *GetPromptResult) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t GetPromptResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *GetPromptResult) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *ClientCapabilities) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *ClientCapabilities) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t ClientCapabilities) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ClientCapabilities) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *RootsCapability) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *RootsCapability) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t RootsCapability) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *RootsCapability) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *SamplingCapability) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *SamplingCapability) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t SamplingCapability) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *SamplingCapability) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *ElicitationCapability) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *ElicitationCapability) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t ElicitationCapability) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ElicitationCapability) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *ServerCapabilities) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *ServerCapabilities) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t ServerCapabilities) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ServerCapabilities) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *ListCapability) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *ListCapability) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t ListCapability) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ListCapability) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *InitializeResult) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *InitializeResult) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t InitializeResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *InitializeResult) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *DiscoverResult) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *DiscoverResult) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t DiscoverResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *DiscoverResult) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// decode returns the token, too, without the quotes of a string.
func (t *Progress) decode(r *wire.Reader) (token string) {
	decodeObject(r, t)
	return strings.Trim(t.token.String(), `"`)
}
func (t *Progress) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t Progress) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Progress) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *LogMessage) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *LogMessage) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t LogMessage) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *LogMessage) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *CancelledParams) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *CancelledParams) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t CancelledParams) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *CancelledParams) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *ResourceUpdatedParams) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *ResourceUpdatedParams) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t ResourceUpdatedParams) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ResourceUpdatedParams) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

func (t *SubscriptionFilter) decode(r *wire.Reader)  { decodeObject(r, t) }
func (t *SubscriptionFilter) append(b []byte) []byte { return appendObject(b, t) }

// MarshalJSON returns the JSON of t.
func (t SubscriptionFilter) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *SubscriptionFilter) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }
