package config

import (
	"errors"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// Servers holds the entries of servers by their names, as a field in a program's own
// configuration:
//
//	type Settings struct {
//		Model string         `json:"model"`
//		MCP   config.Servers `json:"mcp"`
//	}
//
// An invalid entry does not make the others unreadable: it is a Server whose Invalid says
// why, and a host reports it. A timeout that is a number is in seconds. The entries are the
// user's own: a host starts them without [Config.Trust].
type Servers map[string]*Server

// UnmarshalJSON reads an object of entries, each as [Parse] reads it.
func (m *Servers) UnmarshalJSON(data []byte) error {
	entries, err := members(data, 0)
	if string(data) == "null" {
		return nil
	}
	if err != nil {
		return err
	}
	c := &Config{}
	for _, e := range entries {
		e.unit = time.Second
	}
	c.add(data, entries, &Server{})
	*m = make(Servers, len(entries))
	for _, s := range c.All() {
		(*m)[s.Name] = s
		for _, e := range entries {
			if s.Invalid != nil && e.key == s.Name {
				s.raw = mcp.RawMessage(e.value)
			}
		}
	}
	for _, p := range c.Problems {
		if s := (*m)[p.Server]; s != nil {
			p.Line = 0 // of the object, which is a part of a file
			s.problems = append(s.problems, p)
		}
	}
	for _, name := range c.off { // without a command or a URL
		(*m)[name] = &Server{Name: name, Disabled: true, raw: mcp.RawMessage(find(entries, name).value)}
	}
	return nil
}

// Problems returns the errors and warnings about the entries, ordered by their names.
func (m Servers) Problems() (all []*Problem) {
	for _, name := range wire.SortedKeys(m) {
		if s := m[name]; s != nil {
			all = append(all, s.problems...)
		}
	}
	return all
}

// Validate returns an error that joins those of all entries that cannot be used, also of
// those that the program added; see [Server.Validate]. Call it before SetServers of package
// host to refuse a configuration before anything is started.
func (m Servers) Validate() error {
	var all []error
	for _, s := range m.List() {
		err := s.Validate()
		if _, named := err.(*Problem); err != nil && !named {
			err = &Problem{Server: s.Name, Err: err}
		}
		all = append(all, err)
	}
	return errors.Join(all...)
}

// List returns the servers for SetServers of package host, ordered by their names. A Server
// that the program added under another name gets that of its key.
func (m Servers) List() []*Server {
	list := make([]*Server, 0, len(m))
	for _, name := range wire.SortedKeys(m) {
		s := m[name]
		if s == nil || s.Command == "" && s.raw != nil && s.Invalid == nil {
			continue // nothing to start
		}
		if s.Name != name {
			own := *s
			own.Name, s = name, &own
		}
		list = append(list, s)
	}
	return list
}

// MarshalJSON returns the entries if they have no secrets. Otherwise it fails, since a file
// with masks instead of secrets could not be read again: see RevealJSON.
func (m Servers) MarshalJSON() ([]byte, error) {
	return m.append(func(s *Server) ([]byte, error) {
		text, err := s.RevealJSON()
		if err != nil {
			return nil, err
		}
		if public := s.Public(); public.Extra == nil && s.Extra != nil || string(public.appendJSON()) != string(text) {
			return nil, diag.Message("has secrets, which json.Marshal must not show; to write them to a file, marshal the result of config.Servers.RevealJSON as a json.RawMessage")
		}
		return text, nil
	})
}

// RevealJSON returns the entries with their secrets, to write them to a file that
// UnmarshalJSON reads back. An invalid entry is returned as it was read. It fails if a
// secret is masked.
func (m Servers) RevealJSON() ([]byte, error) { return m.append((*Server).RevealJSON) }

func (m Servers) append(entry func(*Server) ([]byte, error)) ([]byte, error) {
	if m == nil {
		return []byte("null"), nil
	}
	b := []byte{'{'}
	for _, name := range wire.SortedKeys(m) {
		s := m[name]
		if s == nil {
			continue
		}
		text := []byte(s.raw)
		if text == nil {
			var err error
			if text, err = entry(s); err != nil {
				return nil, diag.Op("server "+wire.Quote(name), err)
			}
		}
		b = append(wire.AppendKey(b, name), text...)
	}
	return append(b, '}'), nil
}
