package main

import (
	"context"
	"io"
	"strings"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/oauth"
)

// A world is what surrounds a run of the command.
type world struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	self           string // the file of this program, which the tour starts
	name           string // what the user types to start it
}

// An invocation is a run of one command.
type invocation struct {
	*world
	command *command
	flags   flags
	target  string           // the TARGET; empty when server is given
	entry   *config.Server   // the configured server that target names, or nil
	server  []string         // what follows --; nil without it
	args    []string         // the other arguments
	traced  bool             // --trace has begun its file
	auth    *oauth.Transport // sends the tokens of a login; nil without one

	onLog func(*mcp.LogMessage) // gets the server's logs in place of standard error, unless nil
}

// run carries out the command line args and returns the exit status.
func run(ctx context.Context, args []string, w *world) int {
	c, err := parse(w, args)
	if err == nil {
		err = c.command.run(ctx, c)
	}
	return c.report(ctx, err)
}

// typedName returns how a user would call the program again. What "go run"
// has built is gone when the user reads it.
func typedName(arg0 string) string {
	if strings.Contains(arg0, "go-build") {
		return "go run ./cmd/mcpecho"
	}
	return arg0
}
