package main

import (
	"context"

	"github.com/stdmcp/stdmcp/internal/testserver"
)

// runServe is the echo server. It ends with its input, as the specification
// asks of servers on standard input and output, or with ctx.
func runServe(ctx context.Context, c *invocation) error {
	o := new(testserver.Options)
	if c.flags.protocol != "" {
		o.Revisions = []string{c.flags.protocol}
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
