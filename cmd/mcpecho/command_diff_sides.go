package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/guess"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/shellwords"
	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// A diffSide is one of the two servers of diff: a recording, or a server to connect to.
type diffSide struct {
	c     *invocation
	file  string   // of a recording
	typed string   // the argument
	all   []string // after the first --

	session bool // the server of the shell
	alike   bool // listed with other capabilities than those of mcpecho
}

// diffSides returns the two sides of the command line: arguments before --, and
// commands after each --.
func (c *invocation) diffSides() (sides [2]diffSide, err error) {
	if c.inShell() {
		return c.diffInShell()
	}
	servers := c.servers()
	all := len(c.args) + len(servers)
	for _, server := range servers {
		if len(server) > 0 && strings.Contains(server[0], "://") {
			return sides, c.urlAfterDashes(server[0], append(c.without(), server[0]))
		}
		if len(server) == 0 {
			return sides, c.suggest("a command that starts a server is missing after --", c.diffLine(c.args, servers))
		}
		if env, _ := guess.Environment(server); env != nil {
			at := len(c.typed) - len(c.server) // after --
			for !slices.Equal(c.typed[at:at+len(server)], server) {
				at++
			}
			return sides, c.suggest(wire.Quote(server[0])+" is a variable, and no program", slices.Insert(cloneWords(c.typed), at, "env"))
		}
	}
	switch {
	case all > 2:
		what := "diff compares two servers, not " + strconv.Itoa(all)
		at := len(c.args)
		switch {
		case len(servers) > 1:
		case !guess.NamesServer(c.args):
			at = 1
		case len(servers) == 0:
			at /= 2
		}
		if before, after := c.args[:at], c.args[at:]; len(servers) < 2 && (at > 1 || guess.NamesServer(after)) {
			line := []string{"diff", shellwords.Join(before)}
			if len(after) > 0 {
				line = append(line, shellwords.Join(after))
			}
			for _, server := range servers {
				line = withServer(line, server)
			}
			return sides, c.suggest(what+"; a command that starts one needs quotes or --", line)
		}
		named := slices.DeleteFunc(cloneWords(c.args), func(word string) bool { return !c.isServer(word) && !isFile(word) })
		return sides, c.suggest(what, c.diffLine(append(named, c.args...), servers))
	case all < 2:
		what := "diff needs two servers or recordings"
		if all == 1 {
			what += ", and only one is given"
		}
		return sides, c.suggest(what, c.diffLine(c.args, servers))
	}
	if err := c.explainScripts(); err != nil {
		return sides, err
	}
	for i := range sides {
		d := *c
		d.server, d.args, d.target, d.entry = nil, nil, "", nil
		sides[i] = diffSide{c: &d, all: c.server}
		if at := i - len(c.args); at >= 0 {
			d.server = servers[at]
		} else {
			err = sides[i].find(c.args[i])
		}
		if err != nil {
			return sides, err
		}
	}
	return sides, c.shareFlags(sides)
}

// explainScripts returns the failure for arguments that are scripts, with the commands
// that run all of them, or nil.
func (c *invocation) explainScripts() error {
	var scripts []string
	line := slices.Clone(c.typed)
	cfg, _ := c.load()
	for _, word := range c.args {
		server := guess.Interpreter(word)
		if info, err := os.Stat(word); err != nil || info.IsDir() || server == nil || cfg.Server(word) != nil || isRecording(word) || filepath.Base(word) != word && guess.IsProgram(word) {
			continue // a script with a path that the system can start is a command
		}
		scripts = append(scripts, word)
		if at := slices.Index(line, word); at >= 0 {
			line[at] = shellwords.Join(server)
		}
	}
	switch len(scripts) {
	case 0:
		return nil
	case 1:
		return c.suggest(scripts[0]+" is a program, and no recording", line)
	}
	return c.suggest(strings.Join(scripts, " and ")+" are programs, and no recordings", line)
}

// servers returns the commands after each --.
func (c *invocation) servers() (all [][]string) {
	for rest := c.server; rest != nil; {
		var one []string
		one, rest = cutServer(rest)
		all = append(all, one)
	}
	return all
}

// diffInShell returns the sides of diff in a shell: its argument, and the server of the
// shell.
func (c *invocation) diffInShell() (sides [2]diffSide, err error) {
	if len(c.args) != 1 {
		return sides, c.usage("in a shell, diff compares one server or recording with that of the shell")
	}
	if err := c.explainScripts(); err != nil {
		return sides, err
	}
	d, session := *c, *c
	d.server, d.target, d.entry, d.args = nil, "", nil, nil
	d.recorder, d.flags.Record, d.flags.Trace = nil, "", "" // which the session keeps open
	sides = [2]diffSide{{c: &d}, {c: &session, session: true}}
	if err := sides[0].find(c.args[0]); err != nil {
		return sides, err
	}
	sides[0].dropFlags()
	return sides, nil
}

