package main

import (
	"context"
	"os/exec"

	"github.com/stdmcp/stdmcp/internal/batch"
	"github.com/stdmcp/stdmcp/mcp/oauth"
)

// browse opens a page in the user's browser. The URL must be http or https, so
// that no browser takes it for a flag.
func (e *environment) browse(ctx context.Context, page string) error {
	browser := e.getenv("BROWSER")
	if browser == "" {
		return oauth.OpenBrowser(ctx, page)
	}
	cmd := exec.Command(browser, page)
	if err := batch.Prepare(cmd); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // ends with the browser, or the program
	return nil
}
