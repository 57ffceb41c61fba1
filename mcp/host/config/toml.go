package config

import "github.com/stdmcp/stdmcp/internal/wire"

// ParseTOML parses a file of Codex, which has its servers under mcp_servers.
// source, scope and the settings of a server are as for [Parse], with
// http_headers, env_http_headers and env_vars in addition. ParseTOML understands
// tables, inline tables, strings, numbers, booleans and lists. Other TOML (dates,
// and lists of tables) is an error if it belongs to a server, and ignored
// elsewhere.
func ParseTOML(text []byte, source, scope string) *Config {
	c := &Config{}
	p := &tomlParser{text: string(text), root: &tomlTable{}}
	if err := p.parse(); err != nil {
		c.report(text, p.at, &Problem{File: source, Warning: true, Err: err})
	}
	var entries []*member
	if table := p.root.find("mcp_servers"); table != nil {
		for _, s := range table.table {
			renameCodex(s)
			entries = append(entries, &member{key: s.key, value: s.appendJSON(nil), at: s.at})
		}
	}
	from := &Server{Source: source, Scope: scope, base: projectFolder(source)}
	before := len(c.Problems)
	c.add(text, entries, from)
	for _, problem := range c.Problems[before:] { // offsets within a server are those of its JSON
		if table := p.root.find("mcp_servers"); table != nil {
			if s := table.find(problem.Server); s != nil {
				problem.Line = c.line(text, s.at)
			}
		}
	}
	c.ends = nil
	return c
}

// renameCodex replaces the settings that only Codex has by ours.
func renameCodex(s *tomlTable) {
	headers := &tomlTable{key: "headers"}
	var rest []*tomlTable
	for _, m := range s.table {
		switch m.key {
		case "http_headers":
			headers.table = append(headers.table, m.table...)
		case "env_http_headers":
			for _, h := range m.table {
				name, _ := readString([]byte(h.value))
				value := wire.AppendString(nil, "${"+name+"}")
				headers.table = append(headers.table, &tomlTable{key: h.key, value: string(value)})
			}
		case "env_vars":
			rest = append(rest, &tomlTable{key: "environment", value: m.value})
		default:
			rest = append(rest, m)
		}
	}
	if headers.table != nil {
		rest = append(rest, headers)
	}
	s.table = rest
}
