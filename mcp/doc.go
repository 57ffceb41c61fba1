// Package mcp is a client for servers that speak the Model Context Protocol
// (MCP), which offer tools, resources and prompts to programs with a language
// model in them.
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
// A [Transport] says how to reach a server: package stdio starts it as a
// subprocess or speaks over a stream that the program has, packages streamhttp
// and sse reach it at a URL, and [FirstOf] finds out which of the two. It is a
// recipe that is opened by [Connect]. Package oauth logs in where a server asks
// for it, and package host keeps many servers for an agent.
//
// # Protocol revisions
//
// The client speaks all revisions from 2024-11-05 to 2026-07-28. The last one
// did away with sessions and the initialize request, and [Connect] finds out
// which of the two kinds a server is of; [Options].ProtocolVersions narrows the choice.
// What a program sees is the same in both.
//
// # What servers ask for
//
// [Options].Handlers answer servers that want to know the program's [Roots], to
// ask its model ([Sampling]) or its user ([Elicitation]), or to make tasks of
// calls ([Tasks]). What has no handler is not declared to servers, refused if
// they ask for it all the same, and not linked.
//
// # What servers ask for
//
// [Options].Handlers has a value for each thing that a program does for
// servers, such as [Roots], [Sampling], [Elicitation] and [Tasks]. It is declared
// to them; anything else is refused. One set of handlers serves both kinds of
// servers, those that send requests and those whose results ask for input.
//
// # Tasks
//
// A server may make a task of a call and go on with it beyond its answer. With
// Tasks among the handlers, [Client.CallTool] waits for its end, and
// [Client.StartTool] returns a handle that can be saved, for another process.
//
// # Changes
//
// [Client.Subscribe] tells of lists and resources that have changed. Log messages
// go to [Options].Log.
//
// # Around every request
//
// [Options].Intercept is called in place of each request being sent, for spans,
// audits and permissions; package jsonschema has one that checks what tools
// return. [Options].Trace sees the messages as they are.
//
// # Results
//
// What a server sends is kept: schemas, structured content and _meta are the
// very bytes received, members that a type has no field for are in its Extra,
// and content of a kind that the library doesn't know is in Content.Raw. Every
// protocol type implements json.Marshaler and json.Unmarshaler.
//
// JSON is read strictly: keys are compared exactly, may not occur twice, and
// text must be valid UTF-8.
//
// # Errors
//
// A tool that fails says so in its result, with IsError. Errors of calls are
// of type *[CallError], which says server, method and tool. What the server
// answered is in it as a *[jsonrpc.Error]; errors of this side are the
// variables of this package and those of package context, for errors.Is.
//
// # Time
//
// Every call ends: by its answer, its context, [Options].Timeout, or the end of
// the connection. A call that is given up is cancelled at the server.
//
// # Concurrency
//
// A [Client] may be used by any number of goroutines at once. It runs the
// functions given to it, but for Options.Dropped and Options.Trace, away from
// the goroutines that read, so they may use the client. They must not wait
// for each other. A context given to a function is cancelled by Close.
package mcp
