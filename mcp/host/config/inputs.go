package config

import "github.com/stdmcp/stdmcp/internal/wire"

// An Input describes what to ask the user for a ${input:ID}.
type Input struct {
	ID          string
	Description string
	Default     string
	Password    bool     // do not show what the user types
	Options     []string // the choices; empty allows any text
}

// Input returns the description of an input. If several files describe it, the
// last takes effect; if none does, only ID is set.
func (c *Config) Input(id string) (*Input, error) {
	for i := len(c.inputs) - 1; i >= 0; i-- {
		if c.inputs[i] == nil {
			continue
		}
		r := wire.NewReader(c.inputs[i])
		for r.Array(); r.More(); {
			value := r.Raw()
			if have, _ := readString(at(&member{value: value}, "id").value); have == id {
				return readInput(id, value)
			}
		}
		if err := r.Err(); err != nil {
			return nil, newFieldError("inputs", typeError("a list of objects", c.inputs[i]))
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
