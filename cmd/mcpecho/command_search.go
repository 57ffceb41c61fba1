package main

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/state"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// maxFoundTools limits the tools that search prints.
const maxFoundTools = 20

// runSearch prints the tools of all configured servers that match the arguments,
// best first.
func runSearch(ctx context.Context, c *invocation) error {
	cfg := c.loadAll()
	c.inputs = c.newInputs(cfg)
	console := c.console()
	c.inputs.console = console
	note := func(line string) {
		if !c.flags.Quiet {
			console.Line(c.folded(line))
		}
	}
	for _, p := range cfg.Problems {
		if !p.Warning || !c.flags.JSON {
			note("mcpecho: " + p.Error())
		}
	}
	servers := c.searchedServers(cfg, note)
	h := c.newSearchHost()
	defer func() { _ = h.Shutdown(context.WithoutCancel(ctx)) }()
	p := c.newWaiting(console, len(servers), func() (names []string) {
		for _, s := range h.Status() {
			if s.State == host.Connecting {
				names = append(names, s.Name)
			}
		}
		return names
	})
	diff := h.SetServers(ctx, servers)
	kept := keptServers(h)
	if c.flags.Refresh && len(kept) > 0 {
		maps.Copy(diff.Errors, h.Refresh(ctx, kept...).Errors)
		kept = nil
	}
	p.End()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := c.noteUnsearched(servers, diff, note); err != nil {
		return err
	}
	found := h.Search(strings.Join(c.args, " "), maxFoundTools)
	if c.flags.JSON {
		raw, err := foundJSON(found)
		if err != nil {
			return err
		}
		return c.printJSON(raw)
	}
	rows, err := foundRows(found)
	if err != nil {
		return err
	}
	searched := len(servers) - len(diff.Errors) - len(diff.Warnings)
	switch {
	case len(cfg.Servers) == 0:
		note("No servers are configured in ~/.mcp.json, ./.mcp.json and the files of -c.")
	case len(found) == 0:
		note("None of the " + terminal.Count(len(h.Tools()), "tool") + " of " + terminal.Count(searched, "server") + " matches " + wire.Quote(strings.Join(c.args, " ")) + ".")
	}
	if len(kept) > 0 {
		note("The tools of " + terminal.Count(len(kept), "server") + " are from an earlier search; --refresh asks again.")
	}
	header := lists()["tools"].header
	header.Name = "SERVER/TOOL"
	return c.printLong(ctx, c.table(header, rows))
}

// searchedServers returns the servers that the user has not disabled and trusts,
// and notes the ones that the user does not trust.
func (c *invocation) searchedServers(cfg *config.Config, note func(string)) (servers []*config.Server) {
	for _, entry := range cfg.Servers {
		switch {
		case entry.Disabled:
			continue
		case entry.Scope == "project" && !state.IsTrusted(entry):
			note(terminal.EscapeName(entry.Name) + " is not searched, because it is untrusted; " + c.trustHint(entry))
			continue
		}
		one := *entry.Trust() // whose tools are needed now
		one.Lazy, one.Required = false, false
		if c.flags.IsGiven("connect-timeout") || one.ConnectTimeout == 0 {
			one.ConnectTimeout = (&invocation{flags: c.flags, entry: entry}).connectTimeout()
		}
		servers = append(servers, &one)
	}
	return servers
}

// newSearchHost returns a host that connects once to each server, with the tokens
// of logins.
func (c *invocation) newSearchHost() *host.Host {
	o := &host.Options{
		Client:   new(mcp.Options),
		Vars:     config.Vars{Input: c.inputs.value},
		Timeout:  c.flags.Timeout,
		Parallel: maxProbes,
		Retry:    host.Retry{Max: -1},
		Dialers:  host.Dialers{},
		Catalog:  c.openCatalog(),
	}
	if c.flags.Protocol != "" {
		o.Client.ProtocolVersions = []string{c.flags.Protocol}
	}
	for _, kind := range []string{config.Stdio, config.HTTP, config.SSE} {
		o.Dialers[kind] = func(_ context.Context, d *host.DialParams) (mcp.Transport, error) {
			entry := *d.Server
			entry.Type = kind
			one := &invocation{command: c.command, target: entry.Name, entry: &entry, environment: c.environment}
			s := &conversation{console: &terminal.Console{Out: io.Discard}, stderr: one.newTail()}
			d.Cleanup = s.endProgram
			return one.entryTransport(s)
		}
	}
	return host.New(o)
}

// keptServers returns the servers whose tools are in the catalog, so that the host
// has not connected to them.
func keptServers(h *host.Host) (names []string) {
	for _, s := range h.Status() {
		if s.State == host.Disconnected && s.Info != nil {
			names = append(names, s.Name)
		}
	}
	return names
}

// noteUnsearched notes the servers that cannot be searched. If these are all, it
// returns the failure of the first one instead of noting it.
func (c *invocation) noteUnsearched(servers []*config.Server, diff *host.Diff, note func(string)) (failed error) {
	for _, s := range servers {
		err := errors.Join(diff.Errors[s.Name], diff.Warnings[s.Name])
		if err == nil {
			continue
		}
		f := *failure.Classify(err)
		why := f.Message
		for _, name := range []string{"[MCP:" + s.Name + "] ", "failed to connect: ", "server " + wire.Quote(s.Name) + ": "} {
			why = strings.TrimPrefix(why, name)
		}
		f.Message = terminal.EscapeName(s.Name) + " cannot be searched: " + s.Hide(why)
		switch {
		case f.Status == failure.Forbidden:
			f.Hint = c.toType("", c.withFiles(cmdline.Words("login", s.Name)))
		case f.Kind == "timeout":
			f.Hint = "use --connect-timeout to wait longer"
		}
		switch {
		case failed == nil && len(diff.Errors) == len(servers):
			failed = &f
		case f.Hint != "":
			note("mcpecho: " + f.Message + "; " + f.Hint)
		default:
			note("mcpecho: " + f.Message)
		}
	}
	return failed
}

// openCatalog returns the catalog of earlier searches, which makes this one wait
// only for servers that are new. It is nil with --no-state and --protocol.
func (c *invocation) openCatalog() *host.Catalog {
	dir, err := os.UserCacheDir()
	if err != nil || c.flags.NoState || c.flags.Protocol != "" {
		return nil
	}
	return host.OpenCatalog(filepath.Join(dir, "mcpecho", "catalog.json"))
}

// forgetTools removes what the catalog has about the target, whose tools may differ
// after a login or logout.
func (c *invocation) forgetTools() {
	if c.entry != nil {
		_ = c.openCatalog().Forget(c.entry.Name) // the catalog is a cache
	}
}

func foundRows(found []*host.Tool) (rows []terminal.Row, err error) {
	tools := lists()["tools"]
	for _, t := range found {
		raw, err := t.Definition().MarshalJSON()
		if err != nil {
			return nil, err
		}
		r := tools.row(raw)
		r.Name = t.Server() + "/" + r.Name
		rows = append(rows, r)
	}
	return rows, nil
}

// foundJSON returns the tools with their servers as an object.
func foundJSON(found []*host.Tool) ([]byte, error) {
	b := []byte(`{"tools":[`)
	for _, t := range found {
		raw, err := t.Definition().MarshalJSON()
		if err != nil {
			return nil, err
		}
		b = wire.AppendString(wire.AppendKey(append(wire.AppendComma(b), '{'), "server"), t.Server())
		b = append(append(wire.AppendKey(b, "tool"), raw...), '}')
	}
	return append(b, "]}"...), nil
}
