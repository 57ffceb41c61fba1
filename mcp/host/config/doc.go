/*
Package config reads the files in which users configure MCP servers. It
understands the dialects of many programs. A minor version follows them, and keeps
the Go API.

	c := config.Load(".", "more.json")
	for _, p := range c.Problems {
		log.Print(p)
	}
	c.Trust(func(s *config.Server) bool { return confirm("Do you trust "+s.Name+"?", s.Effects()) })
	diff := h.SetServers(ctx, c.Servers) // of package host

A program with a variable config imports the package under another name, such as
mcpconfig.

# Format

The servers are the members of an object under mcpServers, servers, mcp.servers,
tools.mcp.servers, amp.mcpServers, mcp, mcp_servers or context_servers, or of the whole
file. Comments and trailing commas are allowed. Each member becomes a [Server], which
has one field where dialects use several names:

	type, transport              stdio, local, http, streamable, streamable-http, remote, sse, sdk, claudeai-proxy
	command, args, cwd           command may be a list; a leading ~ is the home directory
	env, environment, env_vars   {"K": "V"}, ["K=V"], or "K" and ["K"] to pass variables on
	envFile, env_file            one file or several
	inheritEnv                   pass on all variables
	url, serverUrl, httpUrl, baseUrl, headers, http_headers, env_http_headers, id
	auth, oauth, oauthClient     none, bearer, apikey, oauth, or an object with a type
	bearer_token_env_var         the name of the variable with the token
	enabled, disabled, required, lazy, serial, deferred
	timeout, connectTimeout      "30s", or a number, whose unit depends on the dialect
	timeout_seconds, tool_timeout_sec, toolTimeout, tool_timeout
	startup_timeout_sec, startup_timeout_ms
	max_retries, maxResultText
	includeTools, allowedTools, enabled_tools, tools, toolFilter.include
	excludeTools, blockedTools, disabledTools, disabled_tools, toolFilter.exclude
	alwaysAllow, autoApprove, trust
	overrides                    by tools: name, description, arguments, properties, omit, maxResultText
	title, description

A url without a type is tried as Streamable HTTP, then as SSE. Lists of tools
contain globs. A command may also be an object with path, args and env.

A timeout that is a number is in seconds under tools.mcp.servers, mcp_servers
and context_servers and in files of nanobot, PicoClaw, Crush, Cline and Roo, and in
milliseconds in files of Claude Code, Gemini CLI, Qwen Code, OpenCode, Copilot CLI, Kiro and
Amazon Q. Elsewhere, a number below 1000 is in seconds, and any other in milliseconds;
from 1000 to 9,999, a warning names both readings.

A relative cwd, envFile or command with a slash is relative to the folder of the
project that the file belongs to. Exclusion takes precedence over inclusion, and an empty
list of included tools includes none. In a file of PicoClaw, a server without enabled is
disabled. Unknown fields are stored in Extra and cause a warning.

[Discover] returns the servers in the files of other programs on the machine, some
of which are in TOML.

# Variables

[Server.Expand] replaces ${V}, ${V:-default}, ${env:V}, ${env:V | value:default},
$env:V and ${input:id} when the server is started, and ${file:PATH} by the content of a
file of at most 64 KiB. It does not replace a bare $V, and $${ stands for ${. Fields other
than env and envFile take a variable from these two first. ${workspaceFolder} is the folder
of the project, and ${userHome}, ${workspaceFolderBasename} and ${pathSeparator} are what they
are in VS Code. In files of Gemini CLI, Qwen Code, OpenCode, Crush and Continue, the references
of that program are replaced by these when the file is read; elsewhere, a warning names them.
The list under inputs describes what to ask the user for each ${input:id}; see
[Config.Input].

# Trust

The file of a project can run any program and send the user's secrets to any URL. A host
starts an entry with the scope "project" only after [Config.Trust] or [Server.Trust]: show
the lines of [Server.Effects] and ask. Until then, Expand returns [ErrUntrusted].

# Problems

An invalid entry becomes a [Problem] with the file, line, server and field; the
other entries are loaded. An entry is invalid if it has neither a command nor
a URL, an unknown type, a duplicate key, a line break in a header, or authorization for a
program without a URL. One with a command and a URL is a program that serves HTTP there.
If a variable or input has no value, Expand returns an error.

# Secrets

Errors never contain values. [Server.Public] returns a copy without secrets, and
[Server.Hide] removes a server's secrets from a text. Printing and marshaling a
Server, an Auth, an OAuth or an Override shows no secrets. To write a file, use
[Server.RevealJSON] or [Config.RevealJSON]. An entry with masked secrets is invalid.

# Concurrency

All functions and methods may be called by multiple goroutines at once. The
package does not modify a Server after returning it.
*/
package config
