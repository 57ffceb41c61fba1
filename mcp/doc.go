// Package mcp is a client for the Model Context Protocol (MCP), by which
// servers offer tools, resources and prompts to programs that use a language
// model.
//
//	client, err := mcp.Connect(ctx, stdio.Command("npx", "-y", "@modelcontextprotocol/server-everything", "stdio"), nil)
//	if err != nil {
//		return err
//	}
//	defer client.Close()
//	res, err := client.CallTool(ctx, "echo", map[string]any{"message": "hi"})
//	if err != nil {
//		return err
//	}
//	fmt.Println(res.Text())
//
// Version 1.0 freezes the Go API of the whole module. What follows other products may
// change in a minor version: the file formats that package config reads and writes,
// the formats of package schema, and the names of profiles of package mcptest.
//
// # Transports
//
// A [Transport] opens connections to a server. Package stdio starts the server as
// a subprocess or uses an existing stream, packages streamhttp and sse connect to
// a URL, and [FirstOf] tries several transports. Package oauth adds
// authorization, and package host manages many servers for an agent.
//
// # Protocol versions
//
// The client supports all protocol versions from 2024-11-05 to 2026-07-28.
// Versions before 2026-07-28, which begin with an initialize request, are the
// legacy era; 2026-07-28, which has neither initialize nor sessions, begins the
// modern era. [Connect] determines the server's era, and
// [Options].ProtocolVersions restricts the choice. The API is the same in both
// eras.
//
// # Requests from servers
//
// A server may request the program's [Roots], its model ([Sampling]) or its
// user ([Elicitation]). [Options].Handlers answer these requests. The client
// declares the capabilities of its handlers and refuses every other request. A
// handler serves both eras: a legacy server sends a request, and a modern
// server returns a result that requires input.
//
// # Tasks
//
// A server may create a task for a call and respond before the work is done. If
// [Tasks] is among the handlers, [Client.CallTool] waits until the task ends,
// and [Client.StartTool] returns a handle that another process can resume.
//
// # Changes
//
// [Client.Subscribe] and the handler [Changes] report changes to lists and
// resources. [Options].Log receives the server's log messages.
//
// # Options of calls
//
// [ToolCall] has the progress, the timeout, the _meta and the HTTP headers of one
// call of a tool. [Client.With] returns a client whose calls all have them.
//
// # Interception
//
// [Options].Interceptors wraps each request, for tracing, audits and permissions.
// Package jsonschema has an interceptor that validates the results of tools.
// [Options].Trace observes messages, retries and panics.
//
// # Results
//
// The client keeps everything that a server sends. Schemas, structured content
// and _meta hold the bytes received, Extra holds members without a field of
// their own, and Content.Raw holds content of an unknown type. All protocol
// types implement json.Marshaler and json.Unmarshaler. [Tool], [Content] and
// [CallToolResult] are printed as JSON; marshal the others to print them.
//
// The client reads JSON strictly: keys are case-sensitive and must not occur
// twice, and text must be valid UTF-8. An object may have 512 members, and all
// lists of a result together 131,072 elements.
//
// # Errors
//
// If a tool fails, its result has IsError set and the call returns no error. A
// call that fails returns a *[CallError], which names the server, the method
// and the tool. It wraps a *[jsonrpc.Error] if the server responded with an
// error; otherwise it matches an error variable of this package or of package
// context, or wraps an error of the transport.
//
// If a context ends a call, the error matches the cause of the context and its
// Err. After Close, every method returns an error that matches [ErrClosed].
//
// # Capabilities
//
// If a server does not declare what a method needs, a list or a completion is empty
// and nothing is sent. A list of tasks fails with [errors.ErrUnsupported], as a server
// may have tasks without a list. Every other request is sent all the same, and the
// server refuses what it does not have. The methods say which of these they do.
//
// # Options
//
// In all options of this module, zero is the default, and a negative number turns
// the limit or the feature off; where neither is possible, it means the default, too.
//
// # Embedding
//
// The protocol types have the methods MarshalJSON and UnmarshalJSON, and some have
// Format. A struct that embeds one of them is encoded, decoded and printed as the
// embedded value alone: its other fields are missing. Use a named field, or give
// the struct methods of its own:
//
//	type listed struct {
//		Tool   mcp.Tool `json:"tool"` // and not: mcp.Tool
//		Server string   `json:"server"`
//	}
//
// The same holds for types of other packages that print no secrets, as they have
// Format and MarshalText: Options of streamhttp, sse and oauth, oauth.Client,
// stdio.Transport. A struct that embeds a [Transport] or a jsonrpc.Conn keeps what
// they can do.
//
// # Timeouts
//
// Every call ends: with its response, its context, [Options].Timeout or
// MaxTimeout, or the connection. When its context or timeout ends a call, the
// client asks the server to cancel it.
//
// # Concurrency
//
// Multiple goroutines may use a [Client] at once. Handlers, Options.Log and
// ToolCall.Progress do not run on the goroutine that reads messages, so they
// may call the client; they must not wait for each other. The functions of a
// [Trace] may run on that goroutine and must not call the client. Close cancels
// the contexts that handlers and Log receive.
package mcp
