package main

import (
	"context"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// parallel is how many servers are looked at at once.
const parallel = 8

// A state is what is known of a configured server.
type state struct {
	entry  *config.Server
	status string // connected, disabled, untrusted or failed
	about  string // for people
}

// runServers connects to all configured servers and prints how that went.
func runServers(ctx context.Context, c *invocation) error {
	cfg := config.Load(".", c.flags.config...)
	console := &console{w: c.stderr}
	for _, p := range cfg.Problems {
		if !p.Warning || c.flags.verbose {
			console.line("mcpecho: " + p.Error())
		}
	}
	states := make([]state, len(cfg.Servers))
	slots := make(chan struct{}, parallel)
	var all sync.WaitGroup
	for i, entry := range cfg.Servers {
		all.Go(func() { // ends with the connection, or its time-out
			slots <- struct{}{}
			states[i] = c.look(ctx, entry)
			<-slots
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if c.flags.json {
		return c.printJSON(statesJSON(states))
	}
	if len(states) == 0 && !c.flags.quiet {
		console.line("No servers are configured. They are looked for in ~/.mcp.json, ./.mcp.json and the files of -c.")
	}
	rows := make([]row, len(states))
	for i, s := range states {
		rows[i] = row{s.entry.Name, s.status + ": " + s.about, s.entry.Source}
	}
	return c.print(c.table(row{"NAME", "STATUS", "FROM"}, rows))
}

// look connects to a configured server. Nobody is asked anything meanwhile.
func (c *invocation) look(ctx context.Context, entry *config.Server) state {
	one := &invocation{command: c.command, flags: c.flags, target: entry.Name, entry: entry,
		world: &world{stdin: strings.NewReader(""), stdout: c.stdout, stderr: io.Discard, getenv: c.getenv, self: c.self, name: c.name}}
	switch {
	case entry.Disabled:
		return state{entry, "disabled", "its entry says so"}
	case entry.Scope == "project":
		return state{entry, "untrusted", "-c " + entry.Source + " has it started"}
	}
	var s state
	began := time.Now()
	err := one.withServer(ctx, func(conv *conversation) error {
		took := time.Since(began).Round(time.Millisecond)
		info := conv.Server()
		s = state{entry, "connected", strings.TrimSpace(info.Name+" "+info.Version) + ", " + info.Revision}
		if info.Capabilities.Tools != nil {
			tools, err := one.tools(ctx, conv)
			if err != nil {
				return err
			}
			s.about += ", " + strconv.Itoa(len(tools)) + " tools"
		}
		s.about += ", in " + took.String()
		return nil
	})
	if err != nil {
		f := classify(err)
		s = state{entry, "failed", one.hide(f.message)}
		if f.status == statusForbidden {
			s = state{entry, "unauthorized", one.authorize()}
		}
	}
	return s
}

func statesJSON(states []state) []byte {
	b := []byte(`{"servers":[`)
	for i, s := range states {
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendString(wire.AppendKey(append(b, '{'), "name"), s.entry.Name)
		b = wire.AppendString(wire.AppendKey(b, "status"), s.status)
		b = wire.AppendString(wire.AppendKey(b, "message"), s.about)
		b = append(wire.AppendString(wire.AppendKey(b, "source"), s.entry.Source), '}')
	}
	return append(b, "]}"...)
}
