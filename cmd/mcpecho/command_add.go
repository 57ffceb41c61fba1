package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/configfile"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/state"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/terminal"
	"github.com/stdmcp/stdmcp/internal/buffers"
	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/statefile"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// readLogin reads the fields of --oauth, as an entry of a file has them. parameters.NAME is
// a field of parameters.
func (c *invocation) readLogin(e *config.Server) error {
	if len(c.flags.OAuth) == 0 {
		return nil
	}
	b := wire.AppendString(wire.AppendKey(append(wire.AppendKey([]byte(`{"mcpServers":{`), e.Name), '{'), "url"), e.URL)
	b = append(wire.AppendKey(b, "oauth"), '{')
	parameters := []byte{'{'}
	for _, s := range c.flags.OAuth {
		key, text, _ := strings.Cut(s, "=")
		if name, ok := strings.CutPrefix(key, "parameters."); ok {
			parameters = wire.AppendString(wire.AppendKey(parameters, name), text)
			continue
		}
		b = wire.AppendKey(b, key)
		if key == "assumePKCE" || key == "callbackPort" {
			b = append(b, text...) // the parser returns an error for an invalid value
		} else {
			b = wire.AppendString(b, text)
		}
	}
	b = append(append(wire.AppendKey(b, "parameters"), parameters...), "}}}}}"...)
	found := config.Parse(b, "", "project")
	if len(found.Problems) > 0 {
		return diag.Message("--oauth: " + found.Problems[0].Err.Error())
	}
	e.Auth = found.Servers[0].Auth
	return nil
}

// runAdd adds a server to a file of servers.
func runAdd(ctx context.Context, c *invocation) error {
	if name := c.args[0]; strings.Contains(name, "://") && len(c.args) == 2 {
		line := cmdline.Own(c.typed...)
		a, b := line.Index(name), line.Index(c.args[1])
		line[a], line[b] = line[b], line[a]
		return c.suggest("the name comes before the URL", line)
	} else if strings.Contains(name, "://") {
		return c.usage("add needs NAME before the URL")
	} else if strings.Contains(name, "/") {
		return c.usage("the name of a server contains no /, which separates it from a tool")
	}
	e := &config.Server{Name: c.args[0], Type: c.flags.Transport, Headers: make(map[string]string)}
	switch {
	case c.flags.From != "":
		found, err := c.findElsewhere(c.flags.From, e.Name)
		if err != nil {
			return err
		}
		e = found
	case len(c.server) > 0 && len(c.args) == 1:
		e.Command, e.Args, e.Env, e.Dir, e.InheritEnv = c.server[0], c.server[1:], c.flags.EnvEntry(), c.flags.Dir, c.flags.InheritEnv
	case c.server == nil && len(c.args) == 2 && strings.Contains(c.args[1], "://"):
		if _, err := httpx.Parse(c.args[1]); err != nil {
			return c.usage(err.Error())
		}
		e.URL = c.args[1]
		for key, values := range c.flags.Header {
			e.Headers[key] = values[0]
		}
		if err := c.readLogin(e); err != nil {
			return c.usage(err.Error())
		}
	default:
		return c.explainAdd()
	}
	if e.Type == "auto" || e.Command != "" {
		e.Type = ""
	}
	unlock, err := state.LockServers(ctx)
	if err != nil {
		return failure.Local(err)
	}
	defer unlock()
	path, real, text, err := c.readServers()
	if err != nil {
		return err
	}
	if before := config.Parse([]byte(text), path, "project"); before.Server(e.Name) != nil {
		return c.usageHint(path+" already has the server "+wire.Quote(e.Name),
			c.toType("to replace it, first ", append(cmdline.Words("remove", e.Name), c.fileFlags()...)))
	}
	entry, err := e.RevealJSON()
	if err != nil {
		return c.usage(err.Error())
	}
	changed, err := configfile.Add(text, e.Name, terminal.Indent(entry))
	if err != nil {
		return &failure.Error{Status: failure.Usage, Kind: "configuration", Message: path + " is " + err.Error(), Hint: "correct the file"}
	}
	after, err := c.replaceServers(path, real, text, changed, e.Name, true)
	if err != nil {
		return err
	}
	target := c.fileTarget()
	if err := c.trustAdded(after, e); err != nil {
		c.console().Line("Cannot store that you trust it: " + terminal.EscapeLine(err.Error()))
		target = cmdline.Line{{Text: "-c", Own: true}, {Text: path}} // which needs no trust
	}
	c.warnShared(path, e)
	try := c.toType(" To try it, ", append(cmdline.Words("tools", e.Name), target...))
	return c.print("Added " + terminal.EscapeName(e.Name) + " to " + terminal.EscapeName(path) + "." + try + "\n")
}

