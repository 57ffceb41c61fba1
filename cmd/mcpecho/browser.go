package main

import (
	"context"
	"os/exec"

	"github.com/stdmcp/stdmcp/mcp/oauth"
)

// browse opens a page in the user's browser. It must be one of http or https,
// which no program takes for a flag.
func (e *environment) browse(ctx context.Context, page string) error {
	browser := e.getenv("BROWSER")
	if browser == "" {
		return oauth.OpenBrowser(ctx, page)
	}
	cmd := exec.Command(browser, page)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // ends with the browser, or the program
	return nil
}
