package config

import (
	"slices"
	"strings"
	"sync"

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

func listInputs(list []byte) (in inputs) {
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

// findInput returns what the last of the files that describes an input says about it. If
// none does, the value may be a secret.
func findInput(files []inputs, id string) (*Input, error) {
	for _, in := range slices.Backward(files) {
		if value, ok := in.byID[id]; ok {
			return readInput(id, value)
		} else if in.err != nil {
			return &Input{ID: id, Password: true}, in.err
		}
	}
	return &Input{ID: id, Password: true}, nil
}

// Input returns the description of an input, from the file of the server that uses it:
// a file of a project does not describe what a server of another file asks for. Of several
// such servers, the first one decides. If its file does not describe the input, as after a
// copy of the entry, only ID and Password are set.
func (c *Config) Input(id string) (*Input, error) {
	files := c.inputs
	if c.users != nil {
		if s := c.users.of(id, c.Servers); s != nil {
			files = s.inputs
		}
	}
	return findInput(files, id)
}

// users holds, by the ids of inputs, the first server outside projects that uses one. The
// first Input sets it, so that only programs with inputs link it.
type users struct {
	once sync.Once
	byID map[string]*Server
}

func (u *users) of(id string, servers []*Server) *Server {
	u.once.Do(func() {
		u.byID = make(map[string]*Server)
		for _, s := range servers {
			if s.Scope == "project" {
				continue
			}
			for _, name := range s.taken() {
				if id, ok := strings.CutPrefix(name, "input:"); ok && u.byID[id] == nil {
					u.byID[id] = s
				}
			}
		}
	})
	return u.byID[id]
}

// taken returns the names of the variables and inputs that s uses.
func (s *Server) taken() (names []string) {
	if s.Literal {
		return nil
	}
	seen := make(map[string]bool)
	add := func(text string) {
		eachReference(text, func(_, _, name string) {
			if name == escape || name == "$" {
				return // stands for itself
			}
			if !strings.HasPrefix(name, "input:") && !strings.HasPrefix(name, "file:") {
				name, _, _ = parseReference(name)
			}
			if !seen[name] {
				names, seen[name] = append(names, name), true
			}
		})
	}
	for _, text := range s.EnvFiles {
		add(text)
	}
	for _, v := range s.Env {
		if _, value, ok := cut(v, "="); ok {
			add(value)
		}
	}
	own := make(map[string]bool) // what the other fields take from the entry itself
	lines := slices.Clone(s.Env)
	for _, f := range s.files.read() {
		lines = append(lines, f.lines...)
	}
	for _, v := range lines {
		if name, _, ok := cut(v, "="); ok && !seen[name] {
			own[name] = true
		}
	}
	for name := range own {
		seen[name] = true
	}
	s.copy().texts(func(_, _, text string) string {
		add(text)
		return text
	})
	return names
}

func readInput(id string, value []byte) (*Input, error) {
	in := &Input{ID: id}
	to := []setting{{"description", &in.Description}, {"default", &in.Default}, {"password", &in.Password}, {"options", &in.Options}}
	return in, readKnown("inputs", value, to)
}
