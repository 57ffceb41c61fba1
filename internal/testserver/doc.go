// Package testserver is an MCP server for testing clients. It speaks every
// protocol version, offers features of every kind, misbehaves on request, and
// validates what it receives. Tests, fuzzing and "mcpecho serve" use it.
//
// # Validation
//
// The server decodes messages by the specification and shares only the JSON
// reader of internal/wire with the client. It responds to what the specification
// forbids with the error that the specification requires, and records it. The
// test of a correct client ends with
//
//	if v := server.Violations(); v != nil {
//		t.Error(v)
//	}
//
// # Ways to run it
//
// In the process of the test, with an in-memory connection:
//
//	server := testserver.New(&testserver.Options{PageSize: 2})
//	conn := server.Pipe() // the client's end
//	defer conn.Close()
//
// As a child process, which is the test binary itself: see package childserver.
//
// Over any other transport: [Server.NewSession] returns a session without a byte
// stream; see [Session.Handle].
//
// A [Script] responds to raw lines with raw bytes, for what no fault covers.
//
// # HTTP
//
// [NewHandler] returns an http.Handler with Streamable HTTP of every protocol
// version at /mcp, and HTTP+SSE of 2024-11-05 at /sse and /message. [StartHTTP]
// serves one on a loopback socket or, for synctest bubbles, in memory:
//
//	server := testserver.New(nil)
//	web, err := testserver.StartHTTP(server, &testserver.HTTPOptions{Answers: testserver.Stream})
//	…
//	defer web.Close()
//	client := streamhttp.New(web.URL, &streamhttp.Options{Client: web.Client()})
//	…
//	if leaks := web.Leaks(); leaks != nil { // after the client has closed
//		t.Error(leaks)
//	}
//
// StartHTTP also runs a second server, which stands for an origin that requests
// must not leak to. It records every request; see [HTTPServer.Elsewhere].
//
// # Faults
//
// [Faults] lists what the server can do wrong; [Options.Fault] selects a fault.
// Most faults affect calls of the tool echo, so that a test can check that other
// calls still work.
//
// # Concurrency
//
// All methods are safe for concurrent use. The server waits only for timers and
// channels, so that it can run in a testing/synctest bubble.
package testserver