// diffLine returns a command line with the first two of the arguments and the commands, and
// a sample in place of what is missing.
func (c *invocation) diffLine(args []string, servers [][]string) []string {
	line := slices.DeleteFunc(c.without(), func(word string) bool { return hasWord(c.args, word) })
	servers = slices.DeleteFunc(slices.Clone(servers), func(server []string) bool { return len(server) == 0 })
	args = append(cloneWords(args[:min(len(args), 2)]), sampleURL, sampleURL)
	servers = servers[:min(len(servers), 2)]
	line = append(line, args[:2-len(servers)]...)
	for _, server := range servers {
		line = withServer(line, server)
	}
	return line
}

// find finds what an argument names: a URL, a configured server, a recording, a
// program by its path, or a command in quotes.
func (s *diffSide) find(word string) error {
	c := s.c
	c.target, s.typed = word, word
	if strings.Contains(word, "://") {
		return c.findTarget()
	}
	cfg, name := c.load()
	info, err := os.Stat(word)
	words, open := shellwords.Fields(word)
	switch {
	case cfg.Server(name) != nil:
		return c.findTarget()
	case err == nil && info.IsDir():
		return c.suggest(wire.Quote(word)+" is a directory, not a recording", c.retyped(word, sampleURL))
	case err == nil && strings.ContainsAny(word, `/\`) && guess.IsProgram(word) && !isRecording(word):
		c.server = []string{word}
		return nil
	case err == nil:
		s.file = word
		return nil
	case len(words) > 1 && guess.IsProgram(words[0]) && open:
		return c.suggest(wire.Quote(word)+": a quote is not closed", c.retyped(word, strings.NewReplacer(`"`, "", "'", "").Replace(word)))
	case len(words) > 1 && guess.IsProgram(words[0]):
		c.server = words
		return nil
	case len(words) > 1 && guess.NamesServer(words): // after its variables
		return c.suggest(wire.Quote(words[0])+" is a variable, and no program", c.retyped(word, "env "+word))
	}
	return s.explainWord(cfg, word)
}

// sampleURL is the URL of a server, for suggestions.
const sampleURL = "https://example.com/mcp"

// explainWord returns the failure for an argument that is neither a server nor a file.
func (s *diffSide) explainWord(cfg *config.Config, word string) error {
	c := s.c
	message := wire.Quote(word) + " is neither a configured server nor a file"
	known := serverNames(cfg)
	if near := nearest.Names(word, append(known, recordingsLike(word)...)); len(near) > 0 {
		return c.suggest(message+" (did you mean "+wire.Quote(near[0])+"?)", c.retyped(word, near[0]))
	}
	if path, err := exec.LookPath(word); err == nil {
		return c.usageHint(wire.Quote(word)+" is a program", "if it is a server, type: "+c.paste(c.retyped(word, path)))
	}
	if hasWord([]string{".rec", ".mcp", ".json", ".jsonl", ".log", ".txt", ".session"}, filepath.Ext(word)) && !strings.Contains(word, ":") {
		return c.usageHint(message, "to record a server, type: "+c.paste([]string{"tools", "--record", word, sampleURL}))
	}
	err := c.findTarget()
	var f *failure.Error
	if err == nil || errors.As(err, &f) && !strings.HasPrefix(f.Hint, "use a URL, or type: ") {
		return err // with a better hint
	}
	return c.suggest(message, c.retyped(word, sampleURL))
}

// starts reports whether the side starts a program, and web whether it is at a URL.
func (s *diffSide) starts() bool {
	return s.c.server != nil || s.c.entry != nil && s.c.entry.Type == config.Stdio
}

func (s *diffSide) web() bool { return s.file == "" && !s.starts() }

// shareFlags leaves the flags for programs to the sides that start one, and those for
// URLs to the others.
func (c *invocation) shareFlags(sides [2]diffSide) error {
	starts, web := sides[0].starts() || sides[1].starts(), sides[0].web() || sides[1].web()
	f := &c.flags
	switch {
	case !starts && (f.Env != nil || f.InheritEnv || f.Dir != ""):
		return c.suggest("-e, --inherit-env and --cwd need a server that is started", c.without("env", "inherit-env", "cwd"))
	case !web && (f.Header != nil || f.Transport != ""):
		line := c.without("transport", "header")
		for _, server := range c.servers() {
			line = withServer(line, server)
		}
		return c.suggest("-t and -H need a server at a URL", line)
	}
	for i := range sides {
		sides[i].dropFlags()
	}
	return nil
}

// dropFlags drops the flags for URLs from a side that starts a program, and those for
// programs from another one.
func (s *diffSide) dropFlags() {
	if f := &s.c.flags; s.starts() {
		f.Header, f.Transport = nil, ""
	} else {
		f.Env, f.InheritEnv, f.Dir = nil, false, ""
	}
}
