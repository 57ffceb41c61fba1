package config

import (
	"path/filepath"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
)

// ParseTOML parses a file of Codex, which has its servers under mcp_servers.
// source, scope and the settings of a server are as for [Parse], with
// http_headers, env_http_headers and env_vars in addition. ParseTOML understands
// tables, inline tables, strings, numbers, booleans and lists. Other TOML (dates,
// and lists of tables) is an error if it belongs to a server, and ignored
// elsewhere. As with JSON, a file with an error has no servers.
func ParseTOML(text []byte, source, scope string) *Config {
	c := &Config{}
	p := &tomlParser{text: string(text), root: &tomlNode{kind: tomlHeader}}
	err := p.parse()
	servers := p.root.find(serversTable)
	if err == nil && servers != nil && !servers.isTable() {
		p.at, err = int(servers.at), invalidField(serversTable, "must be a table")
	}
	if err != nil {
		c.report(text, p.at, &Problem{File: source, Warning: true, Err: err})
	}
	if err == nil && servers == nil && !strings.Contains(filepath.ToSlash(source), "/.codex/") {
		c.Problems = append(c.Problems, &Problem{File: source, Line: 1, Warning: true, Err: diag.Message("the text is TOML without a table " + serversTable + ", which is where Codex has its servers")})
	}
	if err != nil || servers == nil {
		return c
	}
	var entries []*member
	json := make([]byte, 0, 2*len(text))
	servers.each(func(s *tomlNode) {
		renameCodex(s)
		start := len(json)
		json = s.appendJSON(json)
		entries = append(entries, &member{key: s.key, value: json[start:len(json):len(json)], at: int(s.at)})
	})
	from := &Server{Source: source, Scope: scope, base: projectFolder(source)}
	before := len(c.Problems)
	c.add(text, entries, from)
	for _, problem := range c.Problems[before:] { // offsets within a server are those of its JSON
		if s := servers.find(problem.Server); s != nil {
			problem.Line = c.line(text, int(s.at))
		}
	}
	c.ends = nil
	c.tellAccountsApart()
	return c
}

// renameCodex replaces the settings that only Codex has by ours.
func renameCodex(s *tomlNode) {
	if !s.isTable() {
		return
	}
	all := *s
	s.last, s.keys, s.size = nil, nil, 0
	headers := &tomlNode{key: "headers", kind: tomlTable}
	all.each(func(m *tomlNode) {
		switch {
		case m.key == "http_headers" && m.isTable():
			m.each(headers.append)
		case m.key == "env_http_headers" && m.isTable():
			m.each(func(h *tomlNode) {
				if h.kind == tomlString {
					h.text = "${" + h.text + ":-}" // without a value, there is no header
				}
				headers.append(h)
			})
		default:
			if m.key == "env_vars" {
				m.key = "environment"
			}
			s.append(m)
		}
	})
	if headers.last != nil {
		s.append(headers)
	}
}
