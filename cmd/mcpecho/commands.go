package main

import (
	"context"
	"slices"
	"strings"
)

// A command describes a subcommand. Its help text is generated from it.
type command struct {
	name    string
	group   string   // of the overview; empty for a word that another command replaces
	into    string   // that command: with the flag of this name, it is this one
	aliases []string // the protocol's method, and the command's name in other programs
	target  bool     // whether it needs a server
	web     bool     // whether that server must be at a URL
	tool    bool     // whether the first argument is a tool
	started bool     // whether a command after -- is something other than its server
	pair    bool     // whether it takes two servers
	endless bool     // whether it runs until it is interrupted
	actions []string // words that may come before the target
	args    string   // the arguments after the target, as in the usage line
	min     int      // minimum number of arguments
	max     int      // maximum number of arguments; negative means no limit
	short   string   // one-line description
	long    string   // further description
	flags   []string // names of its flags
	example []string // command lines without the program name
	run     func(context.Context, *invocation) error
}

var (
	connectionFlags = []string{"config", "header", "transport", "env", "inherit-env", "cwd", "protocol", "root", "sampling", "insecure", "log-level", "connect-timeout", "timeout", "record", "no-state", "v", "q"}
	resultFlags     = append([]string{"json", "output", "no-color"}, connectionFlags...)
	listFlags       = append([]string{"wide"}, resultFlags...)
	askingFlags     = append([]string{"answer"}, resultFlags...) // of commands during which a server may ask
)

