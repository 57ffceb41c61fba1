package mcp

import (
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// clientCapabilities declare what a client supports. Each of them is an object;
// nil means absent.
type clientCapabilities struct {
	Roots       RawMessage
	Sampling    RawMessage
	Elicitation RawMessage // 2025-06-18

	Experimental map[string]RawMessage // an object for each
	Extensions   map[string]RawMessage // by identifier, an object for each (2026-07-28)
}

func (t *clientCapabilities) fields(c *codec) {
	c.raw("roots", &t.Roots)
	c.raw("sampling", &t.Sampling)
	c.raw("elicitation", &t.Elicitation)
	c.rawMap("experimental", &t.Experimental)
	c.rawMap("extensions", &t.Extensions)
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

// fields is for the result of initialize (until 2025-11-25).
func (s *ServerInfo) fields(c *codec) {
	c.string("protocolVersion", &s.ProtocolVersion, always)
	c.object("capabilities", &s.Capabilities)
	c.object("serverInfo", &s.Implementation)
	c.string("instructions", &s.Instructions, omitEmpty)
	if c.take("probed") {
		s.Probed = time.Unix(c.r.Int(), 0)
	} else if c.put("probed", s.Probed != never) {
		c.b = wire.AppendInt(c.b, s.Probed.Unix())
	}
}

// A discoverResult describes a server (2026-07-28). Result.ServerInfo returns
// its name.
type discoverResult struct {
	SupportedVersions []string // the protocol versions that the server supports
	Capabilities      ServerCapabilities
	Instructions      string // for a model: how to use the server
	result            Result // not embedded, as its methods for JSON would be linked for this type
}

func (t *discoverResult) fields(c *codec) {
	if c.at("supportedVersions") && c.r.Kind() == wire.String {
		c.r.Array() // fails: a server of the modern era has a list
	}
	stringList(c, "supportedVersions", &t.SupportedVersions, always)
	c.object("capabilities", &t.Capabilities)
	c.string("instructions", &t.Instructions, omitEmpty)
	t.result.fields(c)
}
