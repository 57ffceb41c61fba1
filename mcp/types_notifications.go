package mcp

import (
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

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
