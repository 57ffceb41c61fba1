package config

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// A Config is the merged contents of files.
type Config struct {
	Servers  []*Server // ordered by name
	Problems []*Problem

	// Discovery holds the settings under tools.mcp.discovery of the last file that
	// has any; nil if none has.
	Discovery *Discovery

	off     []string  // names that an entry only disables
	invalid []*Server // see All
	inputs  []inputs  // of each file; see Input
	users   *users    // of inputs; nil if no file is read
	program string    // that the file is for, if its content says so
	ends    []int     // offsets of the line breaks in the text, while it is parsed
}

// A Problem is an error or a warning about a file. It affects only the server
// that it names.
type Problem struct {
	File    string
	Line    int    // 1-based; 0 if unknown
	Server  string // empty if the whole file is affected
	Warning bool   // the server, if any, is loaded
	Err     error  // names the field
}

func (p *Problem) Error() string {
	s := p.File
	if s == "" {
		s = "configuration"
	} else if wire.IndexAny(s, "\r\n") >= 0 { // a folder's name must not look like a line of the program
		s = wire.Quote(s)
	}
	if p.Line > 0 {
		s += ":" + strconv.Itoa(p.Line)
	}
	if p.Server != "" {
		s += ": server " + quoteCut(p.Server)
	}
	return s + ": " + p.Err.Error()
}

func (p *Problem) Unwrap() error { return p.Err }

// Server returns the server with the given name, or nil.
func (c *Config) Server(name string) *Server {
	for _, s := range c.Servers {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// All returns the servers and, for each invalid entry, a Server whose Invalid says
// why it cannot be used. A host that gets all of them counts invalid entries among
// the servers that failed.
func (c *Config) All() []*Server { return slices.Concat(c.Servers, c.invalid) }

// Load reads .mcp.json in the user's home directory, .mcp.json in dir, and
// files, in this order. Each must be a regular file of at most 4 MiB. A server
// replaces an earlier one with the same name, even if the later one is invalid.
// The first two files are optional. The servers have the scopes "user",
// "project" and "local".
//
// Programs start in dir unless their entry has a cwd. A relative cwd, envFile or
// command with a slash is relative to the folder of the project that the file
// belongs to: the folder of the file, or the one above a folder such as .vscode.
//
// Load starts nothing, and a host starts the servers with the scope "project" only after
// [Config.Trust]. Without Trust, Diff.Errors of package host names them.
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
	if folder, err := filepath.Abs(dir); err == nil {
		for _, s := range c.Servers {
			s.project = folder
		}
	}
	c.tellAccountsApart()
	return c
}

func sameFile(a, b string) bool {
	fa, errA := os.Stat(a)
	fb, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(fa, fb)
}

// read merges a file into c.
func (c *Config) read(name, scope string) {
	before := c.Problems
	c.Problems = nil
	for _, p := range before {
		if p.File != name { // the same file again: report its problems once
			c.Problems = append(c.Problems, p)
		}
	}
	text, err := readFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && scope != "local":
	case err != nil:
		c.Problems = append(c.Problems, &Problem{File: name, Warning: true, Err: err})
	default:
		n := Parse(text, name, scope)
		if folder, err := filepath.Abs(name); err == nil {
			for _, s := range n.Servers {
				s.setBase(projectFolder(folder))
			}
		}
		c.merge(n)
	}
}

// merge adds the servers of n and replaces those of the same name.
func (c *Config) merge(n *Config) {
	var all []*Server
	for _, list := range [...][]*Server{c.Servers, c.invalid, n.Servers, n.invalid} {
		all = append(all, list...) // generic functions would link all methods of a Server
	}
	last := make(map[string]int)
	for i, s := range all {
		last[s.Name] = i
	}
	c.Servers, c.invalid = nil, nil
	for _, name := range wire.SortedKeys(last) {
		if s := all[last[name]]; s.Invalid == nil {
			c.Servers = append(c.Servers, s)
		} else {
			c.invalid = append(c.invalid, s)
		}
	}
	c.disable(n.off)
	c.Problems = append(c.Problems, n.Problems...)
	c.inputs, c.users = append(c.inputs, n.inputs...), &users{}
	if n.Discovery != nil {
		c.Discovery = n.Discovery
	}
}

// disable disables servers, which other files may have.
func (c *Config) disable(names []string) {
	for i, s := range c.Servers {
		if slices.Contains(names, s.Name) {
			own := *s
			own.Disabled = true
			c.Servers[i] = &own
		}
	}
}

