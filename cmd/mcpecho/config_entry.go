package main

import (
	"context"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// findEntry finds the configured server that the target names: NAME, FILE:NAME
// or, for commands with a tool, either of them with /TOOL.
func (c *invocation) findEntry() error {
	cfg, name := c.load()
	c.inputs = c.newInputs(cfg)
	if c.entry = cfg.Server(name); c.entry != nil {
		return nil
	}
	server, tool, ok := strings.Cut(name, "/")
	if c.entry = cfg.Server(server); ok && c.entry != nil && c.command.tool {
		c.target, c.args = strings.TrimSuffix(c.target, "/"+tool), append([]string{tool}, c.args...)
		return nil
	}
	var known []string
	for _, s := range cfg.Servers {
		known = append(known, s.Name)
	}
	if len(cfg.Problems) == 0 && (c.command.min == 0 || strings.ContainsRune(name, os.PathSeparator)) {
		if err := c.programAsTarget(name, c.args); err != nil {
			return err
		}
	}
	message := "no server is configured as " + strconv.Quote(name) + didYouMean(name, known)
	if !strings.HasSuffix(message, "?") {
		message += "; use a URL, or put the command that starts the server after --"
	}
	for _, p := range cfg.Problems {
		if p.Server == "" || p.Server == name {
			message += "\n\t" + p.Error()
		}
	}
	return c.usage(message)
}

// load reads the configuration, or only the file that the target names.
func (c *invocation) load() (cfg *config.Config, name string) {
	if i := strings.LastIndexByte(c.target, ':'); i > 0 {
		file, name := c.target[:i], c.target[i+1:]
		if _, err := os.Stat(file); err == nil || strings.HasSuffix(file, ".json") {
			return config.LoadFile(file), name
		}
	}
	return config.Load(".", c.flags.config...), c.target
}

// expandEntry replaces the variables in the settings of the configured server,
// and uses its timeouts as the defaults of the flags.
func (c *invocation) expandEntry(ctx context.Context) error {
	if c.entry == nil {
		return nil
	}
	if err := c.confirmTrust(ctx); err != nil {
		return err
	}
	e, err := c.entry.Expand(ctx, &config.Vars{Input: c.inputs.value})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		wrong := &config.Problem{File: c.entry.Source, Server: c.entry.Name, Err: err}
		return &failure{status: statusUsage, kind: "configuration", message: wrong.Error(), err: err}
	}
	c.entry = e
	if f := &c.flags; !slices.Contains(f.given, "timeout") && e.Timeout > 0 {
		f.timeout = e.Timeout
	}
	if f := &c.flags; !slices.Contains(f.given, "connect-timeout") && e.ConnectTimeout > 0 {
		f.connectTimeout = e.ConnectTimeout
	}
	return nil
}

// checkAllowed returns an error if the configuration excludes the tool.
func (c *invocation) checkAllowed(tool string) error {
	if c.entry == nil || c.entry.Tools.Allows(tool) {
		return nil
	}
	return &failure{status: statusUsage, kind: "configuration",
		message: "the tool " + strconv.Quote(tool) + " is excluded by the entry of " + strconv.Quote(c.entry.Name) + " in " + c.entry.Source}
}

// removeExcluded removes the tools that the configuration excludes from the
// comma-separated items of a list, and counts them.
func (c *invocation) removeExcluded(items []byte) (kept []byte, left int, err error) {
	r := wire.NewReader(append(append([]byte{'['}, items...), ']'))
	for r.Array(); r.More(); {
		raw := r.Raw()
		var t mcp.Tool
		if t.UnmarshalJSON(raw) == nil && c.checkAllowed(t.Name) != nil {
			left++
			continue
		}
		kept = append(wire.AppendComma(kept), raw...)
	}
	return kept, left, r.End()
}

// entryTransport returns the transport to the configured server.
func (c *invocation) entryTransport(s *conversation) (mcp.Transport, error) {
	e, f := c.entry, &c.flags
	switch e.Type {
	case config.Stdio:
		if f.transport != "" || f.header != nil {
			return nil, c.usage("-t and -H need a server at a URL, but " + c.targetName() + " is started")
		}
		t := stdio.Command(e.Command, e.Args...)
		t.Env, t.InheritEnv = append(slices.Clone(e.Env), f.env...), e.InheritEnv || f.inheritEnv
		if t.Dir, t.Stderr = f.dir, s.stderr; t.Dir == "" {
			t.Dir = e.Dir
		}
		return t, nil
	case config.HTTP, config.SSE, "":
		header := make(http.Header)
		for key, value := range e.Headers {
			header.Set(key, value)
		}
		for key, values := range f.header {
			header[key] = values
		}
		way := f.transport
		if way == "" {
			way = e.Type
		}
		return c.urlTransport(e.URL, header, way)
	}
	return nil, &failure{status: statusUsage, kind: "configuration", message: c.targetName() + ": mcpecho does not support servers of type " + strconv.Quote(e.Type)}
}
