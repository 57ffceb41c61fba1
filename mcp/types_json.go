package mcp

// The methods of json.Marshaler and json.Unmarshaler for each protocol type.
//
// MarshalJSON has a value receiver, so that encoding/json also finds it for
// values in maps and interfaces. It returns an error if the program has set a
// raw field to invalid JSON, a key of Extra to that of a field, or another
// value that cannot be encoded.

// MarshalJSON implements json.Marshaler.
func (t Implementation) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Implementation) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(Implementation))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t Icon) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Icon) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(Icon))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t Annotations) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Annotations) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(Annotations))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t Result) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Result) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(Result))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t Page) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Page) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(Page))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t Tool) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Tool) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(Tool))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t ToolAnnotations) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *ToolAnnotations) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(ToolAnnotations))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t ToolExecution) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *ToolExecution) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(ToolExecution))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t ListToolsResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *ListToolsResult) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(ListToolsResult))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t CallToolResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *CallToolResult) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(CallToolResult))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t Content) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Content) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(Content))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t ResourceContents) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *ResourceContents) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(ResourceContents))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t Resource) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Resource) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(Resource))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t ResourceTemplate) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *ResourceTemplate) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(ResourceTemplate))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t ListResourcesResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *ListResourcesResult) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(ListResourcesResult))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t ListResourceTemplatesResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *ListResourceTemplatesResult) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(ListResourceTemplatesResult))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t ReadResourceResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *ReadResourceResult) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(ReadResourceResult))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t Prompt) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Prompt) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(Prompt))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t PromptArgument) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *PromptArgument) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(PromptArgument))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t PromptMessage) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *PromptMessage) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(PromptMessage))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t ListPromptsResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *ListPromptsResult) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(ListPromptsResult))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t GetPromptResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *GetPromptResult) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(GetPromptResult))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t ServerCapabilities) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *ServerCapabilities) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(ServerCapabilities))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t ResourcesCapability) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *ResourcesCapability) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(ResourcesCapability))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t CreateMessageParams) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *CreateMessageParams) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(CreateMessageParams))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t SamplingMessage) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *SamplingMessage) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(SamplingMessage))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t CreateMessageResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *CreateMessageResult) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(CreateMessageResult))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t ModelPreferences) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *ModelPreferences) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(ModelPreferences))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t ModelHint) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *ModelHint) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(ModelHint))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t ToolChoice) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *ToolChoice) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(ToolChoice))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t Root) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Root) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(Root))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t ElicitParams) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *ElicitParams) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(ElicitParams))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t PrimitiveSchema) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *PrimitiveSchema) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(PrimitiveSchema))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t EnumItems) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *EnumItems) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(EnumItems))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t EnumOption) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *EnumOption) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(EnumOption))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t ElicitResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *ElicitResult) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(ElicitResult))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t Task) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Task) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(Task))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t TasksCapability) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *TasksCapability) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(TasksCapability))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t InputRequest) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *InputRequest) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(InputRequest))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t Progress) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Progress) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(Progress))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t LogMessage) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *LogMessage) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(LogMessage))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t SubscriptionFilter) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *SubscriptionFilter) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(SubscriptionFilter))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t Reference) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Reference) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(Reference))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t CompleteResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *CompleteResult) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(CompleteResult))
	*t = *v
	return err
}

// MarshalJSON implements json.Marshaler.
func (t Completion) MarshalJSON() ([]byte, error) { return marshalObject(&t) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Completion) UnmarshalJSON(data []byte) error {
	v, err := unmarshalObject(data, t, new(Completion))
	*t = *v
	return err
}
