// Package testserver is an MCP server made for trying clients: it speaks every
// revision, offers something of every kind, misbehaves on request, and judges
// what it receives. Tests, fuzzing and "mcpecho serve" use it.
//
// # A judge, not a mirror
//
// The server decodes what a client sends on its own, by the specification, and
// shares nothing with the client but the JSON reader of internal/wire. What the
// specification forbids a client to send gets the error that the specification
// asks for, and is remembered: a test of a correct client ends with
//
//	if v := server.Violations(); v != nil {
//		t.Error(v)
//	}
//
// # Ways to run it
//
// In the test's process, on an in-memory connection:
//
//	server := testserver.New(&testserver.Options{PageSize: 2})
//	conn := server.Pipe() // the client's end
//	defer conn.Close()
//
// As a child process, which is the test binary itself: TestMain calls [Main]
// before anything else, and [Command] says how to start it.
//
// On any other transport: [Server.NewSession] gives the conversation without a
// byte stream; see [Session.Handle].
//
// Where even a misbehaving server is too well behaved, a [Script] answers raw
// lines with raw bytes.
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
// must not leak to. It answers like the first and records every request; see
// [HTTPServer.Foreign].
//
// # Faults
//
// [Faults] lists what the server can do wrong; [Options.Fault] selects a fault.
// Most faults affect calls of the tool echo, so that a test can check that other
// calls still work.
//
// # Concurrency
//
// All methods may be called from any number of goroutines. Timers and channels
// are the only things that the server waits for, so that it can run in a
// testing/synctest bubble.
package testserver
