package main

import (
	"context"
	"strings"
)

// A command is what the first argument names. Help texts are made from it.
type command struct {
	name    string
	aliases []string // the method of the protocol, and names that other programs have
	target  bool     // whether it talks to a server
	web     bool     // whether that must be one at a URL
	tool    bool     // whether the first argument is a tool
	endless bool     // whether it goes on until it is interrupted
	args    string   // what follows the target, as help shows it
	min     int      // how many arguments it needs
	max     int      // how many it takes, or any number when negative
	short   string   // what it does, in a line
	long    string   // what else there is to know
	flags   []string // by name
	example []string // without the name of the program
	run     func(context.Context, *invocation) error
}

var (
	connectionFlags = []string{"config", "header", "transport", "env", "inherit-env", "cwd", "protocol", "connect-timeout", "timeout", "trace", "v", "q"}
	resultFlags     = append([]string{"json", "output", "no-color"}, connectionFlags...)
)

// commands returns all commands in the order in which help lists them.
func commands() []*command {
	return []*command{
		{
			name: "tools", aliases: []string{"tools/list", "list-tools"}, target: true,
			short: "List a server's tools",
			long:  listHelp("name, what it does, required arguments"),
			flags: resultFlags, run: lister("tools"),
			example: []string{"tools https://example.com/mcp", "tools weather", "tools other.json:weather", "tools -- npx -y @modelcontextprotocol/server-everything stdio"},
		}, {
			name: "resources", aliases: []string{"resources/list", "list-resources"}, target: true,
			short: "List a server's resources",
			long:  listHelp("URI, what it is, type"),
			flags: resultFlags, run: lister("resources"),
			example: []string{"resources --json -- mcpecho serve"},
		}, {
			name: "templates", aliases: []string{"resources/templates/list", "list-templates"}, target: true,
			short: "List a server's resource templates",
			long:  listHelp("URI template, what it is for, type"),
			flags: resultFlags, run: lister("templates"),
			example: []string{"templates -- mcpecho serve"},
		}, {
			name: "prompts", aliases: []string{"prompts/list", "list-prompts"}, target: true,
			short: "List a server's prompts",
			long:  listHelp("name, what it does, required arguments"),
			flags: resultFlags, run: lister("prompts"),
			example: []string{"prompts -- mcpecho serve"},
		}, {
			name: "info", aliases: []string{"initialize", "server/discover"}, target: true, tool: true, args: "[TOOL]", max: 1,
			short: "Describe a server, or one of its tools",
			long: `Without TOOL: name, protocol revision, capabilities and instructions.
With TOOL: what it does, its arguments and what it returns.`,
			flags: resultFlags, run: runInfo,
			example: []string{
				"info -- mcpecho serve",
				"info add -- mcpecho serve",
				`info https://example.com/mcp -H "Authorization: Bearer $TOKEN"`,
			},
		}, {
			name: "call", aliases: []string{"tools/call", "call-tool"}, target: true, tool: true,
			args: "TOOL [k=v | k:=json | k=@file | '{…}' | -]", min: 1, max: -1,
			short: "Call a tool",
			long: `  k=v       an argument; what the tool's schema calls a string stays one (000123)
  k:=json   an argument in JSON, whatever the schema says
  k=@file   the content of a file; k:=@file reads JSON
  '{…}'     all arguments, as one JSON object
  -         the same, from standard input

The result goes to standard output: its text, or its structured content when
it has no text. Images, sounds and other files are written with -o FILE; if
there are several, the second goes to FILE-2, and so on.`,
			flags: resultFlags, run: runCall,
			example: []string{
				"call echo message=hi -- npx -y @modelcontextprotocol/server-everything stdio",
				"call https://example.com/mcp echo message=hi",
				"call weather/forecast city=Rome",
				`call add '{"a": 2, "b": 40}' --json -- mcpecho serve`,
				"call image -o pixel.png -- mcpecho serve",
			},
		}, {
			name: "read", aliases: []string{"resources/read", "read-resource"}, target: true, args: "URI", min: 1, max: 1,
			short: "Read a resource",
			long:  "Text goes to standard output as it is. A binary resource is written with -o FILE, or to a pipe.",
			flags: resultFlags, run: runRead,
			example: []string{"read echo://text -- mcpecho serve", "read echo://picture -o pixel.png -- mcpecho serve"},
		}, {
			name: "prompt", aliases: []string{"prompts/get", "get-prompt"}, target: true, args: "NAME [k=v | k=@file …]", min: 1, max: -1,
			short: "Get a prompt, filled in",
			long:  "A prompt of one message is printed as it is, a longer one with the role in front of each message.",
			flags: resultFlags, run: runPrompt,
			example: []string{"prompt review language=go -- mcpecho serve"},
		}, {
			name: "complete", aliases: []string{"completion/complete"}, target: true,
			args: "prompt|resource NAME ARG [VALUE] [k=v …]", min: 3, max: -1,
			short: "Ask what an argument may go on with",
			long: `  prompt    NAME is a prompt, ARG one of its arguments
  resource  NAME is a URI template, ARG one of its variables
  VALUE     what was entered so far; without it, everything counts
  k=v       arguments that have their values already

The values go to standard output, one per line.`,
			flags: resultFlags, run: runComplete,
			example: []string{
				"complete prompt review language g -- mcpecho serve",
				"complete resource 'echo://greeting/{name}' name A -- mcpecho serve",
			},
		}, {
			name: "watch", target: true, endless: true, args: "[URI …]", max: -1,
			short: "Print changes and logs until interrupted",
			long: `A line for each thing that the server tells: "changed tools" when a list has
changed, "updated URI" for the resources named, "log LEVEL: …". --json prints the
notifications of the specification, one per line.`,
			flags: append([]string{"json", "no-color"}, connectionFlags...), run: runWatch,
			example: []string{"watch http://127.0.0.1:3001/mcp", "watch http://127.0.0.1:3001/mcp echo://text --json"},
		}, {
			name: "ping", target: true,
			short: "See whether a server answers, and how fast",
			flags: resultFlags, run: runPing,
			example: []string{"ping -- mcpecho serve", "ping http://127.0.0.1:3001/sse -t sse"},
		}, {
			name: "servers", args: "[FILE …]", max: -1,
			short: "List the configured servers, and whether they answer",
			long: `On a terminal: name, status, file. To a pipe: name, tab, status. The status is
connected, unauthorized, failed, disabled, or untrusted: what the .mcp.json of the
current folder says is not started here, unless it is named. With FILE, only what
that file says counts.`,
			flags: []string{"json", "output", "config", "protocol", "connect-timeout", "timeout", "v", "q", "no-color"}, run: runServers,
			example: []string{"servers", "servers .mcp.json --json"},
		}, {
			name: "login", target: true, web: true,
			short: "Log in to a server, in the browser",
			long: `The tokens are kept in a file that only you may read, and sent by all commands
to that server. Without a browser, the page's URL is printed.`,
			flags: []string{"config", "no-color"}, run: runLogin,
			example: []string{"login https://example.com/mcp"},
		}, {
			name: "logout", target: true, web: true,
			short: "Forget the tokens of a server",
			flags: []string{"config", "no-color"}, run: runLogout,
			example: []string{"logout https://example.com/mcp"},
		}, {
			name: "serve", endless: true,
			short: "Be the echo server, on standard input and output or over HTTP",
			long: `On standard input and output it serves until its input ends.

With --http it serves Streamable HTTP at /mcp and HTTP+SSE at /sse until it is
interrupted, and prints both URLs, a line each. ADDR is HOST:PORT, :PORT for
every address of this machine, or PORT for 127.0.0.1; port 0 is any free one.

It speaks every protocol revision, or the one that --protocol names.`,
			flags: []string{"http", "protocol"}, run: runServe,
			example: []string{"serve", "serve --http 127.0.0.1:3001", "tools -- mcpecho serve --protocol 2024-11-05"},
		}, {
			name: "completion", args: strings.Join(shellNames(), "|"), min: 1, max: 1,
			short: "Print a script that completes commands, flags and servers in a shell",
			long: `  bash  source <(mcpecho completion bash)
  zsh   source <(mcpecho completion zsh), behind compinit
  fish  mcpecho completion fish | source

In ~/.bashrc, ~/.zshrc or ~/.config/fish/config.fish that is for every new shell.`,
			flags: nil, run: runCompletion,
			example: []string{"completion fish > ~/.config/fish/completions/mcpecho.fish"},
		}, {
			name:  "version",
			short: "Print the version and the protocol revisions",
			flags: nil, run: runVersion,
		}, {
			name: "help", args: "[COMMAND]", max: 1,
			short: "Say how a command is used",
			flags: nil, run: runHelp,
			example: []string{"help call"},
		},
	}
}

func listHelp(columns string) string {
	return "On a terminal: " + columns + ".\n" +
		"To a pipe: one per line, then a tab and the first line of the description.\n" +
		"--json prints the result of the specification, all pages in one."
}

// findCommand returns the command of that name or alias, or nil.
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

// theTour is what happens without a command.
func tourCommand() *command {
	return &command{
		name:  "",
		short: "The tour",
		flags: []string{"no-color", "v", "q", "trace", "timeout", "connect-timeout"},
		run:   runTour,
	}
}
