package main

import (
	"context"
	"io"

	"github.com/stdmcp/stdmcp/internal/testserver"
)

// runServe is the echo server. It ends with its input, as the specification
// asks of servers on standard input and output, or with ctx.
func runServe(ctx context.Context, c *invocation) error {
	o := new(testserver.Options)
	if c.flags.protocol != "" {
		o.Revisions = []string{c.flags.protocol}
	}
	if c.isTerminal(c.stdin) {
		_, _ = io.WriteString(c.stderr, "This is an MCP server: it waits for the messages of a client, a line of JSON each.\n"+
			"Ctrl-D ends it. To talk to it: "+c.name+" tools -- "+c.name+" serve\n")
	}
	done := make(chan error, 1)
	go func() { done <- testserver.New(o).Serve(c.stdin, c.stdout) }() // ends with the input, or the program
	select {
	case err := <-done:
		if err != nil {
			return localFailure(&outputError{err})
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
