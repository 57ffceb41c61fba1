package config

import "github.com/stdmcp/stdmcp/internal/wire"

// An Input says what somebody is to be asked for where ${input:ID} stands.
type Input struct {
	ID          string
	Description string
	Default     string
	Password    bool     // nobody is to see it
	Options     []string // what there is to choose from; anything if there are none
}

// Input returns what the files say of an input, the last one first. When they
// say nothing, there is no more than the ID.
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
	list, err := object("inputs.", value, 0)
	if err != nil {
		return nil, err
	}
	in := &Input{ID: id}
	for _, m := range list {
		var to any
		switch m.key {
		case "description":
			to = &in.Description
		case "default":
			to = &in.Default
		case "password":
			to = &in.Password
		case "options":
			to = &in.Options
		}
		if err := read(to, m.value); err != nil {
			return nil, newFieldError("inputs."+m.key, err)
		}
	}
	return in, nil
}