// commands returns all commands in the order of the help text.
func commands() []*command {
	table := []command{ // of values, whose constant parts the compiler copies: 6 KB less than one of pointers
		{
			name: "tools", group: "Look", aliases: []string{"tools/list", "list-tools", "tools-list"}, target: true,
			short: "List a server's tools",
			long:  listHelp("name and arguments, description, and the server's hints: read-only, destructive, open-world (reaches beyond the server's machine)"),
			flags: listFlags, run: lister("tools"),
			example: []string{"tools https://example.com/mcp", "tools weather", "tools other.json:weather", "tools -- npx -y @modelcontextprotocol/server-everything stdio"},
		}, {
			name: "resources", group: "Look", aliases: []string{"resources/list", "list-resources", "resources-list"}, target: true,
			short: "List a server's resources, or their templates",
			long:  listHelp("URI, description, MIME type") + "\n--templates lists the URI templates instead; so does \"templates\".",
			flags: append([]string{"templates"}, listFlags...), run: lister("resources"),
			example: []string{"resources --json -- mcpecho serve", "resources --templates -- mcpecho serve"},
		}, {
			name: "prompts", group: "Look", aliases: []string{"prompts/list", "list-prompts", "prompts-list"}, target: true,
			short: "List a server's prompts",
			long:  listHelp("name and arguments, description"),
			flags: listFlags, run: lister("prompts"),
			example: []string{"prompts -- mcpecho serve"},
		}, {
			name: "skills", group: "Look", aliases: []string{"skills/list", "list-skills", "skill"}, target: true,
			actions: []string{"read", "check"}, args: "[NAME|URI [FILE]]", max: 3,
			short: "List, read or check a server's skills",
			long: `  skills        list the skills: name, description, URI
  skills read   print a file of a skill, by default SKILL.md, but only if its
                size, digest and frontmatter are those of the skill's entry
  skills check  verify every file, and exit with status 5 if one is wrong

Skills are instructions for a model; nothing in them is executed.`,
			flags: listFlags, run: runSkills,
			example: []string{"skills -- mcpecho serve", "skills read greet -- mcpecho serve", "skills read greet references/greetings.md -- mcpecho serve", "skills check -- mcpecho serve"},
		}, {
			name: "info", group: "Look", aliases: []string{"describe", "inspect", "show", "schema", "tools-get", "initialize", "server/discover"}, target: true, tool: true, args: "[TOOL]", max: 1,
			short: "Describe a server or one of its tools",
			long: `Without TOOL: name, protocol version, capabilities and instructions.
With TOOL: description, arguments and result.
With --ping: whether the server responds, and how fast; so does "ping".`,
			flags: append([]string{"ping"}, resultFlags...), run: runInfo,
			example: []string{
				"info -- mcpecho serve",
				"info add -- mcpecho serve",
				"info --ping -- mcpecho serve",
				`info https://example.com/mcp -H "Authorization: Bearer $TOKEN"`,
			},
		}, {
			name: "call", group: "Call", aliases: []string{"run", "invoke", "exec", "tools/call", "call-tool", "tools-call"}, target: true, tool: true,
			args: "TOOL [k=v | k:=json | k=@file | '{…}' | - | @file]", min: 1, max: -1,
			short: "Call a tool",
			long: `  k=v       an argument; a string if the tool's schema requires one (000123)
  k:=json   an argument in JSON, regardless of the schema
  k=@file   the content of a file; k:=@file reads JSON
  '{…}'     all arguments as one JSON object
  -, @file  all arguments as one JSON object from standard input, or a file
  --k v     an argument, unless it is a flag of call

On a terminal, mcpecho asks for required arguments that are missing. The text of the
result goes to standard output, or its structured content if it has no text. -o FILE
saves images, audio and other binary content; a second one is saved to FILE-2, and so on.`,
			flags: append([]string{"no-input"}, askingFlags...), run: runCall,
			example: []string{
				"call echo message=hi -- mcpecho serve",
				"call weather/forecast city=Rome",
				"call image -o pixel.png -- mcpecho serve",
			},
		}, {
			name: "read", group: "Look", aliases: []string{"resource", "cat", "resources/read", "read-resource", "resources-read"}, target: true, args: "URI", min: 1, max: 1,
			short: "Read a resource",
			long:  "Text goes to standard output unchanged. A binary resource needs -o FILE or a pipe.",
			flags: askingFlags, run: runRead,
			example: []string{"read echo://text -- mcpecho serve", "read echo://picture -o pixel.png -- mcpecho serve"},
		}, {
			name: "prompt", group: "Call", aliases: []string{"prompts/get", "get-prompt", "prompts-get"}, target: true, args: "NAME [k=v | k=@file …]", min: 1, max: -1,
			short: "Get a prompt with its arguments filled in",
			long:  "Prints a single message unchanged, and the role before each of several messages.",
			flags: askingFlags, run: runPrompt,
			example: []string{"prompt review language=go -- mcpecho serve"},
		}, {
			name: "complete", group: "Call", aliases: []string{"completion/complete"}, target: true,
			args: "prompt|resource NAME ARG [VALUE] [k=v …]", min: 2, max: -1,
			short: "List completions of a prompt or template argument",
			long: `  prompt    NAME is a prompt, ARG one of its arguments
  resource  NAME is a URI template, ARG one of its variables
  VALUE     the text to complete (default: empty)
  k=v       arguments that already have values

The completions go to standard output, one per line.`,
			flags: resultFlags, run: runComplete,
			example: []string{
				"complete prompt review language g -- mcpecho serve",
				"complete resource 'echo://greeting/{name}' name A -- mcpecho serve",
			},
		}, {
			name: "watch", group: "Stay", target: true, endless: true, args: "[URI …]", max: -1,
			short: "Print notifications and logs until interrupted",
			long: `Prints one line per notification: "changed tools" if a list changed,
"updated URI" if one of the given resources changed, "log LEVEL: …" for a log
message. --json prints the notifications as JSON, one per line. With --timeout it ends
after that time: with status 0 if it has printed a notification, else with 4.`,
			flags: append([]string{"json", "no-color"}, connectionFlags...), run: runWatch,
			example: []string{"watch http://127.0.0.1:3001/mcp", "watch http://127.0.0.1:3001/mcp echo://text --json"},
		}, {
			name: "shell", group: "Stay", aliases: []string{"connect", "repl"}, target: true,
			short: "Run several commands in one session with a server",
			long: `On a terminal: type commands without TARGET, such as "tools" or "call echo
message=hi". Tab completes commands, tools, arguments, their values and URIs, Ctrl-R
searches the history, and the server's notifications are printed as they come.
mcpecho TARGET also starts a shell.

From a pipe: one command per line; # begins a comment. The exit status is that of
the first command that failed.

The history of a server is kept in a file that only you can read, without commands
that begin with a space or may contain a secret. With --no-state it is not kept.`,
			flags: append([]string{"json", "no-color", "stop-on-error", "answer"}, connectionFlags...), run: runShell,
			example: []string{"shell https://example.com/mcp", "shell -- npx -y @playwright/mcp", "shell --stop-on-error -- mcpecho serve"},
		}, {
			name: "hold", group: "Stay", target: true, endless: true, max: 1,
			short: "Keep a server for other commands, as @NAME",
			long: `Connects once and stays in the foreground. Until it ends, @NAME is the server for
the other commands: "call @NAME TOOL", "shell @NAME", "watch @NAME". They share what the
server keeps, such as a browser. NAME has 1 to 32 of a-z, 0-9 and -, and begins with no -.
hold NAME alone is a configured server of that name.

Commands that come while the server starts wait for it. What the server writes to standard
error and what it asks appears where hold runs; without a terminal, or in its background
("hold … &"), questions are declined. hold ends with Ctrl-C or "mcpecho release NAME". If the server ends, hold says why.`,
			flags: append([]string{"answer", "no-color"}, slices.DeleteFunc(cloneWords(connectionFlags), func(name string) bool { return name == "timeout" })...), run: runHold,
			example: []string{"hold browser -- npx -y @playwright/mcp", "hold docs https://example.com/mcp", "tools @browser"},
		}, {
			name: "release", group: "Stay", args: "NAME …", min: 1, max: -1,
			short: "End sessions of hold",
			flags: nil, run: runRelease,
			example: []string{"release browser"},
		}, {
			name: "ui", group: "Stay", aliases: []string{"inspector"}, target: true, endless: true, args: "[PATH …]", max: -1,
			short: "Open a page in the browser to try out and debug a server",
			long: `Lists what the server offers, calls it with forms made from its schemas, and shows
the traffic, notifications and standard error as they come. Questions of the server
appear as forms. If the process ends, or if one of the files that the server's command
names or one in PATH changes, the page connects again, marks what has changed, and
keeps what you have typed. "Save as recording" gives a file for serve --replay.

The URL of the page goes to standard output, and on a terminal mcpecho opens it.
--http PORT chooses the port.
Only this machine can reach the page, and only with the token in that URL. The
command ends with Ctrl-C, or a minute after the page was closed.`,
			flags: append([]string{"http"}, slices.DeleteFunc(cloneWords(connectionFlags), func(name string) bool { return hasWord([]string{"record", "sampling", "v"}, name) })...), run: runUI,
			example: []string{"ui -- mcpecho serve", "ui -- node server.js", "ui src -- node dist/server.js", "ui https://example.com/mcp"},
		}, {
			name: "check", group: "Check", aliases: []string{"doctor"}, target: true, args: "[PATH …]", max: -1,
			short: "Check a server for problems that clients would have",
			long: `Connects in both eras over each transport that the server supports, lists everything,
reads resources, and sends requests that the server must refuse. It also finds what
mcpecho tolerates and other clients refuse. Without --call, it calls no tool.
Each finding names the method, tool or resource. If one is "wrong", the exit status
is 5; "careful" does not change it. A response may take 10s, or --timeout.
With --for, it finds the tools that APIs of models reject, and why.

With --watch, it goes on until it is interrupted, and prints only what differs.`,
			flags: append([]string{"watch", "call", "for"}, slices.DeleteFunc(cloneWords(resultFlags), func(name string) bool { return hasWord([]string{"root", "sampling"}, name) })...), run: runCheck,
			example: []string{"check -- mcpecho serve", "check --watch -- node server.js", "check http://127.0.0.1:3001/mcp --json"},
		}, {
			name: "raw", group: "Call", target: true, args: "METHOD [JSON | -]", min: 1, max: -1,
			short: "Send any request and print its result as it came",
			long: `The parameters are a JSON object, or - to read it from standard input. Pages are not
merged, and nothing is hidden or changed.

A task is a call that the server continues after its response: "raw tasks/get" and
"raw tasks/cancel" need its taskId, and only 2025-11-25 has "raw tasks/list". "task get
TARGET ID", "task cancel TARGET ID" and "task list TARGET" do the same in words.`,
			flags: askingFlags, run: runRaw,
			example: []string{"raw tools/list -- mcpecho serve", `raw https://example.com/mcp resources/read '{"uri": "echo://text"}'`, `raw https://example.com/mcp tasks/get '{"taskId": "TASK-NAME"}'`, "task list https://example.com/mcp --json"},
		}, {
			name: "diff", group: "Debug", aliases: []string{"compare"}, args: "OLD NEW", max: -1, started: true, pair: true,
			short: "Show what changed between two servers or recordings",
			long: `OLD and NEW are each a URL, the NAME of a configured server, FILE:NAME, a recording
that --record made, or a command in quotes that starts a server. A command may also
follow --:

  diff OLD NEW
  diff OLD -- NEW-COMMAND …
  diff -- OLD-COMMAND … -- NEW-COMMAND …

Each change of a tool, prompt, resource or template is breaking, unknown (it may
break callers), noted or compatible. If one is breaking, the exit status is 5.
An input breaks callers if it accepts less: a new required argument, a removed one, a
narrower type. An output breaks them if more is possible: a member that may be missing, a
wider type. So does what is gone, and a tool that is no longer read-only. mcpecho declares
the same capabilities to both: beside a recording, those of its client.`,
			flags: append([]string{"strict"}, slices.DeleteFunc(cloneWords(resultFlags), func(name string) bool { return name == "record" })...), run: runDiff,
			example: []string{"diff https://example.com/mcp weather", "diff 'mcpecho serve' 'mcpecho serve --protocol 2025-11-25'", "diff weather -- mcpecho serve", "diff --json -- mcpecho serve -- mcpecho serve"},
		}, {
			name: "view", group: "Debug", args: "FILE", min: 1, max: 1,
			short: "Print the messages of a recording",
			long: `FILE was written with --record. A line has the seconds since the beginning, the
connection, > for what the client sent and < for what the server sent, the id (of an
HTTP exchange after #), how long the response took, its size, the method and what it is
for; "of 5" is a message of the exchange that request 5 began. ! marks what went wrong,
also requests without a response. -v prints the messages, too. -f goes on with a file
that replaces FILE. "--record -" prints a session so while it runs.`,
			flags: []string{"follow", "last", "errors", "method", "tool", "id", "grep", "sender", "connection", "json", "v", "no-color"}, endless: true, run: runView,
			example: []string{"view session.rec --errors", "view session.rec --tool 'get_*' -v"},
		}, {
			name: "servers", group: "Configure", aliases: []string{"status"}, args: "[FILE …]", max: -1,
			short: "List the configured servers and their status",
			long: `On a terminal: name, status, file. In a pipe: name, tab, status. The status is
connected, unauthorized, failed, disabled or untrusted. Servers in .mcp.json of the
current folder are untrusted and not started, unless -c or FILE names that file,
or you have agreed to use them on a terminal and their entries are unchanged.
The sessions of hold follow, as @NAME: server, protocol version, process.
With FILE, only the servers in that file are listed. --all adds those that other
programs have: Claude Desktop, Claude Code, Cursor, VS Code and so on.`,
			flags: []string{"all", "wide", "json", "output", "config", "protocol", "connect-timeout", "timeout", "v", "q", "no-color"}, run: runServers,
			example: []string{"servers", "servers .mcp.json --json"},
		}, {
			name: "search", group: "Look", aliases: []string{"grep", "find"}, args: "WORD …", min: 1, max: -1,
			short: "Find tools among all configured servers",
			long: `Ranks the tools of the configured servers by the words of their names, descriptions
and arguments, and prints at most 20, best first: SERVER/TOOL, which other commands
accept, and the description. A word with a * is a glob of names. Servers that you have
disabled or do not trust are not searched. The first search starts all others; later
searches start only new servers, unless --refresh or --no-state is given.`,
			flags: []string{"refresh", "no-state", "wide", "json", "output", "config", "protocol", "connect-timeout", "timeout", "q", "no-color"}, run: runSearch,
			example: []string{"search weather forecast", "search 'create*' issue --json"},
		}, {
			name: "add", group: "Configure", args: "NAME [URL]", min: 1, max: -1, started: true,
			short: "Add a server to .mcp.json",
			long: `The command that starts the server follows --. Comments and the order of the file
stay as they are. --from copies the server NAME of another program;
"mcpecho servers --all" lists these servers.`,
			flags: []string{"user", "from", "config", "env", "inherit-env", "cwd", "header", "oauth", "transport", "no-state", "q"}, run: runAdd,
			example: []string{"add weather https://example.com/mcp", "add work https://example.com/mcp --oauth clientId=app",
				"add echoes -e LEVEL=1 -- mcpecho serve", "add files --from cursor"},
		}, {
			name: "remove", group: "Configure", aliases: []string{"delete", "uninstall", "rm"}, args: "NAME", min: 1, max: 1,
			short: "Remove a server from .mcp.json",
			flags: []string{"user", "config", "no-state", "q"}, run: runRemove,
			example: []string{"remove weather", "remove weather --user"},
		}, {
			name: "trust", group: "Configure", args: "[NAME …]", max: -1,
			short: "Trust servers of this project, or list or revoke trust",
			long: `A project's .mcp.json can name any program, so mcpecho asks before it uses a server
from there, and again when its entry changes. Without NAME, trust lists the
servers that you trust.`,
			flags: []string{"revoke", "config", "json", "wide", "no-state", "q", "no-color"}, run: runTrust,
			example: []string{"trust", "trust weather", "trust --revoke weather"},
		}, {
			name: "login", group: "Configure", aliases: []string{"auth"}, target: true, web: true,
			short: "Log in to a server with the browser, or log out",
			long: `The tokens are stored in a file that only you can read. All commands send them
to that server. If no browser can be opened, login prints a code that you enter in a
browser on another device, or the URL of the page if the server offers no codes.
mcpecho uses codes only with an authorization server that has the origin of the MCP
server, that --issuer names, or that you have logged in with before.

--logout revokes and deletes the tokens; so does "logout".`,
			flags: []string{"device", "issuer", "logout", "config", "no-color", "v", "record"}, run: runLogin,
			example: []string{"login https://example.com/mcp", "login --device https://example.com/mcp", "login --logout https://example.com/mcp"},
		}, {
			name: "serve", group: "Debug", endless: true,
			short: "Run the echo server over standard input and output or HTTP",
			long: `Over standard input and output, the server runs until its input ends.

With --http it serves Streamable HTTP at /mcp and HTTP+SSE at /sse until it is
interrupted, and prints both URLs, one per line. ADDR is HOST:PORT, :PORT for all
addresses of this machine, or PORT for 127.0.0.1. Port 0 selects a free port.

The server supports every protocol version, unless --protocol names one.

With --replay, it responds as the server did in a recording that --record made, over
any transport. With --timed it does so after the time that the server took, also
between messages such as progress. To other requests it responds with an error that
names the nearest recorded request.`,
			flags: []string{"http", "require-login", "protocol", "replay", "timed"}, run: runServe,
			example: []string{"serve", "serve --http 127.0.0.1:3001", "serve --http 127.0.0.1:3001 --require-login", "tools -- mcpecho serve --protocol 2024-11-05"},
		}, {
			name: "proxy", group: "Debug", target: true, endless: true,
			short: "Stand between a client and a server",
			long: `Passes messages unchanged, and records with --record what the client and the
server really send. An editor starts it in place of the server:
{"command": "mcpecho", "args": ["proxy", "--record", "s.rec", "weather"]}

With --http it serves Streamable HTTP until it is interrupted, for several clients,
with a connection to the server for each session. It prints its URL, which has a
secret path: whoever knows it uses the server with your tokens and environment.
ADDR is that of "serve". "mcpecho serve --replay FILE" is the recorded server again.`,
			flags: []string{"http", "no-token", "allow-origin", "config", "header", "transport", "env", "inherit-env", "cwd", "record", "v", "q"}, run: runProxy,
			example: []string{"proxy --record s.rec -- mcpecho serve", "proxy https://example.com/mcp --record -", "proxy --http 127.0.0.1:8931 -- mcpecho serve"},
		}, {
			name: "completion", group: "Configure", args: strings.Join(shellNames(), "|"), min: 1, max: 2,
			short: "Print a shell script that completes commands, flags and servers",
			long: `  bash  source <(mcpecho completion bash)
  zsh   source <(mcpecho completion zsh), after compinit
  fish  mcpecho completion fish | source

Put the line in ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish to have it in
every new shell.`,
			flags: nil, run: runCompletion,
			example: []string{"completion bash"},
		}, {
			name: "help", group: "Configure", args: "[COMMAND|flags]", max: 1,
			short: "Describe a command, or the flags that commands share",
			flags: nil, run: runHelp,
			example: []string{"help call"},
		},
		{name: "templates", into: "resources", aliases: []string{"resources/templates/list", "list-templates", "resources-templates-list"}, target: true, flags: listFlags, run: lister("templates")},
		{name: "ping", into: "info", target: true, flags: resultFlags, run: runPing},
		{name: "task", into: "raw", aliases: []string{"tasks/list", "tasks-list", "tasks"}, target: true, actions: []string{"list", "get", "cancel"}, args: "[ID]", max: 2, flags: listFlags, run: runTask},
		{name: "logout", into: "login", target: true, web: true, flags: []string{"config", "no-color"}, run: runLogout},
		{name: "version", run: runVersion},
	}
	all := make([]*command, len(table))
	for i := range table {
		all[i] = &table[i]
	}
	return all
}

func listHelp(columns string) string {
	return "On a terminal: " + columns + ".\n" +
		"In a pipe: one per line, then a tab and the first line of the description.\n" +
		"--json prints the result object, with all pages merged."
}

// findCommand returns the command with this name or alias, or nil.
func findCommand(name string) *command {
	for _, c := range commands() {
		if c.name == name {
			return c
		}
		for _, alias := range c.aliases {
			if alias == name {
				return c
			}
		}
	}
	return nil
}

// tourCommand returns the command that runs without arguments.
func tourCommand() *command {
	return &command{
		name:  "",
		short: "The tour",
		flags: []string{"version", "no-color", "v", "q", "record", "timeout", "connect-timeout"},
		run:   runTour,
	}
}
