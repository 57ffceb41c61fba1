/*
Package host keeps the connections of an agent to many MCP servers, and makes
one set of tools of all that they offer.

	h := host.New(nil)
	defer h.Shutdown(ctx)
	diff := h.SetServers(ctx, config.Load(".").Servers)
	for _, t := range h.Tools() {
		fmt.Println(t.Name(), t.Description(), string(t.InputSchema()))
	}
	text, err := h.Tool("mcp__github__create_issue").Execute(ctx, input)

Package config, below this one, reads the files that people have. Package
dialers has servers that are reached over HTTP; without it a program has those
that it starts itself, and links no net/http. Package schema writes tools and
results the way model providers want them.

# Servers

[Host.SetServers] takes all servers that there are to be, and changes what has
to be changed: it may be called again at any time, with calls under way.
[Host.AddServer] and [Host.RemoveServer] leave the others alone. Servers
are connected in parallel, no more than Options.Parallel at once. One that is
lazy is connected when it is used for the first time; one that is disabled
keeps the connection that it has and shows no tools.

A server is in one of these states ([ServerStatus].Status has fewer words):

	disconnected ──▶ connecting ──▶ connected ──▶ reconnecting ──▶ connected
	                     │  └─────────────────────▶ │
	                     ▼                          ▼
	              error, needs-auth               error

A connection that ends is made again, with a new process if the server is one:
after a second, then after twice as long each time, up to [Retry].Cap, and
[Retry].Max times. A server that has crashed five times in three minutes is
left alone. So is one whose settings are wrong, which breaks the protocol, or
which wants somebody to authorize the program. [Host.Reconnect] tries it anew;
a call of a tool does so too, once, if it was only the connection that failed.

# Tools

[Host.Tools] has the tools of all servers that are connected, in a [Snapshot]
that never changes; a new one takes its place when a server comes, goes or
changes its list. The tools of a server that crashed are not in it until the
server is back. Those that hold on to a [Tool] may go on calling it: the call
waits for the server.

Names for models match ^[a-zA-Z0-9_-]{1,64}$ and are unique; see [Naming]. A
name leads back to its tool by [Host.Tool], not by being taken apart. A name
that was given stays with its tool, whichever servers come and go.

A tool whose definition is another than before is told as an [Event], since
whoever approved the tool did not approve that one.

# Calls

A call waits for its server no longer than Options.Timeout. Then it may take
as long again, longer as long as it makes progress, and at most
Options.MaxTimeout. When the connection ends under a call, the call fails at
once with an error that matches mcp.ErrOutcomeUnknown, as the server may have
acted on it. It is made once more if it never left this process, or if the tool
says of itself that it is read-only or idempotent.

# Permission

With Options.Approve every call is approved first, those that polling makes
included. [Rules], [Capabilities], [ReadOnly] and [Listed] decide by what is
known; [Asking] and [First] combine them and ask a user. What tools say of
themselves is as good as their server. Without Options.Approve nothing is
asked for, and [Tool.RequiresPermission] says that the program should.

[Host.Agent] gives an agent some of the servers, and [View.Can] some of the
tools.

# Errors

What goes wrong with one server is an error of that server: in the [Diff] of
SetServers, in its status, and in an event. All of them are of type [*Error],
which has a [Category], a code, the server and the tool. [Diff.Err] returns an
error only if a server that is required failed, or all did.

No text of an Error, of a status or of an event has a value of the settings in
it that may be a secret. The causes that an Error wraps are as they came.

# Concurrency

Everything may be used by any number of goroutines at once. Functions in
Options may be called by several, except for Event. A server that is connected
takes one goroutine beside those of its client, and nothing waits for a server
but what was asked of it.
*/
package host
