package main

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// A trusted describes a line of the file of entries that the user trusts.
type trusted struct {
	hash, path, name string
	line             string
}

// trustedEntries returns the entries that the user trusts, oldest first.
func trustedEntries() (all []trusted) {
	for _, line := range readTrusted() {
		hash, rest, _ := strings.Cut(line, " ")
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			continue
		}
		path, err1 := strconv.Unquote(quoted)
		name, err2 := strconv.Unquote(strings.TrimPrefix(rest[len(quoted):], " "))
		if err1 == nil && err2 == nil {
			all = append(all, trusted{hash, path, name, line})
		}
	}
	return all
}

// runTrust trusts a server of the project, lists those that are trusted, or
// revokes the trust.
func runTrust(_ context.Context, c *invocation) error {
	cfg := config.Load(".", c.flags.config...)
	if len(c.args) == 0 {
		if c.flags.revoke {
			return c.usageHint("trust --revoke needs NAME", "for a list, type: "+c.paste([]string{"trust"}))
		}
		return c.listTrusted()
	}
	name := c.args[0]
	if c.flags.noState {
		return c.usageHint("trust keeps its answer in a file, which --no-state excludes",
			"to use the server without it, type: "+c.paste([]string{"tools", name, "--no-state", "-c", ".mcp.json"}))
	}
	if c.flags.revoke {
		return c.revokeTrust(name)
	}
	e := cfg.Server(name)
	switch {
	case e == nil:
		known := serverNames(cfg)
		return c.usageHint("no server is configured as "+strconv.Quote(name)+didYouMean(name, known),
			c.didMean(name, known, "for a list, type: "+c.paste([]string{"servers"})))
	case e.Scope != "project":
		return c.print(escapeName(name) + " is in " + escapeName(e.Source) + ", which needs no trust.\n")
	}
	if err := rememberTrust(e); err != nil {
		return localFailure(err)
	}
	text := "Trusted " + escapeName(name) + " in " + escapeName(e.Source) + ". Until its entry changes, mcpecho\n"
	for _, effect := range e.Effects() {
		text += "  " + escapeName(effect) + "\n"
	}
	return c.print(text + "To revoke it, type: " + c.paste([]string{"trust", "--revoke", name}) + "\n")
}

// listTrusted prints the entries that are trusted.
func (c *invocation) listTrusted() error {
	all := trustedEntries()
	if c.flags.json {
		b := []byte(`{"trusted":[`)
		for _, t := range all {
			b = append(wire.AppendComma(b), '{')
			b = wire.AppendString(wire.AppendKey(b, "name"), t.name)
			b = append(wire.AppendString(wire.AppendKey(b, "file"), t.path), '}')
		}
		return c.printJSON(append(b, "]}"...))
	}
	if len(all) == 0 && !c.flags.quiet {
		(&console{w: c.stderr}).line("You trust no servers of projects.")
	}
	rows := make([]row, len(all))
	for i, t := range all {
		state := "as it was"
		if _, err := os.Stat(t.path); err != nil {
			state = "the file is gone"
		} else if e := config.LoadFile(t.path).Server(t.name); e == nil {
			state = "the entry is gone"
		}
		rows[i] = row{name: t.name, description: t.path, rest: state}
	}
	return c.print(c.table(row{name: "NAME", description: "FILE", rest: "ENTRY"}, rows))
}

// revokeTrust forgets an entry of the current folder, or else all of that name.
func (c *invocation) revokeTrust(name string) error {
	path, err := trustFile()
	if err != nil {
		return localFailure(err)
	}
	all := trustedEntries()
	here := slices.ContainsFunc(all, func(t trusted) bool { return t.name == name && isHere(t.path) })
	var kept, names []string
	for _, t := range all {
		names = append(names, t.name)
		if t.name == name && (!here || isHere(t.path)) {
			continue
		}
		kept = append(kept, t.line)
	}
	if len(kept) == len(all) {
		return c.usageHint("no server "+strconv.Quote(name)+" is trusted"+didYouMean(name, names), c.didMean(name, names, "for a list, type: "+c.paste([]string{"trust"})))
	}
	if err := writeTrusted(path, kept); err != nil {
		return localFailure(err)
	}
	return c.print("Revoked the trust in " + escapeName(name) + ".\n")
}

// isHere reports whether path is the file of the current project.
func isHere(path string) bool {
	here, err1 := os.Stat(".mcp.json")
	there, err2 := os.Stat(path)
	return err1 == nil && err2 == nil && os.SameFile(here, there)
}
