package mcp

// ClientCapabilities say what a client can do for a server. A capability that
// is nil is not there.
type ClientCapabilities struct {
	Roots       *RootsCapability
	Sampling    *SamplingCapability
	Elicitation *ElicitationCapability // 2025-06-18
	Tasks       *TasksCapability       // 2025-11-25 only

	Experimental map[string]RawMessage // an object for each
	Extensions   map[string]RawMessage // by identifier, an object for each (2026-07-28)
	Extra        map[string]RawMessage // members that this type has no field for, as they came
}

func (t *ClientCapabilities) fields(c *codec) {
	pointer(c, "roots", &t.Roots)
	pointer(c, "sampling", &t.Sampling)
	pointer(c, "elicitation", &t.Elicitation)
	pointer(c, "tasks", &t.Tasks)
	c.rawMap("experimental", &t.Experimental)
	c.rawMap("extensions", &t.Extensions)
	c.extra(&t.Extra)
}

// A RootsCapability says that a client tells its roots.
type RootsCapability struct {
	ListChanged *bool                 // whether it says when they change (until 2025-11-25); nil means false
	Extra       map[string]RawMessage // members that this type has no field for, as they came
}

func (t *RootsCapability) fields(c *codec) {
	c.boolPtr("listChanged", &t.ListChanged)
	c.extra(&t.Extra)
}

// A SamplingCapability says that a client asks a model for servers. Its
// members are objects, {} as a rule; nil when the client can't do that.
type SamplingCapability struct {
	Context RawMessage            // takes CreateMessageParams.IncludeContext (2025-11-25)
	Tools   RawMessage            // takes CreateMessageParams.Tools (2025-11-25)
	Extra   map[string]RawMessage // members that this type has no field for, as they came
}

func (t *SamplingCapability) fields(c *codec) {
	c.raw("context", &t.Context)
	c.raw("tools", &t.Tools)
	c.extra(&t.Extra)
}

// An ElicitationCapability says that a client asks its user for servers. Its
// members are objects, {} as a rule; nil when the client can't do that. When
// both are nil, it can show forms.
type ElicitationCapability struct {
	Form  RawMessage            // shows forms (2025-11-25)
	URL   RawMessage            // opens URLs (2025-11-25)
	Extra map[string]RawMessage // members that this type has no field for, as they came
}

func (t *ElicitationCapability) fields(c *codec) {
	c.raw("form", &t.Form)
	c.raw("url", &t.URL)
	c.extra(&t.Extra)
}

// ServerCapabilities say what a server offers. A capability that is nil is not
// there.
type ServerCapabilities struct {
	Tools       *ToolsCapability
	Resources   *ResourcesCapability
	Prompts     *PromptsCapability
	Completions RawMessage       // an object (2025-03-26)
	Logging     RawMessage       // an object
	Tasks       *TasksCapability // 2025-11-25 only

	Experimental map[string]RawMessage // an object for each
	Extensions   map[string]RawMessage // by identifier, an object for each (2026-07-28)
	Extra        map[string]RawMessage // members that this type has no field for, as they came
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
	ListChanged *bool                 // whether the server reports changes of the list; nil means false
	Subscribe   *bool                 // whether the server reports changes of a single resource; nil means false
	Extra       map[string]RawMessage // members that this type has no field for, as they came
}

func (t *ResourcesCapability) fields(c *codec) {
	c.boolPtr("listChanged", &t.ListChanged)
	c.boolPtr("subscribe", &t.Subscribe)
	c.extra(&t.Extra)
}

// An InitializeResult is what a server says of itself when a client connects
// (until 2025-11-25).
type InitializeResult struct {
	ProtocolVersion string // the revision that the server has chosen
	Capabilities    ServerCapabilities
	ServerInfo      Implementation
	Instructions    string // for a model: how to use the server
	Result
}

func (t *InitializeResult) fields(c *codec) {
	c.string("protocolVersion", &t.ProtocolVersion, must)
	c.object("capabilities", &t.Capabilities)
	c.object("serverInfo", &t.ServerInfo)
	c.string("instructions", &t.Instructions, maybe)
	t.Result.fields(c)
}

// A DiscoverResult is what a server says of itself when it is asked
// (2026-07-28). See Result.ServerInfo for its name.
type DiscoverResult struct {
	SupportedVersions []string // the revisions that the server speaks
	Capabilities      ServerCapabilities
	Instructions      string // for a model: how to use the server
	Caching
	Result
}

func (t *DiscoverResult) fields(c *codec) {
	stringList(c, "supportedVersions", &t.SupportedVersions, must)
	c.object("capabilities", &t.Capabilities)
	c.string("instructions", &t.Instructions, maybe)
	t.Caching.fields(c)
	t.Result.fields(c)
}
