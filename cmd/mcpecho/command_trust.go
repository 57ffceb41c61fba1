package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/state"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// runTrust trusts servers of the project, lists those that are trusted, or
// revokes the trust.
func runTrust(_ context.Context, c *invocation) error {
	cfg := c.loadAll()
	if len(c.args) == 0 {
		if c.flags.Revoke {
			return c.usageHint("trust --revoke needs NAME", c.toType("for a list, ", cmdline.Words("trust")))
		}
		return c.listTrusted()
	}
	if c.flags.NoState {
		return c.usageHint("trust keeps its answer in a file, which --no-state excludes",
			c.toType("to use the server without it, ", append(cmdline.Words("tools", c.args[0]), cmdline.Own("--no-state", "-c", ".mcp.json")...)))
	}
	for _, name := range c.args { // an error leaves those before it trusted, as printed
		do := c.trust
		if c.flags.Revoke {
			do = func(_ *config.Config, name string) error { return c.revokeTrust(name) }
		}
		if err := do(cfg, name); err != nil {
			return err
		}
	}
	return nil
}

// trust trusts a server of the project.
func (c *invocation) trust(cfg *config.Config, name string) error {
	e := cfg.Server(name)
	switch {
	case e == nil:
		known := serverNames(cfg)
		message := "no server is configured as " + wire.Quote(name) + failure.DidYouMean(name, known)
		if err := c.explainProblem(cfg, name, message); err != nil {
			return err
		}
		return c.usageHint(message, c.didMean(name, known, c.toType("for a list, ", cmdline.Words("servers"))))
	case e.Scope != "project":
		return c.print(terminal.EscapeName(name) + " is in " + terminal.EscapeName(e.Source) + ", which needs no trust.\n")
	}
	if err := state.Trust(e); err != nil {
		return failure.Local(err)
	}
	text := "Trusted " + terminal.EscapeName(name) + " in " + terminal.EscapeName(e.Source) + ". Until its entry changes, mcpecho" + effects(e, "\n  ") + "\n"
	if revoke := c.toType("To revoke it, ", append(cmdline.Own("trust", "--revoke"), cmdline.Word{Text: name})); revoke != "" {
		text += revoke + "\n"
	}
	return c.print(text)
}

// effects returns what an entry does on this machine, each after before.
func effects(e *config.Server, before string) string {
	var b strings.Builder
	for _, effect := range e.Effects() {
		b.WriteString(before + terminal.EscapeName(effect))
	}
	return b.String()
}

// listTrusted prints the entries that are trusted.
func (c *invocation) listTrusted() error {
	all := state.TrustedEntries()
	if c.flags.JSON {
		b := []byte(`{"trusted":[`)
		for _, t := range all {
			b = append(wire.AppendComma(b), '{')
			b = wire.AppendString(wire.AppendKey(b, "name"), t.Name)
			b = append(wire.AppendString(wire.AppendKey(b, "file"), t.Path), '}')
		}
		return c.printJSON(append(b, "]}"...))
	}
	if len(all) == 0 && !c.flags.Quiet {
		c.console().Line("You trust no servers of projects.")
	}
	rows := make([]terminal.Row, len(all))
	for i, t := range all {
		state := "as it was"
		if _, err := os.Stat(t.Path); err != nil {
			state = "the file is gone"
		} else if e := config.LoadFile(t.Path).Server(t.Name); e == nil {
			state = "the entry is gone"
		}
		rows[i] = terminal.Row{Name: t.Name, Description: t.Path, Rest: state}
	}
	return c.print(c.table(terminal.Row{Name: "NAME", Description: "FILE", Rest: "ENTRY"}, rows))
}

// revokeTrust forgets an entry of the current folder, or else all of that name.
func (c *invocation) revokeTrust(name string) error {
	all := state.TrustedEntries()
	here := slices.ContainsFunc(all, func(t state.Trusted) bool { return t.Name == name && isHere(t.Path) })
	var names []string
	var revoked []state.Trusted
	for _, t := range all {
		names = append(names, t.Name)
		if t.Name == name && (!here || isHere(t.Path)) {
			revoked = append(revoked, t)
		}
	}
	if len(revoked) == 0 {
		return c.usageHint("no server "+wire.Quote(name)+" is trusted"+failure.DidYouMean(name, names), c.didMean(name, names, c.toType("for a list, ", cmdline.Words("trust"))))
	}
	if err := state.Revoke(revoked); err != nil {
		return failure.Local(err)
	}
	return c.print("Revoked the trust in " + terminal.EscapeName(name) + ".\n")
}

// isHere reports whether path is a file of the current project: in its folder or in one such
// as .cursor, or .mcp.json that links to it.
func isHere(path string) bool {
	folder := filepath.Dir(path)
	return isSame(".", folder) || strings.HasPrefix(filepath.Base(folder), ".") && isSame(".", filepath.Dir(folder)) || isSame(".mcp.json", path)
}

func isSame(a, b string) bool {
	one, err1 := os.Stat(a)
	other, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(one, other)
}

// trustHint says how to trust an entry, with the files of -c, one of which has it.
func (c *invocation) trustHint(e *config.Server) string {
	line := c.withFiles(cmdline.Words("trust", e.Name))
	return cmp.Or(c.outside().toType("to trust it, ", line), `"trust" with its name trusts it`)
}

// withFiles appends the files of -c to a command line.
func (c *invocation) withFiles(line cmdline.Line) cmdline.Line {
	for _, file := range c.flags.Config {
		line = append(line, cmdline.Own("-c", file)...)
	}
	return line
}

// confirmTrust asks whether a server of the project's .mcp.json may be used,
// unless -c names the file or the user has agreed to exactly this entry before:
// the author of the project could have put any program there, or a URL that
// receives the user's secrets.
func (c *invocation) confirmTrust(ctx context.Context) error {
	if c.entry.Scope != "project" || state.IsTrusted(c.entry) {
		return nil
	}
	text := "the server " + wire.Quote(c.entry.Name) + " in " + terminal.EscapeName(c.entry.Source) + " of this folder is not trusted"
	text += effects(c.entry, "\n\t")
	refused := &failure.Error{Status: failure.Usage, Kind: "configuration", Message: text,
		Hint: c.trustHint(c.entry)}
	if !c.isTerminal(c.stdin) || !c.isTerminal(c.stderr) {
		return refused
	}
	a := &asker{c: c, in: c.reader()}
	a.discard()
	first, effects, _ := strings.Cut(text, "\n")
	a.print("T" + first[1:] + ".\nIt\n" + effects + "\n")
	if yes, err := a.confirm(ctx, "Do you trust it?"); err != nil || !yes {
		return refused
	}
	if c.flags.NoState {
		return nil
	}
	if err := state.Trust(c.entry); err != nil {
		a.print("mcpecho cannot remember this: " + terminal.EscapeLine(err.Error()) + "\n")
	}
	return nil
}
