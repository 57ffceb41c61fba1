package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A Config is what files say.
type Config struct {
	Servers  []*Server // in the order of their names
	Problems []*Problem

	inputs [][]byte // the lists of the files, or nil where there is none; see Input
}

// A Problem is something in a file that is of no use. It concerns no more than
// the server that it names.
type Problem struct {
	File    string
	Line    int    // from 1; 0 when it isn't known
	Server  string // empty when it is the whole file
	Warning bool   // no server was lost that could be made out
	Err     error  // names the field
}

func (p *Problem) Error() string {
	s := p.File
	if s == "" {
		s = "configuration"
	}
	if p.Line > 0 {
		s += ":" + strconv.Itoa(p.Line)
	}
	if p.Server != "" {
		s += ": server " + wire.Quote(p.Server)
	}
	return s + ": " + p.Err.Error()
}

func (p *Problem) Unwrap() error { return p.Err }

// Server returns the server of that name, or nil.
func (c *Config) Server(name string) *Server {
	for _, s := range c.Servers {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Load reads .mcp.json in the user's home directory, .mcp.json in dir, and then
// files. A server of a later one takes the place of the one of the same name,
// even if there is something wrong with it. The first two files need not exist.
//
// Nothing is started. Whoever starts the servers of a project should have asked
// the user whether the project is to be trusted; Scope tells which they are.
func Load(dir string, files ...string) *Config {
	c := &Config{}
	user, own := "", filepath.Join(dir, ".mcp.json")
	if home, err := os.UserHomeDir(); err == nil {
		user = filepath.Join(home, ".mcp.json")
		c.read(user, "user")
	}
	if !sameFile(user, own) {
		c.read(own, "project")
	}
	for _, name := range files {
		c.read(name, "local")
	}
	return c
}

func sameFile(a, b string) bool {
	fa, errA := os.Stat(a)
	fb, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(fa, fb)
}

// read adds what a file says.
func (c *Config) read(name, scope string) {
	before := c.Problems
	c.Problems = nil
	for _, p := range before {
		if p.File != name { // what is wrong is said once
			c.Problems = append(c.Problems, p)
		}
	}
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && scope != "local":
	case err != nil:
		c.Problems = append(c.Problems, &Problem{File: name, Warning: true, Err: err})
	default:
		c.merge(Parse(text, name, scope))
	}
}

// merge puts the servers of n in the place of those of the same name.
func (c *Config) merge(n *Config) {
	all := make(map[string]*Server, len(c.Servers))
	for _, s := range c.Servers {
		all[s.Name] = s
	}
	for _, p := range n.Problems {
		if !p.Warning {
			delete(all, p.Server)
		}
	}
	for _, s := range n.Servers {
		all[s.Name] = s
	}
	c.Servers = nil
	for _, name := range wire.SortedKeys(all) {
		c.Servers = append(c.Servers, all[name])
	}
	c.Problems = append(c.Problems, n.Problems...)
	c.inputs = append(c.inputs, n.inputs...)
}

// Parse reads the text of a file. source and scope are remembered in its
// servers.
func Parse(text []byte, source, scope string) *Config {
	c := &Config{}
	file := &member{value: stripComments(text)}
	root, err := members(file.value, 0)
	var entries []*member
	if err == nil {
		entries, err = tables(root)
	}
	if err != nil {
		c.report(text, 0, &Problem{File: source, Warning: true, Err: err})
	}
	c.inputs = [][]byte{at(file, "inputs").value, at(file, "mcp", "inputs").value}
	named := make(map[string]*member)
	for _, m := range entries {
		if _, had := named[m.key]; had {
			m.value = nil // which is meant, nobody can tell
		}
		named[m.key] = m
	}
	for _, name := range wire.SortedKeys(named) {
		m := named[name]
		s, unknown, err := readServer(m)
		if err != nil {
			c.report(text, m.at, &Problem{File: source, Server: name, Err: err})
		} else {
			s.Source, s.Scope = source, scope
			c.Servers = append(c.Servers, s)
		}
		for _, field := range unknown {
			c.report(text, field.at, &Problem{File: source, Server: name, Warning: true, Err: invalidField(field.key, "is not known")})
		}
	}
	return c
}

// report adds a problem, which is at that place of the text unless its error
// knows a better one.
//
//go:noinline
func (c *Config) report(text []byte, at int, p *Problem) {
	switch e := p.Err.(type) {
	case *wire.SyntaxError:
		at = e.Offset
	case *fieldError:
		at = max(at, e.at)
	}
	p.Line = 1
	for _, b := range text[:at] {
		if b == '\n' {
			p.Line++
		}
	}
	c.Problems = append(c.Problems, p)
}

// tables returns the servers of all the places where a file may have them.
func tables(root []*member) (entries []*member, err error) {
	var tables []*member
	bare := len(root) > 0
	for _, m := range root {
		bare = bare && isServer(m.value)
		switch m.key {
		case "mcpServers", "servers", "mcp_servers", "context_servers", "mcp.servers", "tools.mcp.servers":
			tables = append(tables, m)
		case "mcp":
			if inner := at(m, "servers"); inner.value != nil && !isServer(inner.value) {
				inner.key = "mcp.servers"
				m = inner
			} else if !areObjects(m.value) {
				continue // settings of something else
			}
			tables = append(tables, m)
		case "tools":
			if inner := at(m, "mcp", "servers"); inner.value != nil {
				inner.key = "tools.mcp.servers"
				tables = append(tables, inner)
			}
		}
	}
	if bare && len(tables) == 0 {
		return root, nil
	}
	for _, table := range tables {
		list, e := members(table.value, table.at)
		if e != nil {
			err = &fieldError{table.key, errNoObject, table.at}
		}
		entries = append(entries, list...)
	}
	return entries, err
}

// at follows keys into an object, and returns nil where they lead nowhere.
func at(m *member, path ...string) *member {
	for _, key := range path {
		list, _ := members(m.value, m.at)
		m = find(list, key)
	}
	return m
}

// isServer reports whether a value has what only a server has.
func isServer(value []byte) bool {
	list, _ := members(value, 0)
	for _, m := range list {
		switch m.key {
		case "command", "url", "serverUrl", "httpUrl", "baseUrl":
			return len(m.value) > 0 && m.value[0] != '{' // it may be the name of a server, too
		}
	}
	return false
}

func areObjects(value []byte) bool {
	list, err := members(value, 0)
	for _, m := range list {
		if len(m.value) == 0 || m.value[0] != '{' {
			return false
		}
	}
	return err == nil && len(list) > 0
}
