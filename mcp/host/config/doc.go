/*
Package config reads the files in which people keep their MCP servers, in
whichever of the many dialects these are written.

	c := config.Load(".", "more.json")
	for _, p := range c.Problems {
		log.Print(p)
	}
	diff := h.SetServers(ctx, c.Servers) // of package host

# What is read

The servers are members of an object under mcpServers, servers, mcp.servers,
tools.mcp.servers, mcp, mcp_servers or context_servers, or the whole file. There
may be comments and trailing commas. Each becomes a [Server], which has one
field for what the dialects have several words for:

	type, transport              stdio, local, http, streamable-http, remote, sse, sdk, claudeai-proxy
	command, args, cwd           command may be a list; a leading ~ is the home directory
	env, environment             {"K": "V"}, ["K=V"], or "K" and ["K"] to pass variables on
	envFile, env_file            one file or several
	inheritEnv                   pass on all variables
	url, serverUrl, httpUrl, baseUrl, headers, id
	auth, oauth                  none, bearer, apikey, oauth, or an object with a type
	bearer_token_env_var         the variable that holds a token
	enabled, disabled, required, lazy
	timeout, connectTimeout      "30s", or a number: seconds below 1000, milliseconds from there on
	timeout_seconds, tool_timeout_sec, startup_timeout_sec
	max_retries
	includeTools, allowedTools, enabled_tools, tools, toolFilter.include
	excludeTools, blockedTools, disabledTools, disabled_tools, toolFilter.exclude
	alwaysAllow, autoApprove, trust
	title, description

A url without a type is tried as Streamable HTTP, then as SSE. Lists of tools
hold globs; what is excluded stays so, and an empty list of what is included
includes nothing. What is not on this list is kept in Extra, with a warning.

# Variables

${V}, ${V:-default}, ${env:V}, ${env:V | value:default}, $env:V and ${input:id}
are replaced when the server is started, by [Server.Expand]. A bare $V is left
alone. What somebody is to enter for ${input:id}, the list under inputs says;
see [Config.Input].

# What is wrong

An entry that cannot be used is a [Problem] that names file, line, server and
field, and its siblings are loaded: with both or neither of a command and a URL, of an
unknown type, with a key that is there twice, with a line break in a header, or
with authorization for a program. A variable that is not set, or an input that
nobody answers, is an error of Expand.

# Secrets

No value is part of any error. [Server.Public] returns what can be shown of a
server, and [Server.Hide] takes its secrets out of a text.

# Concurrency

All functions may be called by any number of goroutines at once. A Server is
a plain value, which nobody here changes.
*/
package config
