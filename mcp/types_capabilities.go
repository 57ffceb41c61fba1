package mcp

// clientCapabilities declare what a client supports. A nil capability is
// absent.
type clientCapabilities struct {
	Roots       *rootsCapability
	Sampling    *samplingCapability
	Elicitation *elicitationCapability // 2025-06-18
	Tasks       *TasksCapability       // 2025-11-25 only

	Experimental map[string]RawMessage // an object for each
	Extensions   map[string]RawMessage // by identifier, an object for each (2026-07-28)
	Extra        map[string]RawMessage // members without a field, as received
}

func (t *clientCapabilities) fields(c *codec) {
	pointer(c, "roots", &t.Roots)
	pointer(c, "sampling", &t.Sampling)
	pointer(c, "elicitation", &t.Elicitation)
	pointer(c, "tasks", &t.Tasks)
	c.rawMap("experimental", &t.Experimental)
	c.rawMap("extensions", &t.Extensions)
	c.extra(&t.Extra)
}

// A rootsCapability declares that a client lists its roots.
type rootsCapability struct {
	ListChanged *bool                 // whether the client reports changes (until 2025-11-25); nil means false
	Extra       map[string]RawMessage // members without a field, as received
}

func (t *rootsCapability) fields(c *codec) {
	c.boolPtr("listChanged", &t.ListChanged)
	c.extra(&t.Extra)
}

// A samplingCapability declares that a client supports sampling. Its members
// are objects, usually {}, or nil.
type samplingCapability struct {
	Context RawMessage            // takes CreateMessageParams.IncludeContext (2025-11-25)
	Tools   RawMessage            // takes CreateMessageParams.Tools (2025-11-25)
	Extra   map[string]RawMessage // members without a field, as received
}

func (t *samplingCapability) fields(c *codec) {
	c.raw("context", &t.Context)
	c.raw("tools", &t.Tools)
	c.extra(&t.Extra)
}

// An elicitationCapability declares that a client supports elicitation. Its
// members are objects, usually {}, or nil. If both are nil, the client supports
// forms.
type elicitationCapability struct {
	Form  RawMessage            // shows forms (2025-11-25)
	URL   RawMessage            // opens URLs (2025-11-25)
	Extra map[string]RawMessage // members without a field, as received
}

func (t *elicitationCapability) fields(c *codec) {
	c.raw("form", &t.Form)
	c.raw("url", &t.URL)
	c.extra(&t.Extra)
}

// ServerCapabilities declare what a server offers. A nil capability is absent.
type ServerCapabilities struct {
	Tools       *ToolsCapability
	Resources   *ResourcesCapability
	Prompts     *PromptsCapability
	Completions RawMessage       // an object (2025-03-26)
	Logging     RawMessage       // an object
	Tasks       *TasksCapability // 2025-11-25 only

	Experimental map[string]RawMessage // an object for each
	Extensions   map[string]RawMessage // by identifier, an object for each (2026-07-28)
	Extra        map[string]RawMessage // members without a field, as received
}

func (t *ServerCapabilities) fields(c *codec) {
	pointer(c, "tools", &t.Tools)
	pointer(c, "resources", &t.Resources)
	pointer(c, "prompts", &t.Prompts)
	c.raw("completions", &t.Completions)
	c.raw("logging", &t.Logging)
	pointer(c, "tasks", &t.Tasks)
	c.rawMap("experimental", &t.Experimental)
	c.rawMap("extensions", &t.Extensions)
	c.extra(&t.Extra)
}

// A ToolsCapability declares that a server has tools. Its Subscribe is nil.
type ToolsCapability = ResourcesCapability

// A PromptsCapability declares that a server has prompts. Its Subscribe is nil.
type PromptsCapability = ResourcesCapability

// A ResourcesCapability declares that a server has resources.
type ResourcesCapability struct {
	ListChanged *bool                 // the server reports changes of the list; nil means false
	Subscribe   *bool                 // the server reports changes of a single resource; nil means false
	Extra       map[string]RawMessage // members without a field, as received
}

func (t *ResourcesCapability) fields(c *codec) {
	c.boolPtr("listChanged", &t.ListChanged)
	c.boolPtr("subscribe", &t.Subscribe)
	c.extra(&t.Extra)
}

// An initializeResult describes a server when a client connects (until
// 2025-11-25).
type initializeResult struct {
	ProtocolVersion string // the version that the server has chosen
	Capabilities    ServerCapabilities
	ServerInfo      Implementation
	Instructions    string // for a model: how to use the server
	result          Result // not embedded, as its methods for JSON would be linked for this type
}

func (t *initializeResult) common() *Result { return &t.result }

func (t *initializeResult) fields(c *codec) {
	c.string("protocolVersion", &t.ProtocolVersion, always)
	c.object("capabilities", &t.Capabilities)
	c.object("serverInfo", &t.ServerInfo)
	c.string("instructions", &t.Instructions, omitEmpty)
	t.result.fields(c)
}

// A discoverResult describes a server (2026-07-28). Result.ServerInfo returns
// its name.
type discoverResult struct {
	SupportedVersions []string // the protocol versions that the server supports
	Capabilities      ServerCapabilities
	Instructions      string // for a model: how to use the server
	Caching
	result Result
}

func (t *discoverResult) common() *Result { return &t.result }

func (t *discoverResult) fields(c *codec) {
	stringList(c, "supportedVersions", &t.SupportedVersions, always)
	c.object("capabilities", &t.Capabilities)
	c.string("instructions", &t.Instructions, omitEmpty)
	t.Caching.fields(c)
	t.result.fields(c)
}
