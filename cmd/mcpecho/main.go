// Command mcpecho talks to MCP servers from a shell or a script, and is an
// echo server to try clients on. Without arguments it gives a tour of both;
// "mcpecho help" says what else it does.
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

	survivePipes()

	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	os.Exit(run(ctx, os.Args[1:], &world{
		stdin:  os.Stdin,
		stdout: os.Stdout,
		stderr: os.Stderr,
		getenv: os.Getenv,
		self:   self,
		name:   typedName(os.Args[0]),
	}))
}
