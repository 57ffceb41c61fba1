// Package mcp is a client for the Model Context Protocol (MCP), in which servers
// offer tools, resources and prompts to programs with a language model.
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
// # Transports
//
// A [Transport] opens connections to a server. Package stdio starts the server as
// a subprocess or uses an existing stream, packages streamhttp and sse connect to
// a URL, and [FirstOf] tries several transports. Package oauth adds
// authorization, and package host manages many servers for an agent.
//
// # Protocol versions
//
// The client supports all protocol versions from 2024-11-05 to 2026-07-28. The
// latest one has neither sessions nor an initialize request: it begins the modern
// era, the versions before are the legacy era. [Connect] determines the era of the
// server; [Options].ProtocolVersions restricts the choice. The API is the same in
// both eras.
//
// # Requests of servers
//
// [Options].Handlers answer the requests of servers, such as [Roots], [Sampling]
// and [Elicitation]. The client declares their capabilities to servers and refuses
// all other requests. A handler serves both eras: servers that send requests, and
// servers whose results require input.
//
// # Tasks
//
// A server may create a task for a call and respond before the work is done. With
// [Tasks] among the handlers, [Client.CallTool] waits for the end of the task, and
// [Client.StartTool] returns a handle that can be saved for another process.
//
// # Changes
//
// [Client.Subscribe] reports changes of lists and resources. Log messages go to
// [Options].Log.
//
// # Interception
//
// The client calls [Options].Intercept for each request, for spans, audits and
// permissions; package jsonschema has an interceptor that checks the results of
// tools. [Options].Trace observes messages, retries and panics.
//
// # Results
//
// The client keeps what a server sends. Schemas, structured content and _meta are
// the bytes received, members without a field of their own are in Extra, and
// content of an unknown type is in Content.Raw. Every protocol type that methods
// take or return implements json.Marshaler and json.Unmarshaler.
//
// The client reads JSON strictly: keys are case-sensitive and must not occur
// twice, and text must be valid UTF-8.
//
// # Errors
//
// If a tool fails, its result has IsError set. The errors of calls are of type
// *[CallError], which contains the server, the method and the tool. An error
// response of the server is a *[jsonrpc.Error] in it. Errors of the client match
// the variables of this package and of package context with errors.Is.
//
// # Timeouts
//
// Every call ends: by its response, its context, [Options].Timeout, or the end of
// the connection. The client cancels an abandoned call at the server.
//
// # Concurrency
//
// A [Client] may be used by any number of goroutines. It calls the functions of
// the program on goroutines that do not read, so these functions may use the
// client, but must not wait for each other. The functions of Options.Trace are an
// exception. Close cancels the contexts of these functions.
package mcp
