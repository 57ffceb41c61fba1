package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/hold"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/state"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// maxProbes limits how many servers are probed concurrently.
const maxProbes = 8

// A serverStatus is the status of a configured server.
type serverStatus struct {
	entry  *config.Server
	status string // connected, disabled, untrusted, unauthorized or failed
	detail string // for people
}

// runServers connects to all configured servers and prints their status.
func runServers(ctx context.Context, c *invocation) error {
	named := slices.Concat(c.flags.Config, c.args)
	files, _ := splitPrograms(c.args)
	cfg := c.loadAll()
	if len(files) > 0 {
		cfg = config.Load(".", slices.Concat(c.flags.Config, files)...)
	}
	if len(c.args) > 0 {
		others := func(file string) bool { return !hasWord(c.args, file) }
		cfg.Servers = slices.DeleteFunc(cfg.Servers, func(s *config.Server) bool { return others(s.Source) })
		cfg.Problems = slices.DeleteFunc(cfg.Problems, func(p *config.Problem) bool { return !hasWord(named, p.File) })
	}
	c.inputs = c.newInputs(cfg)
	console := c.console()
	c.inputs.console = console
	warn := func(p *config.Problem) {
		if !c.flags.JSON && !(p.Warning && c.flags.Quiet) {
			console.Line(c.folded("mcpecho: " + p.Error()))
		}
	}
	var unread error // about a file that the user named, or an entry of one that is to be listed
	for _, p := range cfg.Problems {
		if unread == nil && (p.Server == "" && hasWord(named, p.File) || !p.Warning && hasWord(c.args, p.File)) {
			unread = &failure.Error{Status: failure.Usage, Kind: "configuration", Message: p.Error(), Err: p}
		} else {
			warn(p)
		}
	}
	states := make([]serverStatus, len(cfg.Servers))
	slots := make(chan struct{}, maxProbes)
	var all sync.WaitGroup
	waiting := &waitingServers{left: slices.Clone(cfg.Servers)}
	p := c.newWaiting(console, len(cfg.Servers), waiting.names)
	for i, entry := range cfg.Servers {
		all.Go(func() { // ends with the probe, which has a timeout
			slots <- struct{}{}
			states[i] = c.probe(ctx, entry)
			waiting.done(entry)
			<-slots
		})
	}
	all.Wait()
	p.End()
	if c.flags.All {
		more, problems := elsewhere(c, states)
		states, cfg.Problems = append(states, more...), append(cfg.Problems, problems...)
		for _, p := range problems {
			warn(p)
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var sessions []string
	if len(c.args) == 0 {
		sessions = hold.Names()
	}
	if c.flags.JSON {
		return errors.Join(c.printJSON(statesJSON(states, sessions, cfg.Problems)), unread)
	}
	if len(states) == 0 && unread == nil && !c.flags.Quiet {
		where := "~/.mcp.json, ./.mcp.json and the files of -c"
		if len(c.args) > 0 {
			where = strings.Join(c.args, ", ")
		}
		console.Line("No servers are configured in " + where + ".")
	}
	var rows []terminal.Row
	for _, s := range states {
		rows = append(rows, terminal.Row{Name: s.entry.Name, Description: s.status + ": " + oneLine(s.detail), Rest: s.entry.Source})
	}
	for _, name := range sessions {
		about, status := hold.Name{Text: name}.About(), "starting: "
		server := wire.TextOf(about, "server")
		if version := wire.TextOf(about, "protocolVersion"); version != "" {
			status, server = "held: ", server+", "+version
		}
		status += server + ", process " + string(wire.Lookup(about, "pid"))
		rows = append(rows, terminal.Row{Name: "@" + name, Description: status, Rest: "hold"})
	}
	return errors.Join(c.print(c.table(terminal.Row{Name: "NAME", Description: "STATUS", Rest: "FROM", Whole: true}, rows)), unread)
}

// waitingServers are the servers that a command still waits for.
type waitingServers struct {
	mu   lock.Mutex
	left []*config.Server // guarded by mu
}

func (w *waitingServers) done(s *config.Server) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left = slices.DeleteFunc(w.left, func(one *config.Server) bool { return one == s })
}

func (w *waitingServers) names() (names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.left {
		names = append(names, s.Name)
	}
	return names
}

// elsewhere returns the servers of other programs, which are not probed, and what is wrong
// in their files.
func elsewhere(c *invocation, known []serverStatus) (states []serverStatus, problems []*config.Problem) {
	for _, found := range config.Discover(nil) {
		if info, err := os.Stat(found.File); err == nil && slices.ContainsFunc(known, func(s serverStatus) bool {
			own, err := os.Stat(s.entry.Source)
			return err == nil && os.SameFile(info, own)
		}) {
			continue // mcpecho reads it, too
		}
		problems = append(problems, found.Problems...)
		for _, e := range found.Servers {
			detail := c.toType("to use it, ", append(cmdline.Words("add", e.Name), cmdline.Own("--from", found.Program)...))
			if e.Source == "" {
				e.Source = found.File
			}
			states = append(states, serverStatus{e, "in " + found.Title, detail})
		}
	}
	return states, problems
}

// probe connects to a configured server. It prompts for the inputs of the
// configuration, but declines elicitation by the server.
func (c *invocation) probe(ctx context.Context, entry *config.Server) serverStatus {
	one := &invocation{command: c.command, flags: c.flags, target: entry.Name, entry: entry, inputs: c.inputs,
		environment: &environment{stdin: strings.NewReader(""), stdout: c.stdout, stderr: io.Discard, getenv: c.getenv, self: c.self, name: c.name}}
	switch {
	case entry.Disabled:
		return serverStatus{entry, "disabled", "by its entry"}
	case entry.Scope == "project" && !state.IsTrusted(entry):
		return serverStatus{entry, "untrusted", c.trustHint(entry)}
	}
	var s serverStatus
	began := time.Now()
	err := one.withServer(ctx, func(conv *conversation) error {
		took := time.Since(began).Round(time.Millisecond)
		info, unmatched := conv.Server(), ""
		s = serverStatus{entry, "connected", strings.TrimSpace(info.Name+" "+info.Version) + ", " + info.ProtocolVersion}
		if info.Capabilities.Tools != nil {
			tools, err := one.tools(ctx, conv)
			if err != nil {
				return err
			}
			s.detail += ", " + terminal.Count(len(tools), "tool")
			var names []string
			for _, t := range tools {
				names = append(names, t.Name)
			}
			for _, err := range entry.Unmatched(names) {
				unmatched += "; " + err.Error()
			}
		}
		s.detail += ", in " + took.String() + unmatched
		return nil
	})
	if err != nil {
		f := failure.Classify(err)
		if f.Kind == "configuration" && f.Err != nil {
			f.Message = f.Err.Error() // without the file and the name, which have columns
		}
		s = serverStatus{entry, "failed", one.hide(f.Message)}
		if _, invalid := httpx.Parse(entry.URL); entry.URL != "" && invalid != nil && f.Hint != "" {
			s.detail += "; " + one.hide(f.Hint)
		}
		if strings.Contains(entry.Command, " ") && (errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)) {
			s.detail += `; put the arguments of the command into "args"`
		}
		if f.Status == failure.Forbidden {
			s = serverStatus{entry, "unauthorized", one.toType("", one.withFiles(append(cmdline.Words("login"), one.pasteTarget())))}
		}
	}
	return s
}

