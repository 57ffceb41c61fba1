package mcp

// The methods of json.Marshaler and json.Unmarshaler of each protocol type.
//
// MarshalJSON has a value receiver, so that encoding/json also finds it for
// values in maps and interfaces. It returns an error if the program has set a
// raw field to invalid JSON, a key of Extra to that of a field, or another
// value that cannot be encoded.
//
// UnmarshalJSON sets the members that the text has, as encoding/json does with a
// struct. It does nothing for null.

func (t Implementation) MarshalJSON() ([]byte, error)              { return marshalObject(&t) }
func (t Icon) MarshalJSON() ([]byte, error)                        { return marshalObject(&t) }
func (t Annotations) MarshalJSON() ([]byte, error)                 { return marshalObject(&t) }
func (t Result) MarshalJSON() ([]byte, error)                      { return marshalObject(&t) }
func (t Page) MarshalJSON() ([]byte, error)                        { return marshalObject(&t) }
func (t Tool) MarshalJSON() ([]byte, error)                        { return marshalObject(&t) }
func (t ToolAnnotations) MarshalJSON() ([]byte, error)             { return marshalObject(&t) }
func (t ToolExecution) MarshalJSON() ([]byte, error)               { return marshalObject(&t) }
func (t ListToolsResult) MarshalJSON() ([]byte, error)             { return marshalObject(&t) }
func (t CallToolResult) MarshalJSON() ([]byte, error)              { return marshalObject(&t) }
func (t Content) MarshalJSON() ([]byte, error)                     { return marshalObject(&t) }
func (t ResourceContents) MarshalJSON() ([]byte, error)            { return marshalObject(&t) }
func (t Resource) MarshalJSON() ([]byte, error)                    { return marshalObject(&t) }
func (t ResourceTemplate) MarshalJSON() ([]byte, error)            { return marshalObject(&t) }
func (t ListResourcesResult) MarshalJSON() ([]byte, error)         { return marshalObject(&t) }
func (t ListResourceTemplatesResult) MarshalJSON() ([]byte, error) { return marshalObject(&t) }
func (t ReadResourceResult) MarshalJSON() ([]byte, error)          { return marshalObject(&t) }
func (t Prompt) MarshalJSON() ([]byte, error)                      { return marshalObject(&t) }
func (t PromptArgument) MarshalJSON() ([]byte, error)              { return marshalObject(&t) }
func (t PromptMessage) MarshalJSON() ([]byte, error)               { return marshalObject(&t) }
func (t ListPromptsResult) MarshalJSON() ([]byte, error)           { return marshalObject(&t) }
func (t GetPromptResult) MarshalJSON() ([]byte, error)             { return marshalObject(&t) }
func (t ServerCapabilities) MarshalJSON() ([]byte, error)          { return marshalObject(&t) }
func (t ResourcesCapability) MarshalJSON() ([]byte, error)         { return marshalObject(&t) }
func (t CreateMessageParams) MarshalJSON() ([]byte, error)         { return marshalObject(&t) }
func (t SamplingMessage) MarshalJSON() ([]byte, error)             { return marshalObject(&t) }
func (t CreateMessageResult) MarshalJSON() ([]byte, error)         { return marshalObject(&t) }
func (t ModelPreferences) MarshalJSON() ([]byte, error)            { return marshalObject(&t) }
func (t ModelHint) MarshalJSON() ([]byte, error)                   { return marshalObject(&t) }
func (t ToolChoice) MarshalJSON() ([]byte, error)                  { return marshalObject(&t) }
func (t Root) MarshalJSON() ([]byte, error)                        { return marshalObject(&t) }
func (t ElicitParams) MarshalJSON() ([]byte, error)                { return marshalObject(&t) }
func (t PrimitiveSchema) MarshalJSON() ([]byte, error)             { return marshalObject(&t) }
func (t EnumItems) MarshalJSON() ([]byte, error)                   { return marshalObject(&t) }
func (t EnumOption) MarshalJSON() ([]byte, error)                  { return marshalObject(&t) }
func (t ElicitResult) MarshalJSON() ([]byte, error)                { return marshalObject(&t) }
func (t Task) MarshalJSON() ([]byte, error)                        { return marshalObject(&t) }
func (t TasksCapability) MarshalJSON() ([]byte, error)             { return marshalObject(&t) }
func (t InputRequest) MarshalJSON() ([]byte, error)                { return marshalObject(&t) }
func (t Progress) MarshalJSON() ([]byte, error)                    { return marshalObject(&t) }
func (t LogMessage) MarshalJSON() ([]byte, error)                  { return marshalObject(&t) }
func (t SubscriptionFilter) MarshalJSON() ([]byte, error)          { return marshalObject(&t) }
func (t Reference) MarshalJSON() ([]byte, error)                   { return marshalObject(&t) }
func (t CompleteResult) MarshalJSON() ([]byte, error)              { return marshalObject(&t) }
func (t Completion) MarshalJSON() ([]byte, error)                  { return marshalObject(&t) }