// readOff disables the servers that the file switches off: in lists of Gemini CLI and of
// Claude Code, and all of them in a file of PicoClaw.
func (c *Config) readOff(file *member) {
	for _, list := range [...]*member{at(file, "mcp/excluded"), at(file, "disabledMcpServers"), at(file, "disabledMcpjsonServers")} {
		names, _ := readStrings(list.value)
		c.off = append(c.off, names...)
	}
	allowed, err := readStrings(at(file, "mcp/allowed").value)
	if on, invalid := readBool(at(file, "tools/mcp/enabled").value); err == nil || invalid == nil && !on {
		for _, s := range c.Servers {
			if !slices.Contains(allowed, s.Name) {
				c.off = append(c.off, s.Name)
			}
		}
	}
	c.disable(c.off)
}

// Parse parses the contents of a file. source and scope are stored in the
// servers. If source is an absolute path, relative paths in the file are relative
// to the folder of its project.
//
// Values nest at most 128 deep, in every dialect. A file has at most 10,000 servers,
// whose names have at most 256 bytes. After 1,000 warnings, the others are left out.
func Parse(text []byte, source, scope string) *Config {
	c := &Config{}
	file := &member{value: stripComments(text)}
	root, err := members(file.value, 0)
	if err != nil {
		if language(text) == "TOML" {
			return ParseTOML(text, source, scope)
		}
		err = explainText(text, err)
	}
	schema, _ := readString(at(file, "$schema").value)
	c.program = programOf(schema)
	var entries []*member
	if err == nil {
		entries, err = tables(root)
	}
	c.report(text, 0, source, "", true, err)
	for _, list := range [...]*member{at(file, "inputs"), at(file, "mcp/inputs")} {
		if list.value != nil {
			c.inputs, c.users = append(c.inputs, listInputs(list.value)), &users{}
		}
	}
	c.add(text, entries, &Server{Source: source, Scope: scope, base: projectFolder(source)})
	if err == nil && len(entries) == 0 && c.program == "" {
		c.report(text, 0, source, "", true, explainKeys(root))
	}
	c.readOff(file)
	c.report(text, 0, source, "", true, c.readDiscovery(at(file, "tools/mcp/discovery")))
	c.ends = nil
	c.tellAccountsApart()
	return c
}

// maxServers and maxWarnings limit what a file may have: two letters of it become a
// Server, or a warning. maxName is the limit of a server's name, in bytes.
const (
	maxServers  = 10_000
	maxWarnings = 1000
	maxName     = 256
)

// add reads entries at offsets of text. from has what all of them have.
func (c *Config) add(text []byte, entries []*member, from *Server) {
	if len(entries) > maxServers {
		err := diag.Message("there are " + strconv.Itoa(len(entries)) + " servers; a file may have " + strconv.Itoa(maxServers))
		c.report(text, entries[maxServers].at, from.Source, "", true, err)
		return
	}
	left := maxWarnings
	folder := ""
	if filepath.IsAbs(from.Source) {
		folder = filepath.Dir(from.Source)
	}
	if c.program == "" {
		c.program = programOf(from.Source)
	}
	of := &origin{c.program, folder}
	named := make(map[string]*member)
	for _, m := range entries {
		if m.of = of; m.unit == 0 {
			m.unit = unitOf(c.program)
		}
		if _, had := named[m.key]; had {
			m.value = nil // readServer reports the duplicate
		}
		named[m.key] = m
	}
	for _, name := range wire.SortedKeys(named) {
		m := named[name]
		s, warnings, err := readServer(m)
		if err == errOnlyOff {
			c.off = append(c.off, name)
		} else if err != nil {
			p := c.report(text, m.at, from.Source, name, false, err)
			c.invalid = append(c.invalid, &Server{Name: name, Source: from.Source, Scope: from.Scope, Invalid: p})
		} else {
			s.Source, s.Scope = from.Source, from.Scope
			s.setBase(from.base)
			s.inputs, s.untrusted = c.inputs, from.Scope == "project"
			if s.untrusted && (len(s.EnvFiles) > 0 || s.takesFile()) {
				s.files = &fileEnv{}
			}
			c.Servers = append(c.Servers, s)
		}
		for _, w := range warnings[:min(left, len(warnings))] {
			c.report(text, m.at, from.Source, name, true, w)
		}
		left -= min(left, len(warnings))
	}
}

// report adds a problem at an offset of the text, unless its error has a better one.
func (c *Config) report(text []byte, at int, file, server string, warning bool, err error) *Problem {
	switch e := err.(type) {
	case nil:
		return nil
	case *wire.SyntaxError:
		at = e.Offset
	case *fieldError:
		at = max(at, e.at)
	}
	p := &Problem{file, c.line(text, at), server, warning, err}
	c.Problems = append(c.Problems, p)
	return p
}

// line returns the line of an offset of the text, of which there may be hundreds of
// thousands.
func (c *Config) line(text []byte, at int) int {
	if c.ends == nil {
		c.ends = make([]int, 0, bytes.Count(text, []byte("\n")))
		for i, b := range text {
			if b == '\n' {
				c.ends = append(c.ends, i)
			}
		}
	}
	n, _ := slices.BinarySearch(c.ends, at)
	return n + 1
}
