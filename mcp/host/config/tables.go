package config

import (
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// tables returns the servers at all places where a file may define them.
func tables(root []*member) (entries []*member, err error) {
	bare, found := len(root) > 0, false
	for _, m := range root {
		bare = bare && (isServer(m.value) || m.key == "$schema")
		name, unit := m.key, time.Duration(0)
		switch name {
		case "mcpServers", "servers", "mcp.servers", "amp.mcpServers":
		case "mcp_servers", "context_servers", "tools.mcp.servers":
			unit = time.Second
		case "mcp":
			if inner := at(m, "servers"); inner.value != nil && !isServer(inner.value) {
				m, name = inner, "mcp.servers"
			} else if !areObjects(m.value) {
				continue // settings of something else
			}
		case "tools":
			inner := at(m, "mcp/servers")
			if inner.value == nil {
				inner = at(m, "mcpServers") // of nanobot
			}
			if inner.value == nil {
				continue
			}
			m, name, unit = inner, "tools.mcp.servers", time.Second
		default:
			continue
		}
		found = true
		list, e := members(m.value, m.at)
		if e != nil {
			err = &fieldError{name, errNoObject, m.at}
		}
		for _, server := range list {
			server.unit = unit
		}
		entries = append(entries, list...)
	}
	if !bare || found {
		return entries, err
	}
	for _, m := range root {
		if m.key != "$schema" {
			entries = append(entries, m)
		}
	}
	return entries, nil
}

// explainKeys returns what is wrong with a file of members but without servers, or nil.
func explainKeys(root []*member) error {
	for _, m := range root {
		if isServerField(m) {
			return diag.Message(`the text is one server; write {"mcpServers": {"NAME": {…}}} around it`)
		}
		switch plain := diag.Letters(m.key); {
		case m.key == "mcpServers" || m.key == "servers":
			return nil // none on purpose
		case plain == "mcpservers", plain == "mcpserver", plain == "server", plain == "mcps":
			return &fieldError{m.key, diag.Message(`must be "mcpServers"`), m.at}
		}
		if holdsServers(m.value, 4) {
			return &fieldError{m.key, diag.Message(`is not a key of servers; use "mcpServers", an object with their names`), m.at}
		}
	}
	return nil
}

// holdsServers reports whether a value has servers in it, at most so deep.
func holdsServers(value []byte, depth int) bool {
	list, _ := members(value, 0)
	if kind(value) == wire.Array {
		r := wire.NewReader(value)
		for r.Array(); r.More(); {
			list = append(list, &member{value: r.Raw()})
		}
	}
	for _, m := range list {
		if isServer(m.value) || m.key == "mcpServers" || depth > 0 && holdsServers(m.value, depth-1) {
			return true
		}
	}
	return false
}

// at follows keys, which slashes separate, into nested objects. It returns an empty member
// if one is missing.
func at(m *member, path string) *member {
	for key := ""; path != ""; {
		key, path, _ = cut(path, "/")
		list, _ := members(m.value, m.at)
		m = find(list, key)
	}
	return m
}

// isServer reports whether a value has a field that only servers have.
func isServer(value []byte) bool {
	list, _ := members(value, 0)
	for _, m := range list {
		if isServerField(m) {
			return true
		}
	}
	return false
}

func isServerField(m *member) bool {
	switch m.key {
	case "command", "url", "serverUrl", "httpUrl", "baseUrl":
		return len(m.value) > 0 && m.value[0] != '{' // an object: a server with this name
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
