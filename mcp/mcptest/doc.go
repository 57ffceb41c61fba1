// Package mcptest provides MCP servers for tests of programs that use MCP: agents,
// hosts, and transports.
//
//	func TestAgent(t *testing.T) {
//		server := mcptest.New(t)
//		server.Tool("add", nil, func(c *mcptest.Call) (any, error) {
//			return fmt.Sprint(c.Number("a") + c.Number("b")), nil
//		})
//		agent := NewAgent(server) // an mcp.Transport
//		if got := agent.Ask("What is 2 + 3?"); got != "5" {
//			t.Errorf("agent says %q", got)
//		}
//		server.WantCall("add", map[string]any{"a": 2, "b": 3})
//	}
//
// A [Server] supports every protocol version of both eras. It checks each
// message of the client against the specification and fails the test for a
// violation.
//
// # Ways to reach a server
//
// A Server is an [mcp.Transport] that connects in memory, any number of times.
// [Server.Dialer] returns a dialer for package host. [Server.StartHTTP] serves Streamable HTTP and
// HTTP+SSE on a loopback socket or in memory, and [Server.Handler] returns the
// http.Handler. For stdio, the test binary is the program: call [Main] in
// TestMain and pass the result of [Command] to the code under test.
//
// # Inside a function
//
// The functions of tools, resources and prompts receive a [Call]. Through it they
// read arguments, report progress, send log messages, and ask the client for
// roots, a model's answer or the user's. They may ask the client at any time: in
// protocol versions in which servers send no requests, the Call waits until the
// client repeats its request with the answer.
//
// A tool whose definition has TaskSupport becomes a task if the client supports
// tasks.
//
// # Faults
//
// [Server.Inject] makes the server fail as real servers do: see [Drop], [Delay],
// [Crash], [LoseSession], [Malformed], [Flood], [Expire], [Refuse] and [Respond].
//
// The methods of a [Skill] falsify its entry or its files.
//
// # Logins
//
// [NewAuthServer] returns an authorization server that behaves like a provider, such as
// Entra ID or Keycloak, and that agrees to logins. [AuthServer.Protect] puts it in front of
// a handler. It forgets clients, expires tokens, refuses and falls silent on demand.
//
// # End
//
// The server ends with the test. It fails the test if a function is still running
// 10 s later. A function that panics fails the test, and the client receives an
// error.
//
// # Concurrency
//
// Servers share nothing, so tests may run in parallel. All methods are safe for
// concurrent use; exported fields may be changed until the first connection. A
// Server can run in a testing/synctest bubble in which it was created: in memory
// and over HTTP with HTTPOptions.InMemory, but not as a program.
package mcptest
