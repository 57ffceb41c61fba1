package main

import (
	"os"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/guess"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// sampleServer is a command that starts a server, for suggestions.
const sampleServer = "npx -y @modelcontextprotocol/server-everything stdio"

// takeTarget takes the target from the arguments and checks the number of the
// others.
func (c *invocation) takeTarget() error {
	cmd := c.command
	if !hasWord(checksConfig, cmd.name) {
		if err := c.checkFiles(); err != nil {
			return err
		}
	}
	if len(c.args) > 0 && c.server == nil && (hasWord(cmd.actions, c.args[0]) || len(c.args) > 1 && cmd.synonyms[c.args[0]] != "") {
		// The target comes first, as for the other commands.
		end := min(2, len(c.args))
		c.args = slices.Concat(c.args[1:end], c.args[:1], c.args[end:])
		if end == 1 {
			c.args = nil
		}
	}
	if c.flags.Dir != "" && cmd.target {
		if info, err := os.Stat(c.flags.Dir); err != nil {
			return c.usageHint("--cwd: "+err.Error(), "correct the folder")
		} else if !info.IsDir() {
			return c.usageHint("--cwd: "+wire.Quote(c.flags.Dir)+" is not a folder", "correct the folder")
		}
	}
	if key, _, ok := strings.Cut(strings.Join(c.server[:min(1, len(c.server))], ""), "="); ok && cmd.min > 0 && cmd.target && !strings.ContainsAny(key, "/.") {
		before, _ := cutServer(c.typed)
		if len(c.args) > 1 {
			return c.suggest("the arguments belong before --", append(before, c.server...))
		}
	}
	if len(c.args) == 1 && len(c.server) > 0 && cmd.min > 0 && cmd.target && c.isServer(c.args[0]) && !guess.NamesServer(c.server) {
		return c.suggest("-- stands before a command that starts a server", append(c.without(), c.server...))
	}
	if near := nearest.Names(strings.Join(c.args[:min(1, len(c.args))], ""), cmd.actions); cmd.actions != nil && len(c.args) > 1 && c.server == nil && !hasWord(cmd.actions, c.args[1]) && len(near) > 0 && len(c.configured(c.args[0])) == 0 {
		return c.suggest(cmd.name+" has no action "+wire.Quote(c.args[0])+" (did you mean "+wire.Quote(near[0])+"?)", c.retyped(c.args[0], near[0]))
	}
	switch {
	case c.server != nil && cmd.name == "":
		return c.suggest("a command is missing before --", append([]string{"tools"}, c.typed...))
	case c.server != nil && cmd.web && cmd.target:
		return c.suggest(cmd.name+" needs a server at a URL, not one that is started", c.sampleLine())
	case c.server != nil && !cmd.target && !cmd.started:
		return c.suggest(cmd.name+" does not start a server", c.without())
	case c.server != nil && cmd.pair && len(c.server) > 0:
	case len(c.server) == 0 && c.server != nil && len(c.args) > 0 && c.isServer(c.args[0]):
		return c.suggest("the command that starts a server is missing after --", c.without())
	case c.server != nil && len(c.server) == 0:
		return c.suggest("the command that starts the server is missing after --", append(cloneWords(c.typed), strings.Fields(sampleServer)...))
	case c.server != nil:
		if err := c.checkServer(); err != nil {
			return err
		}
	case cmd.target && len(c.args) == 0:
		if len(c.flags.Config) > 0 {
			if known := serverNames(config.LoadFile(c.flags.Config[0])); len(known) > 0 {
				return c.suggest("the server is missing", slices.Insert(cloneWords(c.typed), indexWord(c.typed, c.typedCommand())+1, known[0]))
			}
		}
		hint := "type: " + c.paste(c.sampleLine())
		if !cmd.web {
			hint += " (or the server's command after --)"
		}
		return c.usageHint("the server is missing", hint)
	case cmd.target:
		c.target, c.args = c.args[0], c.args[1:]
		if err := c.findTarget(); err != nil {
			return err
		}
	}
	switch {
	case len(c.args) < cmd.min:
		return c.missingArgument()
	case cmd.max >= 0 && len(c.args) > cmd.max:
		return c.extraArgument(c.args[cmd.max])
	case cmd.tool && len(c.args) > 0 && cmd.min > 0 && (strings.Contains(c.args[0], "=") || strings.HasPrefix(c.args[0], "@") && isFile(c.args[0][1:])):
		return c.missingTool()
	case cmd.name == "raw" && strings.HasPrefix(c.args[0], "{"):
		return c.missingMethod()
	case cmd.pair:
		_, err := c.diffSides()
		return err
	}
	return nil
}

// sampleLine returns the user's command line with a server at a URL, which is missing or
// not what the user has typed.
func (c *invocation) sampleLine() []string {
	line := c.without()
	if at := indexWord(line, c.target); c.target != "" && at >= 0 {
		line[at] = sampleURL
	} else {
		line = append(line, sampleURL)
	}
	if len(c.args) == 0 {
		line = append(line, strings.Fields(c.command.sample)...)
	}
	return line
}

// checkServer reports a URL after --, or a URL and a command.
func (c *invocation) checkServer() error {
	before, _ := cutServer(c.typed)
	if strings.Contains(c.server[0], "://") {
		at := indexWord(before, c.typedCommand()) + 1
		if c.command.started {
			at = len(before)
		}
		return c.urlAfterDashes(c.server[0], slices.Insert(cloneWords(before), at, c.server[0]))
	}
	if env, server := guess.Environment(c.server); env != nil {
		return c.suggest("the variables of a server's environment belong before --", withServer(append(before, env...), server))
	}
	if c.flags.Transport != "" || c.flags.Header != nil || c.flags.Insecure {
		return c.suggest("-t, -H and --insecure need a server at a URL, not one that is started", withServer(c.without("transport", "header", "insecure"), c.server))
	}
	return nil
}

// findTarget checks the target, which is a URL or names a configured server.
func (c *invocation) findTarget() error {
	if c.target == "-" {
		return c.suggest("a command that starts a server belongs after two dashes", c.retyped("-", "--"))
	}
	if strings.Contains(c.target, "://") {
		u, err := httpx.Parse(c.target)
		if err == nil {
			if err = flags.CheckPort(u.Port()); err != nil {
				return c.usageHint(err.Error(), "correct the port")
			}
			return nil
		}
		if c.command.name == "read" && len(c.args) < 2 {
			return c.explainReadURI()
		}
		if better := guess.URL(c.target); better != "" {
			return c.suggest(err.Error(), c.retyped(c.target, better))
		}
		return c.suggest(err.Error(), c.sampleLine())
	}
	return c.findEntry()
}

// explainReadURI returns the failure for a URI of a resource in place of the server.
func (c *invocation) explainReadURI() error {
	line, known := cloneWords(c.typed), serverNames(c.loadAll())
	at := indexWord(line, c.target)
	server, uri, joined := strings.Cut(c.target, "/")
	switch {
	case joined && hasWord(known, server):
		return c.suggest("the server and the URI are separate words", slices.Replace(line, at, at+1, server, uri))
	case len(c.args) > 0:
		line = slices.Insert(slices.DeleteFunc(line, func(word string) bool { return word == c.args[0] }), at, c.args[0])
		return c.suggest("the server comes first", line)
	case len(known) > 0:
		return c.suggest("the server is missing", slices.Insert(line, at, known[0]))
	}
	return c.suggest("the server is missing", slices.Insert(line, at, sampleURL))
}

// urlAfterDashes is the error for a URL where the command of a server belongs. It quotes
// the URL, as a suggestion may change it.
func (c *invocation) urlAfterDashes(url string, line []string) error {
	return c.suggest("the URL "+wire.Quote(url)+" does not belong after --", line)
}
