package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/oauth"
)

// A world is what surrounds a run of the command.
type environment struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	self           string // the file of this program, which the tour starts
	name           string // what the user types to start it
}

// An invocation is a run of one command.
type invocation struct {
	*environment
	command *command
	flags   flags
	target  string           // the TARGET; empty when server is given
	entry   *config.Server   // the configured server that target names, or nil
	inputs  *inputs          // what its entry leaves to the user
	server  []string         // what follows --; nil without it
	args    []string         // the other arguments
	traced  bool             // --trace has begun its file
	auth    *oauth.Transport // sends the tokens of a login; nil without one

	onLog func(*mcp.LogMessage) // gets the server's logs in place of standard error, unless nil
}

// run carries out the command line args and returns the exit status.
func run(ctx context.Context, args []string, e *environment) int {
	c, err := parse(e, args)
	if err == nil {
		err = c.command.run(ctx, c)
	}
	return c.report(ctx, err)
}

// typedName returns how a user would call the program again. What "go run" has
// built is in a folder that is gone when the user reads it, or in Go's cache.
func typedName(arg0 string) string {
	digits, cached := strings.CutSuffix(filepath.Base(filepath.Dir(arg0)), "-d")
	cached = cached && len(digits) == 64 && strings.Trim(digits, "0123456789abcdef") == ""
	if !cached && !strings.Contains(arg0, "go-build") {
		return arg0
	}
	if _, err := os.Stat("cmd/mcpecho"); err == nil {
		return "go run ./cmd/mcpecho"
	}
	return "go run github.com/stdmcp/stdmcp/cmd/mcpecho@latest"
}
