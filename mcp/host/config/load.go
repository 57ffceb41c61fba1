package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// A Config is what files say.
type Config struct {
	Servers  []*Server // in the order of their names
	Problems []*Problem
}

// A Problem is something in a file that is of no use. It concerns no more than
// the server that it names.
type Problem struct {
	File    string
	Server  string // empty when it is the whole file
	Warning bool   // no server was lost that could be made out
	Err     error  // names the field
}

func (p *Problem) Error() string {
	s := p.File
	if s == "" {
		s = "configuration"
	}
	if p.Server != "" {
		s += ": server " + strconv.Quote(p.Server)
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
	named := make(map[string]bool)
	for _, s := range n.Servers {
		named[s.Name] = true
	}
	for _, p := range n.Problems {
		named[p.Server] = named[p.Server] || !p.Warning
	}
	c.Problems = append(c.Problems, n.Problems...)
	all := make(map[string]*Server, len(c.Servers))
	for _, s := range c.Servers {
		if !named[s.Name] {
			all[s.Name] = s
		}
	}
	for _, s := range n.Servers {
		all[s.Name] = s
	}
	c.Servers = nil
	for _, name := range sortedKeys(all) {
		c.Servers = append(c.Servers, all[name])
	}
}

// Parse reads the text of a file. source and scope are remembered in its
// servers.
func Parse(text []byte, source, scope string) *Config {
	c := &Config{}
	root, err := members(standard(text))
	var entries []member
	if err == nil {
		entries, err = tables(root)
	}
	if err != nil {
		c.Problems = append(c.Problems, &Problem{File: source, Warning: true, Err: err})
	}
	values := make(map[string][]byte)
	twice := make(map[string]bool)
	for _, m := range entries {
		_, had := values[m.key]
		values[m.key] = m.value
		twice[m.key] = had || twice[m.key]
	}
	for _, name := range sortedKeys(values) {
		s, unknown, err := readServer(name, values[name])
		if twice[name] {
			err = errors.New("is there twice")
		}
		if err != nil {
			c.Problems = append(c.Problems, &Problem{File: source, Server: name, Err: err})
			continue
		}
		s.Source, s.Scope = source, scope
		c.Servers = append(c.Servers, s)
		for _, field := range unknown {
			c.Problems = append(c.Problems, &Problem{source, name, true, fault(field, "is not known")})
		}
	}
	return c
}

// tables returns the servers of all the places where a file may have them.
func tables(root []member) (entries []member, err error) {
	var places []member
	bare := len(root) > 0
	for _, m := range root {
		bare = bare && isServer(m.value)
		switch m.key {
		case "mcpServers", "servers", "mcp_servers", "context_servers", "mcp.servers", "tools.mcp.servers":
			places = append(places, m)
		case "mcp":
			if inner := at(m.value, "servers"); inner != nil && !isServer(inner) {
				m = member{"mcp.servers", inner}
			} else if !areObjects(m.value) {
				continue // settings of something else
			}
			places = append(places, m)
		case "tools":
			if inner := at(m.value, "mcp", "servers"); inner != nil {
				places = append(places, member{"tools.mcp.servers", inner})
			}
		}
	}
	if bare && len(places) == 0 {
		return root, nil
	}
	for _, place := range places {
		list, e := members(place.value)
		if e != nil {
			err = &fieldError{place.key, errNoObject}
		}
		entries = append(entries, list...)
	}
	return entries, err
}

// at follows keys into an object, and returns nil where they lead nowhere.
func at(value []byte, path ...string) []byte {
	for _, key := range path {
		list, _ := members(value)
		value = find(list, key)
	}
	return value
}

// isServer reports whether a value has what only a server has.
func isServer(value []byte) bool {
	list, _ := members(value)
	for _, m := range list {
		switch m.key {
		case "command", "url", "serverUrl", "httpUrl", "baseUrl":
			return len(m.value) > 0 && m.value[0] != '{' // it may be the name of a server, too
		}
	}
	return false
}

func areObjects(value []byte) bool {
	list, err := members(value)
	for _, m := range list {
		if len(m.value) == 0 || m.value[0] != '{' {
			return false
		}
	}
	return err == nil && len(list) > 0
}
