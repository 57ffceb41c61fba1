package config

import (
	"slices"

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

// Input returns the description of an input. If several files describe it, the
// last takes effect; if none does, only ID is set.
func (c *Config) Input(id string) (*Input, error) {
	for _, in := range slices.Backward(c.inputs) {
		if value, ok := in.byID[id]; ok || in.err != nil {
			if !ok {
				return nil, in.err
			}
			return readInput(id, value)
		}
	}
	return &Input{ID: id}, nil
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
