package main

import (
	"context"
	"os"
	"os/exec"
	"strings"

	"github.com/stdmcp/stdmcp/internal/batch"
	"github.com/stdmcp/stdmcp/internal/browser"
	"github.com/stdmcp/stdmcp/mcp/oauth"
)

// browse opens a page in the user's browser. The URL must be http or https, so
// that no browser takes it for a flag.
func (e *environment) browse(ctx context.Context, page string) error {
	commands := browserCommands(e.getenv("BROWSER"), page)
	if len(commands) == 0 {
		return oauth.OpenBrowser(ctx, page)
	}
	var err error
	for _, args := range commands {
		if err = startBrowser(ctx, exec.Command(args[0], args[1:]...)); err == nil || ctx.Err() != nil {
			break
		}
	}
	return err
}

func startBrowser(ctx context.Context, cmd *exec.Cmd) error {
	if err := batch.Prepare(cmd); err != nil {
		return err
	}
	return browser.Start(ctx, cmd)
}

// browserCommands returns the commands in the variable BROWSER, as xdg-open reads it: the
// first browser that works opens the page, which replaces %s or becomes the last
// argument. As in PATH, colons separate browsers, or semicolons on Windows. The name of a
// program may contain spaces; in arguments, quotes protect them.
func browserCommands(variable, page string) (commands [][]string) {
	for _, entry := range strings.Split(variable, string(os.PathListSeparator)) {
		words := []string{entry}
		if _, err := exec.LookPath(entry); err != nil {
			words = nil
			lines, _ := splitLine(entry)
			for _, line := range lines {
				for _, w := range line {
					words = append(words, w.text)
				}
			}
		}
		if len(words) == 0 {
			continue
		}
		replaced := false
		for i, w := range words[1:] {
			replaced = replaced || strings.Contains(w, "%s")
			words[1+i] = strings.NewReplacer("%%", "%", "%s", page).Replace(w)
		}
		if !replaced {
			words = append(words, page)
		}
		commands = append(commands, words)
	}
	return commands
}