func (t *Implementation) UnmarshalJSON(data []byte) error      { return unmarshalObject(data, t) }
func (t *Icon) UnmarshalJSON(data []byte) error                { return unmarshalObject(data, t) }
func (t *Annotations) UnmarshalJSON(data []byte) error         { return unmarshalObject(data, t) }
func (t *Result) UnmarshalJSON(data []byte) error              { return unmarshalObject(data, t) }
func (t *Page) UnmarshalJSON(data []byte) error                { return unmarshalObject(data, t) }
func (t *Tool) UnmarshalJSON(data []byte) error                { return unmarshalObject(data, t) }
func (t *ToolAnnotations) UnmarshalJSON(data []byte) error     { return unmarshalObject(data, t) }
func (t *ToolExecution) UnmarshalJSON(data []byte) error       { return unmarshalObject(data, t) }
func (t *ListToolsResult) UnmarshalJSON(data []byte) error     { return unmarshalObject(data, t) }
func (t *CallToolResult) UnmarshalJSON(data []byte) error      { return unmarshalObject(data, t) }
func (t *Content) UnmarshalJSON(data []byte) error             { return unmarshalObject(data, t) }
func (t *ResourceContents) UnmarshalJSON(data []byte) error    { return unmarshalObject(data, t) }
func (t *Resource) UnmarshalJSON(data []byte) error            { return unmarshalObject(data, t) }
func (t *ResourceTemplate) UnmarshalJSON(data []byte) error    { return unmarshalObject(data, t) }
func (t *ListResourcesResult) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }
func (t *ListResourceTemplatesResult) UnmarshalJSON(data []byte) error {
	return unmarshalObject(data, t)
}
func (t *ReadResourceResult) UnmarshalJSON(data []byte) error  { return unmarshalObject(data, t) }
func (t *Prompt) UnmarshalJSON(data []byte) error              { return unmarshalObject(data, t) }
func (t *PromptArgument) UnmarshalJSON(data []byte) error      { return unmarshalObject(data, t) }
func (t *PromptMessage) UnmarshalJSON(data []byte) error       { return unmarshalObject(data, t) }
func (t *ListPromptsResult) UnmarshalJSON(data []byte) error   { return unmarshalObject(data, t) }
func (t *GetPromptResult) UnmarshalJSON(data []byte) error     { return unmarshalObject(data, t) }
func (t *ServerCapabilities) UnmarshalJSON(data []byte) error  { return unmarshalObject(data, t) }
func (t *ResourcesCapability) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }
func (t *CreateMessageParams) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }
func (t *SamplingMessage) UnmarshalJSON(data []byte) error     { return unmarshalObject(data, t) }
func (t *CreateMessageResult) UnmarshalJSON(data []byte) error { return unmarshalObject(data, t) }
func (t *ModelPreferences) UnmarshalJSON(data []byte) error    { return unmarshalObject(data, t) }
func (t *ModelHint) UnmarshalJSON(data []byte) error           { return unmarshalObject(data, t) }
func (t *ToolChoice) UnmarshalJSON(data []byte) error          { return unmarshalObject(data, t) }
func (t *Root) UnmarshalJSON(data []byte) error                { return unmarshalObject(data, t) }
func (t *ElicitParams) UnmarshalJSON(data []byte) error        { return unmarshalObject(data, t) }
func (t *PrimitiveSchema) UnmarshalJSON(data []byte) error     { return unmarshalObject(data, t) }
func (t *EnumItems) UnmarshalJSON(data []byte) error           { return unmarshalObject(data, t) }
func (t *EnumOption) UnmarshalJSON(data []byte) error          { return unmarshalObject(data, t) }
func (t *ElicitResult) UnmarshalJSON(data []byte) error        { return unmarshalObject(data, t) }
func (t *Task) UnmarshalJSON(data []byte) error                { return unmarshalObject(data, t) }
func (t *TasksCapability) UnmarshalJSON(data []byte) error     { return unmarshalObject(data, t) }
func (t *InputRequest) UnmarshalJSON(data []byte) error        { return unmarshalObject(data, t) }
func (t *Progress) UnmarshalJSON(data []byte) error            { return unmarshalObject(data, t) }
func (t *LogMessage) UnmarshalJSON(data []byte) error          { return unmarshalObject(data, t) }
func (t *SubscriptionFilter) UnmarshalJSON(data []byte) error  { return unmarshalObject(data, t) }
func (t *Reference) UnmarshalJSON(data []byte) error           { return unmarshalObject(data, t) }
func (t *CompleteResult) UnmarshalJSON(data []byte) error      { return unmarshalObject(data, t) }
func (t *Completion) UnmarshalJSON(data []byte) error          { return unmarshalObject(data, t) }
