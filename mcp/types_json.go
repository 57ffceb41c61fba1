package mcp

// What encoding/json asks of each protocol type.
//
// MarshalJSON is a method of the value, not the pointer, so that encoding/json
// finds it on values in maps and interfaces, too. Its error says that a raw
// field is no JSON, that a key is there twice, or what else an application has
// left in a state that cannot be written.

// MarshalJSON returns the JSON of t.
func (t Implementation) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Implementation) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t Icon) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Icon) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t Annotations) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Annotations) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t Result) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Result) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t Page) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Page) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t Tool) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Tool) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t ToolAnnotations) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ToolAnnotations) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t ToolExecution) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ToolExecution) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t ListToolsResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ListToolsResult) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t CallToolResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *CallToolResult) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t Content) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Content) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t ResourceContents) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ResourceContents) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t Resource) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Resource) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t ResourceTemplate) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ResourceTemplate) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t ListResourcesResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ListResourcesResult) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t ListResourceTemplatesResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ListResourceTemplatesResult) UnmarshalJSON(data []byte) error {
	return unmarshalObject(data, t)
}

// MarshalJSON returns the JSON of t.
func (t ReadResourceResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ReadResourceResult) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t Prompt) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Prompt) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t PromptArgument) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *PromptArgument) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t PromptMessage) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *PromptMessage) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t ListPromptsResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ListPromptsResult) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t GetPromptResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *GetPromptResult) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t ServerCapabilities) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ServerCapabilities) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t ResourcesCapability) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ResourcesCapability) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t CreateMessageParams) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *CreateMessageParams) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t SamplingMessage) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *SamplingMessage) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t CreateMessageResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *CreateMessageResult) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t ModelPreferences) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ModelPreferences) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t ModelHint) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ModelHint) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t ToolChoice) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ToolChoice) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t Root) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Root) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t ElicitParams) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ElicitParams) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t PrimitiveSchema) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *PrimitiveSchema) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t EnumItems) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *EnumItems) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t EnumOption) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *EnumOption) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t ElicitResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *ElicitResult) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t Task) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Task) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t TasksCapability) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *TasksCapability) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t InputRequest) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *InputRequest) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t Progress) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Progress) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t LogMessage) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *LogMessage) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t SubscriptionFilter) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *SubscriptionFilter) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t Reference) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Reference) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t CompleteResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *CompleteResult) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }

// MarshalJSON returns the JSON of t.
func (t Completion) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON reads t.
func (t *Completion) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }
