// Command mcpecho talks to MCP servers from a shell or a script, and is an
// echo server to try clients on. Without arguments it gives a tour of both.
//
// What starts a server goes after --; one that runs has a URL, and one that is
// configured in .mcp.json a name:
//
//	mcpecho tools -- npx -y @modelcontextprotocol/server-everything stdio
//	mcpecho call https://example.com/mcp echo message=hi
//	mcpecho info weather
//	mcpecho serve --http 127.0.0.1:3001
//
// The result goes to standard output and everything else to standard error.
// With --json the result is the object of the specification, and so is, on one
// line, an error. The exit status says what went wrong: 1 how it was called, 3
// authorization, 4 the server or the way to it, 5 what was asked of the server,
// 130 that it was interrupted.
//
// "mcpecho help" lists the commands, and "mcpecho help COMMAND" has examples.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// The first signal ends what is under way in good order, the second one
	// ends the program.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)

	ignoreBrokenPipe()

	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	os.Exit(run(ctx, os.Args[1:], &environment{
		stdin:  os.Stdin,
		stdout: os.Stdout,
		stderr: os.Stderr,
		getenv: os.Getenv,
		self:   self,
		name:   typedName(os.Args[0]),
	}))
}
