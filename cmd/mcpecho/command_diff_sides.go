package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

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
	alike   bool // listed with the capabilities of a recorded client
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
			return sides, c.usage("the URL " + wire.Quote(server[0]) + " does not belong after --")
		}
		if len(server) == 0 {
			return sides, c.usage("a command that starts a server is missing after --")
		}
		if isSetting(server[0]) {
			return sides, c.usage(wire.Quote(c.hide(server[0])) + " is a variable, and no program; begin the command with env")
		}
	}
	switch {
	case all > 2:
		return sides, c.usage("diff compares two servers, not " + strconv.Itoa(all) + "; a command that starts one needs quotes or --")
	case all < 2:
		what := "diff needs two servers or recordings"
		if all == 1 {
			what += ", and only one is given"
		}
		return sides, c.usage(what)
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
	d, session := *c, *c
	d.server, d.target, d.entry, d.args = nil, "", nil, nil
	d.recorder, d.flags.Record = nil, "" // which the session keeps open
	sides = [2]diffSide{{c: &d}, {c: &session, session: true}}
	if err := sides[0].find(c.args[0]); err != nil {
		return sides, err
	}
	sides[0].dropFlags()
	return sides, nil
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
		return c.usage(wire.Quote(word) + " is a directory, not a recording")
	case err == nil && strings.ContainsAny(word, `/\`) && isProgram(word) && !isRecording(word):
		c.server = []string{word}
		return nil
	case err == nil:
		s.file = word
		return nil
	case len(words) > 1 && isProgram(words[0]) && open:
		return c.usage(wire.Quote(word) + ": a quote is not closed")
	case len(words) > 1 && isProgram(words[0]):
		c.server = words
		return nil
	case len(words) > 1 && isSetting(words[0]):
		return c.usage(wire.Quote(c.hide(words[0])) + " is a variable, and no program; begin the command with env")
	}
	return s.explainWord(cfg, word)
}

// sampleURL is the URL of a server, for suggestions.
const sampleURL = "https://example.com/mcp"

// explainWord returns the failure for an argument that is neither a server nor a file.
func (s *diffSide) explainWord(cfg *config.Config, word string) error {
	c := s.c
	message := wire.Quote(word) + " is neither a configured server nor a file"
	known := slices.DeleteFunc(append(serverNames(cfg), recordingsLike(word)...), func(name string) bool { return hasWord(c.typed, name) }) // diff needs two
	if near := nearest.Typo(word, known); near != "" {
		return c.suggest(message+" (did you mean "+wire.Quote(near)+"?)", c.renamed(word, near))
	}
	if isProgram(word) {
		return c.usage(wire.Quote(word) + " is a program; the command that starts a server belongs after --")
	}
	if hasWord([]string{".rec", ".mcp", ".jsonl", ".log", ".txt", ".session"}, filepath.Ext(word)) {
		return c.usage(message)
	}
	return c.findTarget() // which has a hint
}

// isProgram reports whether name is a program that this machine can start.
func isProgram(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
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
		return c.usage("-e, --inherit-env and --cwd need a server that is started")
	case !web && (f.Header != nil || f.Transport != ""):
		return c.usage("-t and -H need a server at a URL")
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
