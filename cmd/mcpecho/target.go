package main

import (
	"os"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/cmdline"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// takeTarget takes the target from the arguments and checks the number of the
// others.
func (c *invocation) takeTarget() error {
	cmd := c.command
	if !hasWord(checksConfig, cmd.name) {
		if err := c.checkFiles(); err != nil {
			return err
		}
	}
	if len(c.args) > 0 && c.server == nil && (hasWord(cmd.actions, c.args[0])) {
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
	if len(c.args) > 1 && c.server == nil && cmd.actions != nil && !hasWord(cmd.actions, c.args[1]) && len(c.configured(c.args[0])) == 0 {
		if near := nearest.Typo(c.args[0], cmd.actions); near != "" {
			return c.suggest(cmd.name+" has no action "+wire.Quote(c.args[0])+" (did you mean "+wire.Quote(near)+"?)", c.renamed(c.args[0], near))
		}
	}
	switch {
	case c.server != nil && cmd.name == "" && len(c.server) > 0:
		return c.suggest("a command is missing before --", append(cmdline.Words("tools"), cmdline.Own(c.typed...)...))
	case c.server != nil && cmd.web && cmd.target:
		return c.usage(cmd.name + " needs a server at a URL, not one that is started")
	case c.server != nil && !cmd.target && !cmd.started:
		return c.usage(cmd.name + " does not start a server")
	case c.server != nil && cmd.pair && len(c.server) > 0:
	case c.server != nil && len(c.server) == 0:
		return c.usage("the command that starts the server is missing after --")
	case c.server != nil:
		if err := c.checkServer(); err != nil {
			return err
		}
	case cmd.target && len(c.args) == 0:
		return c.usage("the server is missing")
	case cmd.name == "hold" && len(c.args) > 1: // NAME comes first
		c.target, c.args = c.args[1], append(c.args[:1:1], c.args[2:]...)
		if err := c.findTarget(); err != nil {
			return err
		}
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
	case cmd.tool && len(c.args) > 0 && cmd.min > 0 && strings.Contains(c.args[0], "="):
		return c.usage(cmd.name + " needs TOOL before " + wire.Quote(c.hide(c.args[0])))
	case cmd.name == "raw" && strings.HasPrefix(c.args[0], "{"):
		return c.usage("raw needs METHOD before the JSON")
	case cmd.pair:
		_, err := c.diffSides()
		return err
	case cmd.name == "call": // before a server is started, and so that no suggestion fails
		for _, arg := range c.args[1:] {
			if err := toolargs.Check(arg); err != nil && !strings.Contains(arg, "…") {
				return c.usage(err.Error())
			}
		}
	}
	return nil
}

// checkServer reports what cannot be the command of a server.
func (c *invocation) checkServer() error {
	switch {
	case strings.Contains(c.server[0], "://") && len(c.server) == 1 && len(c.args) == 0:
		before, _ := cutServer(c.typed)
		return c.suggest("the URL "+wire.Quote(c.server[0])+" does not belong after --", cmdline.Own(append(before, c.server[0])...))
	case strings.Contains(c.server[0], "://"):
		return c.usage("the URL " + wire.Quote(c.server[0]) + " does not belong after --")
	case isSetting(c.server[0]):
		return c.usage("the variables of a server's environment belong before --, each after -e")
	case c.flags.Transport != "" || c.flags.Header != nil || c.flags.Insecure:
		return c.suggest("-t, -H and --insecure need a server at a URL, not one that is started", withServer(c.without("transport", "header", "insecure"), c.server))
	}
	return nil
}

// isSetting reports whether a word sets a variable of the environment, as in DEBUG=1.
func isSetting(word string) bool {
	key, _, ok := strings.Cut(word, "=")
	return ok && key != "" && !strings.ContainsFunc(key, notInName)
}

// findTarget checks the target, which is a URL or names a configured server.
func (c *invocation) findTarget() error {
	if c.target == "-" {
		return c.suggest("a command that starts a server belongs after two dashes", c.retyped("-", cmdline.Own("--")...))
	}
	if strings.Contains(c.target, "://") {
		u, err := httpx.Parse(c.target)
		if err == nil {
			if err = flags.CheckPort(u.Port()); err != nil {
				return c.usageHint(err.Error(), "correct the port")
			}
			return nil
		}
		if c.command.name == "read" && len(c.args) == 0 {
			return c.usage("the server is missing")
		}
		return c.usage(err.Error())
	}
	if is, err := c.findSession(); is {
		return err
	}
	return c.findEntry()
}