// explainAdd returns the failure for a command line that describes no server.
func (c *invocation) explainAdd() error {
	switch {
	case len(c.args) > 1 && c.server == nil && strings.Contains(c.args[1], "://"):
		return c.usage("add accepts one URL")
	case len(c.args) == 2 && c.server == nil && withScheme(c.args[1]) != "":
		return c.suggest("a URL must begin with http:// or https://", c.retyped(c.args[1], cmdline.Word{Text: withScheme(c.args[1]), Own: true}))
	case len(c.args) > 1 && c.server == nil && hasWord(launchers, c.args[1]):
		line := cmdline.Own(c.typed...)
		return c.suggest("the command that starts the server belongs after --", slices.Concat(line[:line.Index(c.args[1])], cmdline.Own("--"), line[line.Index(c.args[1]):]))
	}
	return c.usage("add needs the URL of the server, or its command after --")
}

// findElsewhere returns a server of another program.
func (c *invocation) findElsewhere(program, name string) (*config.Server, error) {
	var programs, names []string
	for _, found := range config.Discover(nil) {
		programs = append(programs, found.Program)
		if !strings.EqualFold(found.Program, program) && !strings.EqualFold(found.Title, program) {
			continue
		}
		program = found.Program
		if e := found.Server(name); e != nil {
			if e.Scope == "project" && !state.IsTrusted(e) && (c.flags.User || len(c.flags.Config) > 0) {
				return nil, c.usageHint("the server "+wire.Quote(name)+" in "+terminal.EscapeName(e.Source)+" of this folder is not trusted, and a file of yours would trust it",
					c.toType("to trust it, ", append(cmdline.Words("trust", name), cmdline.Own("-c", program)...)))
			}
			return e, nil
		}
		names = append(names, serverNames(&found.Config)...)
	}
	slices.Sort(programs)
	programs = slices.Compact(programs)
	switch {
	case len(programs) == 0:
		return nil, c.usageHint("no program with configured servers was found", c.toType("for those of mcpecho, ", cmdline.Words("servers")))
	case !hasWord(programs, program):
		return nil, c.usageHint("no servers of "+wire.Quote(program)+" were found, only those of "+strings.Join(programs, ", "), c.didMean(program, programs, ""))
	case name == "" && len(names) > 0:
		return nil, c.usage("add needs NAME; " + program + " has " + strings.Join(names, ", "))
	}
	return nil, c.usageHint(program+" has no server "+wire.Quote(name)+failure.DidYouMean(name, names),
		c.didMean(name, names, c.toType("for a list, ", append(cmdline.Words("servers"), cmdline.Own("--all")...))))
}

// serversFile returns the file that add and remove change: that of -c, the user's
// or the project's. Whoever wrote the project may have made that one a link.
func (c *invocation) serversFile() (path, real string, err error) {
	path = ".mcp.json"
	if len(c.flags.Config) > 0 {
		path = c.flags.Config[0]
	} else if c.flags.User {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", "", failure.Local(err)
		}
		path = filepath.Join(home, path)
	}
	if real, err = filepath.EvalSymlinks(path); err != nil {
		return path, path, nil // there is no file
	}
	if len(c.flags.Config) == 0 && !c.flags.User && !filepath.IsLocal(real) {
		return "", "", c.usage(path + " is a link to " + terminal.EscapeName(real) + ", outside of this folder; to change that file, name it with -c")
	}
	return path, real, nil
}

func (c *invocation) fileFlags() cmdline.Line {
	switch {
	case len(c.flags.Config) > 0:
		return cmdline.Own("-c", c.flags.Config[0])
	case c.flags.User:
		return cmdline.Own("--user")
	}
	return nil
}

// fileTarget returns the flags with which another command finds the server.
func (c *invocation) fileTarget() cmdline.Line {
	if len(c.flags.Config) > 0 {
		return c.fileFlags()
	}
	return nil
}

// maxServersFile is the maximum size in bytes of a file that mcpecho changes.
const maxServersFile = 4 << 20

// readServers returns the file that add and remove change, where it really is, and its
// content, which is empty if there is no file.
func (c *invocation) readServers() (path, real, text string, err error) {
	if path, real, err = c.serversFile(); err != nil {
		return "", "", "", err
	}
	f, err := statefile.Open(real)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return path, real, "", nil
	case err != nil:
		return "", "", "", failure.Local(err)
	}
	defer f.Close()
	data, err := buffers.ReadUpTo(f, maxServersFile+1)
	if err == nil && len(data) > maxServersFile {
		err = errors.New(path + " is larger than 4 MiB")
	}
	return path, real, string(data), failure.Local(err)
}

