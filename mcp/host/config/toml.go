package config

import (
	"path/filepath"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
)

// ParseTOML parses a file of Codex, which has its servers under mcp_servers.
// source, scope and the settings of a server are as for [Parse]. ParseTOML understands
// tables, inline tables, strings, numbers, booleans and lists. Other TOML (dates,
// and lists of tables) is an error if it belongs to a server, and ignored
// elsewhere. As with JSON, a file with an error has no servers.
func ParseTOML(text []byte, source, scope string) *Config {
	c := &Config{}
	p := &tomlParser{text: string(text), root: &tomlNode{kind: tomlHeader}, members: make(map[tomlKey]*tomlNode)}
	err := p.parse()
	servers := p.find(p.root, serversTable)
	if err == nil && servers != nil && !servers.isTable() {
		p.at, err = int(servers.at), invalidField(serversTable, "must be a table")
	}
	if err == nil && servers == nil && !strings.Contains(filepath.ToSlash(source), "/.codex/") {
		err = diag.Message("the text is TOML without a table " + serversTable + ", which is where Codex has its servers")
		c.Problems = append(c.Problems, &Problem{File: source, Line: 1, Warning: true, Err: err})
	} else if err != nil {
		c.report(text, p.at, source, "", true, err)
	}
	if err != nil || servers == nil {
		return c
	}
	var entries []*member
	json := make([]byte, 0, 2*len(text))
	for s := range servers.each {
		start := len(json)
		json = s.appendJSON(json)
		entries = append(entries, &member{key: s.key, value: json[start:len(json):len(json)], at: int(s.at)})
	}
	c.add(text, entries, &Server{Source: source, Scope: scope, base: projectFolder(source)})
	for _, problem := range c.Problems { // offsets within a server are those of its JSON
		if s := p.find(servers, problem.Server); s != nil {
			problem.Line = c.line(text, int(s.at))
		}
	}
	c.ends = nil
	c.tellAccountsApart()
	return c
}
