package config

import (
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// An Input describes what to ask the user for a ${input:ID}.
type Input struct {
	ID          string
	Description string
	Default     string
	Password    bool     // do not show what the user types
	Options     []string // the choices; empty allows any text
}

// inputs holds the inputs that a file describes, by their ids.
type inputs struct {
	byID map[string][]byte
	err  error // of the list
}

// listInputs returns the inputs in a list, which is nil if a file has none.
func listInputs(list []byte) (in inputs) {
	if list == nil {
		return in
	}
	in.byID = make(map[string][]byte)
	r := wire.NewReader(list)
	for r.Array(); r.More(); {
		value := r.Raw()
		id, err := readString(at(&member{value: value}, "id").value)
		if _, had := in.byID[id]; !had && err == nil {
			in.byID[id] = value
		}
	}
	if r.Err() != nil {
		in.err = newFieldError("inputs", typeError("a list of objects", list))
	}
	return in
}

// An ask is what the file of a server says about an input that the server uses.
type ask struct {
	value []byte // nil if it does not describe it
	err   error
}

// asksOf returns what this file says about the inputs that s uses.
func (c *Config) asksOf(s *Server) (asks map[string]ask) {
	for _, name := range s.effects().taken {
		if id, ok := strings.CutPrefix(name, "input:"); ok {
			if asks == nil {
				asks = make(map[string]ask)
			}
			asks[id] = c.ask(id)
		}
	}
	return asks
}

// ask returns what the last file that describes an input says about it.
func (c *Config) ask(id string) ask {
	for _, in := range slices.Backward(c.inputs) {
		if value, ok := in.byID[id]; ok || in.err != nil {
			if ok {
				return ask{value: value}
			}
			return ask{err: in.err}
		}
	}
	return ask{}
}

// Input returns the description of an input, from the file of the server that uses it:
// a file of a project does not describe what a server of another file asks for. Of several
// such servers, the first one decides. If its file does not describe the input, only ID is
// set.
func (c *Config) Input(id string) (*Input, error) {
	found, scope := c.ask(id), "project"
	for _, s := range c.Servers {
		if a, uses := s.asks[id]; uses && scope == "project" && s.Scope != scope {
			found, scope = a, s.Scope
		}
	}
	if found.value == nil {
		return &Input{ID: id}, found.err
	}
	return readInput(id, found.value)
}

func readInput(id string, value []byte) (*Input, error) {
	in := &Input{ID: id}
	return in, each("inputs", value, func(m *member) error {
		switch m.key {
		case "description":
			return read(&in.Description, m.value)
		case "default":
			return read(&in.Default, m.value)
		case "password":
			return read(&in.Password, m.value)
		case "options":
			return read(&in.Options, m.value)
		}
		return nil
	})
}
