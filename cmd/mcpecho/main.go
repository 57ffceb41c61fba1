// Command mcpecho calls MCP servers from a shell or a script, and is an echo
// server for trying out clients. Without arguments it gives a tour of both.
//
// The target is a URL, the name of a server in .mcp.json, or a command after --
// that starts a server:
//
//	mcpecho tools -- npx -y @modelcontextprotocol/server-everything stdio
//	mcpecho call https://example.com/mcp echo message=hi
//	mcpecho info weather
//	mcpecho serve --http 127.0.0.1:3001
//
// The result goes to standard output and everything else to standard error.
// With --json the result is the object that the specification defines, and an
// error is a JSON object on one line of standard error. The exit status is 0 for
// success, 1 for wrong usage or a file error, 3 for missing authorization, 4 for a
// server that is unreachable, crashed or timed out, 5 for a request that the
// server or the tool refused, and 130 after an interrupt.
//
// "mcpecho help" lists the commands, and "mcpecho help COMMAND" has examples.
package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

func main() {
	// The first signal cancels the command, unless a shell uses it; the second one
	// kills the program, even if it arrives together with the first. A terminal that is
	// closed may send several.
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	interrupts := &interrupts{signals: signals}
	signal.Notify(signals, append(hangups(), os.Interrupt, syscall.SIGTERM)...)
	go func() { // ends with the program
		for s := range signals {
			if s != os.Interrupt || !interrupts.handled() {
				break
			}
		}
		signal.Reset(os.Interrupt, syscall.SIGTERM)
		cancel()
		for s := range signals {
			if !slices.Contains(hangups(), s) {
				os.Exit(statusInterrupted)
			}
		}
	}()

	ignoreBrokenPipe()

	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	status := run(ctx, os.Args[1:], &environment{
		stdin:  os.Stdin,
		stdout: os.Stdout,
		stderr: os.Stderr,
		getenv: os.Getenv,
		self:   self,
		name:   typedName(os.Args[0]),

		interrupts: interrupts,
	})
	interrupts.close()
	os.Exit(status)
}
