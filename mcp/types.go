package mcp

import (
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// A Role is the sender of a message or the audience of content.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// An Implementation describes a client or a server.
type Implementation struct {
	Name    string // for programs
	Title   string // for people (2025-06-18); see DisplayName
	Version string

	Description string // 2025-11-25
	WebsiteURL  string // 2025-11-25
	Icons       []Icon // 2025-11-25

	// Extra holds the members without a field, as received.
	Extra map[string]RawMessage
}

func (t *Implementation) fields(c *codec) {
	c.string("name", &t.Name, always)
	c.hints = true
	c.string("title", &t.Title, omitEmpty)
	c.hints = false
	c.string("version", &t.Version, always)
	c.hints = true
	c.string("description", &t.Description, omitEmpty)
	c.string("websiteUrl", &t.WebsiteURL, omitEmpty)
	list(c, "icons", &t.Icons, omitEmpty)
	c.extra(&t.Extra)
}

// An Icon is an image for user interfaces (2025-11-25).
//
// Do not trust Src, which the server chooses: an SVG file may contain scripts,
// and fetching it reveals the user's address to its host.
type Icon struct {
	Src      string   // an https: or data: URI
	MIMEType string   // empty if the image determines it
	Sizes    []string // such as "48x48", or "any"; empty means any size
	Theme    string   // the background, "light" or "dark"; empty means any

	Extra map[string]RawMessage // members without a field, as received
}

func (t *Icon) fields(c *codec) {
	c.string("src", &t.Src, always)
	c.hints = true
	c.string("mimeType", &t.MIMEType, omitEmpty)
	stringList(c, "sizes", &t.Sizes, omitEmpty)
	c.string("theme", &t.Theme, omitEmpty)
	c.extra(&t.Extra)
}

// Annotations are hints on how to use a resource or content.
type Annotations struct {
	Audience     []Role   // the intended audience; empty if unknown
	Priority     *float64 // from 0 (least important) to 1 (most important); nil if unknown
	LastModified string   // ISO 8601 (2025-06-18)

	Extra map[string]RawMessage // members without a field, as received
}

func (t *Annotations) fields(c *codec) {
	c.hints = true
	stringList(c, "audience", &t.Audience, omitEmpty)
	c.floatPtr("priority", &t.Priority)
	c.string("lastModified", &t.LastModified, omitEmpty)
	c.extra(&t.Extra)
}

// A Result holds the members that all results have in common.
type Result struct {
	// ResultType is "complete" for a final result (2026-07-28), or empty, which
	// means the same.
	ResultType string

	Meta  RawMessage            // "_meta", as received; nil if absent
	Extra map[string]RawMessage // members without a field, as received
}

func (t *Result) fields(c *codec) {
	c.string("resultType", &t.ResultType, omitEmpty)
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
}

// ServerInfo returns the server's description of itself in the result's Meta
// (2026-07-28), or the zero Implementation.
func (t *Result) ServerInfo() (info Implementation) {
	raw := wire.Lookup(t.Meta, "io.modelcontextprotocol/serverInfo")
	if raw == nil {
		return info
	}
	r := wire.NewReader(raw)
	if decodeObject(&r, &info); r.End() != nil {
		return Implementation{}
	}
	return info
}

// A Page holds the fields that all pages of a list have in common.
type Page struct {
	// NextCursor is the cursor of the next page, or nil on the last page. From
	// 2026-07-28 on, an empty cursor is valid; before, it means the last page.
	NextCursor *string

	Caching
	Result

	bad []error // what is wrong with the items that were left out
	n   int     // number of items
	raw []byte  // the text that the items share memory with
}

func (t *Page) fields(c *codec) {
	c.exactPtr("nextCursor", &t.NextCursor)
	t.Caching.fields(c)
	t.Result.fields(c)
}

// Caching describes how long a result may be cached, and for which users
// (2026-07-28).
type Caching struct {
	TTLMs      *int64 // in milliseconds; nil if unknown
	CacheScope string // "public" or "private"; empty if unknown
}

func (t *Caching) fields(c *codec) {
	c.hintPtr("ttlMs", &t.TTLMs)
	c.string("cacheScope", &t.CacheScope, omitEmpty)
}

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
	capability(c, "tools", &t.Tools)
	capability(c, "resources", &t.Resources)
	capability(c, "prompts", &t.Prompts)
	c.raw("completions", &t.Completions)
	c.raw("logging", &t.Logging)
	pointer(c, "tasks", &t.Tasks)
	c.rawMap("experimental", &t.Experimental)
	c.rawMap("extensions", &t.Extensions)
	c.extra(&t.Extra)
}

