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

// An environment is what a run of the program needs from outside.
type environment struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	self           string      // path of this program, which the tour starts
	name           string      // the command that the user types to start it
	interrupts     *interrupts // decides what Ctrl-C does; nil means that it ends the program
}

// An invocation is a run of one command.
type invocation struct {
	*environment
	command *command
	flags   flags
	target  string           // the TARGET; empty if server is set
	entry   *config.Server   // the configured server that target names, or nil
	inputs  *inputs          // values that the configuration asks the user for
	server  []string         // the command after --; nil without it
	args    []string         // the other arguments
	typed   []string         // the whole command line
	traced  bool             // the --trace file has been created
	auth    *oauth.Transport // sends the tokens of a login; nil without one

	otherTransport mcp.Transport // to a URL whose transport the user has chosen; nil without a choice

	recorder *recorder // of --record; nil without it

	shell *shell // the session that runs the command; nil outside of a shell

	onLog func(*mcp.LogMessage) // receives the server's logs; nil means standard error
}

// environ returns the environment variables.
func (e *environment) environ() []string { return os.Environ() }

// run executes the command line args and returns the exit status.
func run(ctx context.Context, args []string, e *environment) int {
	c, err := parse(e, args)
	if err == nil {
		err = c.command.run(ctx, c)
	}
	return c.report(ctx, err)
}

// typedName returns the command with which the user can start the program again.
// A program that "go run" built is in a temporary directory or in Go's cache.
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
