package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/watchfiles"
	"github.com/stdmcp/stdmcp/internal/servercheck"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// watchCheck checks the server, and again whenever its files change, until it is
// interrupted.
func (c *invocation) watchCheck(ctx context.Context) error {
	w, err := c.watcher()
	if err != nil {
		return err
	}
	if n, _ := w.Files(); n == 0 {
		return c.usage("--watch needs the files of the server, of which its command names none: add a PATH")
	}
	endless := *c.command
	endless.endless = true
	c.command = &endless
	ticker := time.NewTicker(watchfiles.Interval)
	defer ticker.Stop()
	return c.checkAgain(ctx, w, ticker.C)
}

// watcher returns a Watcher of the files that the server's command names, and of the
// paths that the user names.
func (c *invocation) watcher() (*watchfiles.Watcher, error) {
	var command []string
	dir := c.flags.Dir
	switch {
	case c.server != nil:
		command = c.server
	case c.entry != nil && c.entry.Type == config.Stdio:
		command = append([]string{c.entry.Command}, c.entry.Args...)
		if dir == "" {
			dir = c.entry.Dir
		}
	}
	for _, path := range c.args {
		if _, err := os.Stat(path); err != nil {
			return nil, failure.Local(err)
		}
	}
	return watchfiles.New(watchfiles.Named(dir, command...), c.args), nil
}

// checkAgain checks the server and waits for changes of its files by turns. After the
// first time it prints what differs.
func (c *invocation) checkAgain(ctx context.Context, w *watchfiles.Watcher, ticks <-chan time.Time) error {
	console := c.console()
	note := func(line string) {
		if !c.flags.Quiet {
			console.Line(c.folded(line))
		}
	}
	n, more := w.Files()
	text := "Watching " + terminal.Count(n, "file")
	if more {
		text += " of more"
	}
	text += ". Press Ctrl-C to end."
	var before []checked
	failed := ""
	for first := true; ; first = false {
		all, err := c.checkAll(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && failure.Classify(err).Message != failed:
			failed = failure.Classify(err).Message
			c.report(ctx, err)
		case err == nil:
			if failed != "" {
				note("The server works again.")
			}
			if err := c.printChanged(all, before); err != nil {
				return err
			}
			before, failed = all, ""
		}
		if first {
			note(text)
		}
		changed, err := w.Wait(ctx, ticks)
		if err != nil {
			return err
		}
		note(changedFiles(changed) + " changed.")
	}
}

// changedFiles names the first of the files that changed.
func changedFiles(paths []string) string {
	const most = 3
	names := make([]string, 0, most)
	for _, path := range paths[:min(most, len(paths))] {
		names = append(names, terminal.EscapeName(filepath.Base(path)))
	}
	text := strings.Join(names, ", ")
	if n := len(paths) - len(names); n > 0 {
		text += " and " + terminal.Count(n, "other file")
	}
	return text
}

// printChanged prints the results that differ from those before.
func (c *invocation) printChanged(all, before []checked) error {
	text := changedText(all, before, c.checkWidth())
	switch {
	case text == "":
		return nil
	case c.flags.JSON || c.flags.Output != "":
		return c.printCheck(all)
	}
	return c.write(c.shown(text))
}

// changedText describes what differs: new findings, and those that are gone.
func changedText(all, before []checked, width int) string {
	var b bytes.Buffer
	for _, old := range before {
		if old.err == nil && find(all, old) == nil {
			b.WriteString(wayName(old.way) + ", " + old.version + ": does not work any more\n")
		}
	}
	for _, one := range all {
		switch old := find(before, one); {
		case one.err != nil:
		case old == nil:
			b.WriteString(checkText([]checked{one}, width))
		default:
			lines := ""
			for _, f := range old.found {
				if !contains(one.found, f) {
					lines += findingLine("fixed", f, width)
				}
			}
			for _, f := range one.found {
				if !contains(old.found, f) {
					lines += findingLine(severity(f), f, width)
				}
			}
			if lines != "" {
				b.WriteString(wayName(one.way) + ", " + one.version + ":\n" + lines)
			}
		}
	}
	return b.String()
}

// contains reports whether a finding is among others, whose numbers may differ: some are
// times.
func contains(all []servercheck.Finding, one servercheck.Finding) bool {
	withoutNumbers := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == '.' || '0' <= r && r <= '9' {
				return -1
			}
			return r
		}, s)
	}
	return slices.ContainsFunc(all, func(f servercheck.Finding) bool {
		return f.Where == one.Where && f.Warning == one.Warning && withoutNumbers(f.What) == withoutNumbers(one.What)
	})
}

// find returns the result over the transport and with the protocol version of one, or
// nil.
func find(all []checked, one checked) *checked {
	at := slices.IndexFunc(all, func(other checked) bool {
		return other.err == nil && other.way == one.way && other.version == one.version
	})
	if at < 0 {
		return nil
	}
	return &all[at]
}