// replaceServers writes the changed text to the file of servers at path, which is really at
// real, if the named server is valid in it, or gone, and all others are still there: package
// config reads places that package configfile does not change. It returns the servers.
func (c *invocation) replaceServers(path, real, text, changed, name string, added bool) (*config.Config, error) {
	before, after := config.Parse([]byte(text), path, "project"), config.Parse([]byte(changed), path, "project")
	others := func(cfg *config.Config) (all []string) {
		for _, s := range cfg.All() {
			if text, _ := s.RevealJSON(); s.Name != name {
				all = append(all, s.Name+" "+string(text))
			}
		}
		slices.Sort(all)
		return all
	}
	f := &failure.Error{Status: failure.Usage, Kind: "configuration", Hint: "nothing was written"}
	for _, p := range after.Problems {
		if !p.Warning && (p.Server == "" || p.Server == name) {
			f.Message = p.Error()
			return nil, f
		}
	}
	if slices.ContainsFunc(after.All(), func(s *config.Server) bool { return s.Name == name }) != added || !slices.Equal(others(before), others(after)) {
		f.Message, f.Hint = "mcpecho cannot change "+wire.Quote(name)+" in "+path+" so that its other servers stay as they are", "nothing was written: change the file in an editor"
		return nil, f
	}
	return after, failure.Local(c.writeServers(real, changed))
}

func (c *invocation) writeServers(path, text string) error {
	perm := os.FileMode(0o644)
	if c.flags.User {
		perm = 0o600
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".mcp-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if info, e := os.Stat(path); e == nil {
		err = f.Chmod(info.Mode().Perm())
	} else if err = errors.Join(f.Close(), os.Remove(f.Name())); err == nil { // a new one has the user's umask
		f, err = os.OpenFile(f.Name(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = statefile.Rename(f.Name(), path)
	}
	return err
}

// trustAdded trusts the server that the user has just added to the project's file, unless
// it comes from another file of the project. It does not read the file again, which another
// user may have changed.
func (c *invocation) trustAdded(after *config.Config, added *config.Server) error {
	if len(c.flags.Config) > 0 || c.flags.User || c.flags.NoState || added.Scope == "project" {
		return nil
	}
	if e := after.Server(added.Name); e != nil {
		return state.Trust(e)
	}
	return nil
}

// warnShared says that secrets are in a file which others may read.
func (c *invocation) warnShared(path string, e *config.Server) {
	var names []string
	for _, pair := range e.Env {
		if key, value, ok := strings.Cut(pair, "="); ok && diag.IsSecretName(key) && !strings.Contains(value, "${") {
			names = append(names, key)
		}
	}
	for key, value := range e.Headers {
		if (diag.IsSecretName(key) || http.CanonicalHeaderKey(key) == "Authorization") && !strings.Contains(value, "${") {
			names = append(names, key)
		}
	}
	slices.Sort(names)
	if len(names) > 0 && !c.flags.User && !c.flags.Quiet {
		c.console().Line("The value of " + strings.Join(names, ", ") + " is now in " + path + ", which others may read; '${VARIABLE}' in its place takes it from the environment.")
	}
}

// runRemove removes a server from a file of servers.
func runRemove(ctx context.Context, c *invocation) error {
	name := c.args[0]
	unlock, err := state.LockServers(ctx)
	if err != nil {
		return failure.Local(err)
	}
	defer unlock()
	path, real, text, err := c.readServers()
	if err != nil {
		return err
	}
	before, changed := config.Parse([]byte(text), path, "project"), text
	for range 10 { // of two that are each other's duplicate, the second would be valid then
		less, ok := configfile.Remove(changed, name)
		if !ok {
			break
		}
		changed = less
	}
	if changed == text && before.Server(name) == nil {
		if text != "" {
			if err := c.checkFile(path); err != nil {
				return err
			}
		}
		known := serverNames(before)
		hint := c.didMean(name, known, c.toType("for a list, ", cmdline.Words("servers")))
		if e := config.Load(".", c.flags.Config...).Server(name); e != nil && e.Scope == "user" && !c.flags.User {
			hint = c.toType("", append(cmdline.Words("remove", name), cmdline.Own("--user")...))
		}
		return c.usageHint(path+" has no server "+wire.Quote(name)+failure.DidYouMean(name, known), hint)
	}
	if _, err := c.replaceServers(path, real, text, changed, name, false); err != nil {
		return err
	}
	return c.print("Removed " + terminal.EscapeName(name) + " from " + terminal.EscapeName(path) + ".\n")
}