func statesJSON(states []serverStatus, sessions []string, problems []*config.Problem) []byte {
	b := []byte(`{"servers":[`)
	for i, s := range states {
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendString(wire.AppendKey(append(b, '{'), "name"), s.entry.Name)
		b = wire.AppendString(wire.AppendKey(b, "status"), s.status)
		b = wire.AppendString(wire.AppendKey(b, "message"), s.detail)
		b = append(wire.AppendString(wire.AppendKey(b, "source"), s.entry.Source), '}')
	}
	b = append(b, ']')
	if len(sessions) > 0 {
		b = append(b, `,"sessions":[`...)
		for _, name := range sessions {
			b = wire.AppendString(wire.AppendKey(append(wire.AppendComma(b), '{'), "name"), name)
			if about := (hold.Name{Text: name}).About(); len(about) > 2 {
				b = append(append(b, ','), about[1:len(about)-1]...)
			}
			b = append(b, '}')
		}
		b = append(b, ']')
	}
	if len(problems) > 0 {
		b = append(b, `,"problems":[`...)
		for _, p := range problems {
			b = append(wire.AppendComma(b), '{')
			b = wire.AppendString(wire.AppendKey(b, "file"), p.File)
			b = wire.AppendInt(wire.AppendKey(b, "line"), int64(p.Line))
			if p.Server != "" {
				b = wire.AppendString(wire.AppendKey(b, "server"), p.Server)
			}
			b = wire.AppendBool(wire.AppendKey(b, "warning"), p.Warning)
			b = append(wire.AppendString(wire.AppendKey(b, "message"), p.Err.Error()), '}')
		}
		b = append(b, ']')
	}
	return append(b, '}')
}