// capability is pointer, but a value that is not an object declares a capability without
// members, unless it is false. Some servers send true, or the list of their tools.
func capability(c *codec, key string, p **ResourcesCapability) {
	if !c.at(key) || c.r.Kind() == wire.Object || c.r.Kind() == wire.Null {
		pointer(c, key, p)
		return
	}
	c.key = nil
	c.r.Note("a capability that is not an object")
	if declared := c.r.Kind() != wire.Bool; declared || c.r.Bool() {
		if declared {
			c.r.Skip()
		}
		*p = new(ResourcesCapability)
	}
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
	c.hints = true
	c.object("serverInfo", &s.Implementation)
	c.string("instructions", &s.Instructions, omitEmpty)
	c.hints = false
	if c.take("probed") {
		s.Probed = time.Unix(c.r.Int(), 0)
	} else if c.put("probed", s.Probed != never) {
		c.b = wire.AppendInt(c.b, s.Probed.Unix())
	}
	if c.take("streamLate") {
		s.StreamLate = time.Unix(c.r.Int(), 0)
	} else if c.put("streamLate", s.StreamLate != never) {
		c.b = wire.AppendInt(c.b, s.StreamLate.Unix())
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
	c.hints = true
	c.string("instructions", &t.Instructions, omitEmpty)
	c.hints = false
	t.result.fields(c)
}

// A Progress is a progress notification for a call.
type Progress struct {
	Progress float64  // the work done, in any unit; increases with each notification
	Total    *float64 // all of the work, in the same unit; nil if unknown
	Message  string   // for people (2025-03-26)

	Meta  RawMessage            // "_meta", as received; nil if absent
	Extra map[string]RawMessage // members without a field, as received

	token jsonrpc.ID // of the request
}

func (t *Progress) fields(c *codec) {
	c.id("progressToken", &t.token)
	c.float("progress", &t.Progress)
	c.floatPtr("total", &t.Total)
	c.string("message", &t.Message, omitEmpty)
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
}

// Fraction returns the part that is done, from 0 to 1, and whether the server
// has stated a total.
func (t *Progress) Fraction() (float64, bool) {
	if t.Total == nil || !(*t.Total > 0) {
		return 0, false
	}
	return min(max(t.Progress / *t.Total, 0), 1), true
}

// A LoggingLevel is the severity of a log message (RFC 5424).
type LoggingLevel string

// The levels, from the least to the most severe.
const (
	LevelDebug     LoggingLevel = "debug"
	LevelInfo      LoggingLevel = "info"
	LevelNotice    LoggingLevel = "notice"
	LevelWarning   LoggingLevel = "warning"
	LevelError     LoggingLevel = "error"
	LevelCritical  LoggingLevel = "critical"
	LevelAlert     LoggingLevel = "alert"
	LevelEmergency LoggingLevel = "emergency"
)

// A LogMessage is a log message of a server.
type LogMessage struct {
	Level  LoggingLevel
	Logger string     // the name of the logger; empty if unknown
	Data   RawMessage // the message: any JSON value, as received

	Meta  RawMessage            // "_meta", as received; nil if absent
	Extra map[string]RawMessage // members without a field, as received
}

func (t *LogMessage) fields(c *codec) {
	c.string("level", (*string)(&t.Level), always)
	c.string("logger", &t.Logger, omitEmpty)
	c.rawOr("data", &t.Data, "null")
	c.raw("_meta", &t.Meta)
	c.extra(&t.Extra)
}

// Text returns the message for people: Data itself if it is a string, otherwise
// its JSON.
func (t *LogMessage) Text() string {
	r := wire.NewReader(t.Data)
	if r.Kind() == wire.String {
		if s := r.String(); r.End() == nil {
			return s
		}
	}
	return string(t.Data)
}

// changeParams are the params of a notification to subscriptions.
type changeParams struct {
	uri     string             // of the resource, or of a part of one that was subscribed to
	honored SubscriptionFilter // of an acknowledgment
	meta    RawMessage
}

func (t *changeParams) fields(c *codec) {
	c.string("uri", &t.uri, omitEmpty)
	c.object("notifications", &t.honored)
	c.raw("_meta", &t.meta)
}

// A SubscriptionFilter selects the changes that a subscription reports.
type SubscriptionFilter struct {
	ToolsListChanged      bool
	PromptsListChanged    bool
	ResourcesListChanged  bool
	ResourceSubscriptions []string // the URIs of resources
	TaskIDs               []string // with TasksExtension: TaskHandle.Wait then polls less often; Next does not return these changes

	Extra map[string]RawMessage // members without a field, as received
}

func (t *SubscriptionFilter) fields(c *codec) {
	c.bool("toolsListChanged", &t.ToolsListChanged, nil)
	c.bool("promptsListChanged", &t.PromptsListChanged, nil)
	c.bool("resourcesListChanged", &t.ResourcesListChanged, nil)
	stringList(c, "resourceSubscriptions", &t.ResourceSubscriptions, omitEmpty)
	stringList(c, "taskIds", &t.TaskIDs, omitEmpty)
	c.extra(&t.Extra)
}
