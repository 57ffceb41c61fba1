/*
Package host manages an agent's connections to many MCP servers and merges
their tools into one set.

	h := host.New(nil)
	defer h.Shutdown(ctx)
	servers := config.Load(".")
	servers.Trust(func(s *config.Server) bool { return confirm("Do you trust "+s.Name+"?", s.Effects()) })
	for _, err := range h.SetServers(ctx, servers.Servers).SortedErrors() {
		log.Print(err) // the other servers can be used
	}
	for _, t := range h.Tools() {
		fmt.Println(t.Name(), t.Description(), string(t.InputSchema()))
	}
	text, err := h.Execute(ctx, "mcp__github__create_issue", input)

Four packages below this one complete it. Package config reads configuration
files. Package dialers connects to servers over HTTP; a program that does not
import it starts its servers as child processes and does not link net/http.
Package schema writes tool definitions and results in the formats of model
providers. Package skillset merges the skills of all servers.

# Servers

[Host.SetServers] takes the full list of servers and applies the differences to
the current one. It may be called at any time, with calls in progress.
[Host.AddServer] and [Host.RemoveServer] change one server. The host connects to
servers in parallel; Options.Parallel limits how many attempts begin at once. It connects
to a lazy server when the server is first used. [Host.SetEnabled] hides the tools of a
server and keeps its connection.

A server is in one of these states ([ServerStatus.Word] reduces them to fewer
words):

	disconnected ──▶ connecting ──▶ connected ──▶ reconnecting ──▶ connected
	                     │  └─────────────────────▶ │
	                     ▼                          ▼
	              failed, needs-auth              failed

When a connection ends, the host reconnects; it starts a new process if the
server is a child process. It retries with exponential back-off, as [Retry]
describes. It gives up on a server after too many failed attempts or crashes,
and at once if the server has invalid settings, violates the protocol or
requires authorization. [Host.Reconnect] always tries such a server again.
[Host.SetServers] and [Host.AddServer] do so unless authorization is missing,
[Host.Connect] unless the server keeps crashing, and the host itself does after
five minutes unless the settings are invalid or authorization is missing. A call
of one of its tools tries it once, unless one of these three is the reason.

These limits do not apply to an unreachable server at a URL: the host checks it
until it is reachable again. KeepAlive in [Options] detects half-open
connections.

# Tools

[Host.Tools] returns the tools of all connected servers, from an immutable
[Snapshot]. The host replaces the snapshot when a server connects, disconnects
or changes its list. When a server crashes, its tools leave the snapshot until
the server is connected again. A [Tool] stays valid in the meantime: a call
waits for the server.

Tool names match ^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$, which all model providers accept,
and are unique; see [Naming]. [Host.Tool] finds a tool by its name. Do not parse
names: the names of servers and tools may contain any character. The host never
gives the name of one tool to another while the first exists, whichever servers
connect or disconnect.

When a tool's definition changes, the host emits an [Event], because the user
approved the earlier definition.

# Search

If there are too many tools for a model, [Host.ToolSearch] returns search_tools
and call_tool instead of most of them, and [Host.Search] ranks tools for a query.
A program that uses neither function links neither.

# Calls

[Tool.Execute] returns text for a model, [Tool.Call] the whole result, and [Tool.Do]
takes all options of a call. Hosts and views have Execute and Call for the name that
a model chose, and CallTool for the names of a server and its tool.

A call waits up to Options.Timeout for its server to be connected. Then
Options.Timeout also limits the call itself; each progress notification restarts
it, up to Options.MaxTimeout in total. When the connection ends during a call,
the call fails immediately with an error that matches mcp.ErrOutcomeUnknown,
because the server may have executed it. The host repeats a call once if it was
never sent, or if the tool is annotated as read-only or idempotent.

# Permission

Options.Approve decides about every call, including those made by polling.
[Rules], [Capabilities], [ReadOnly] and [Listed] are approvers; [First] combines
several, and [Asking] adds one that asks the user. Annotations are only as
trustworthy as the server that sends them. Without Options.Approve the host
makes every call, and [Tool.RequiresPermission] reports that the program should
ask first.

[Host.View] limits an agent to some of the servers, and [View.Can] to some of
the tools.

# Errors

A failure of one server does not affect the others. It is reported in the
[Diff] of SetServers, in the server's status, and in an event, as an [*Error]
with a [Category], a code, the server and the tool. [Diff.Err] returns an error
only if a required server failed or all servers did.

The host removes values of the settings that may be secret from the text of
errors, statuses and events. The causes that an Error wraps are unchanged.

# Options

In all options, zero is the default, and a negative number turns the limit or the
feature off.

# Concurrency

All functions and methods may be called by multiple goroutines at once.
Functions in Options may be called concurrently. A connected server needs one
goroutine in addition to those of its client. A server that does not respond
delays only the calls made to it.
*/
package host
