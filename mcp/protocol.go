package mcp

import "slices"

// Version is the version of the library.
const Version = "1.0.0-rc.1"

// The protocol versions that the client supports.
const (
	ProtocolVersion20241105 = "2024-11-05"
	ProtocolVersion20250326 = "2025-03-26"
	ProtocolVersion20250618 = "2025-06-18"
	ProtocolVersion20251125 = "2025-11-25"
	ProtocolVersion20260728 = "2026-07-28"
)

// protocolVersions holds the supported versions, newest first. The first
// modernVersions of them belong to the modern era, the others to the legacy
// era.
var protocolVersions = [...]string{ProtocolVersion20260728, ProtocolVersion20251125, ProtocolVersion20250618, ProtocolVersion20250326, ProtocolVersion20241105}

const modernVersions = 1

// ProtocolVersions returns the protocol versions that the client supports,
// newest first.
func ProtocolVersions() []string { return slices.Clone(protocolVersions[:]) }

// modern returns the newest version of the modern era that is in offered and
// that the options allow, or "".
//
//go:noinline
func (o *Options) modern(offered []string) string { return o.newest(false, offered) }

func (o *Options) legacy(offered []string) string { return o.newest(true, offered) }

func (o *Options) newest(legacy bool, offered []string) string {
	for i, v := range &protocolVersions {
		if legacy == (i >= modernVersions) && slices.Contains(o.ProtocolVersions, v) && slices.Contains(offered, v) {
			return v
		}
	}
	return ""
}

// Error codes of MCP, in the Code of a *[jsonrpc.Error].
const (
	CodeHeaderMismatch          = -32020 // from 2026-07-28
	CodeMissingClientCapability = -32021 // from 2026-07-28
	CodeUnsupportedVersion      = -32022 // from 2026-07-28
	CodeResourceNotFound        = -32002 // before 2026-07-28, which uses -32602
	CodeURLElicitationRequired  = -32042 // 2025-11-25 only
)

// TasksExtension is the identifier of the extension for tasks of 2026-07-28.
const TasksExtension = "io.modelcontextprotocol/tasks"

// Methods of the extension for skills, the only ones whose results Call and CallList
// read from the cache.
const listSkills, getSkill = "skills/list", "skills/get"

// Keys of _meta.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaClientInfo   = "io.modelcontextprotocol/clientInfo"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaLogLevel     = "io.modelcontextprotocol/logLevel"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
	metaRelatedTask  = "io.modelcontextprotocol/related-task"
)

// traits are the properties of a request that follow from its method, and from
// the task extension.
type traits uint16

const (
	repeatable     traits = 1 << iota // the server may receive the request twice without harm
	cacheable                         // the server may allow the client to cache the result; see cache.drop
	takesInput                        // the server may respond that it requires input (2026-07-28)
	openEnded                         // the response may take any time
	uncancelable                      // the request must not be canceled
	bindsArguments                    // the connection may repeat arguments in headers
	mayBeTask                         // the request asks the server to create a task (2025-11-25)
	keepsEmpty                        // the caller gave the params as JSON text, which is sent even if it is {}
	continues                         // the request has a cursor, which another server would not know
)

// traitsOf returns the traits that all requests of a method have.
func traitsOf(method string) traits {
	switch method {
	case "tools/call":
		return takesInput | bindsArguments
	case "prompts/get":
		return takesInput | repeatable
	case "resources/read":
		return takesInput | repeatable | cacheable
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list", "tasks/list", listSkills, getSkill:
		return repeatable | cacheable
	case "server/discover", "ping", "completion/complete", "resources/subscribe", "resources/unsubscribe",
		"tasks/get", "tasks/result", "resources/directory/read":
		return repeatable
	case "initialize":
		return repeatable | uncancelable
	case "tasks/cancel":
		return uncancelable // the request itself, not the task
	case "subscriptions/listen":
		return openEnded
	}
	return 0
}
