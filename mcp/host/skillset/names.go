package skillset

import (
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/glob"
	"github.com/stdmcp/stdmcp/mcp/host"
)

// An origin identifies a skill.
type origin struct{ server, uri string }

// A known skill has a name for models.
type known struct {
	id    string
	asked bool   // for by its URI, or read by a model: it need not be in a list
	held  string // digest of the entry that a model has read
}

// label returns the name of a skill's directory.
func (o origin) label() string {
	dir := strings.TrimSuffix(o.uri, "/SKILL.md")
	return dir[strings.LastIndexByte(dir, '/')+1:]
}

// allows reports whether the options allow a skill with a name for models. Deny also
// applies to the name that it would have without other skills of its name: which of them
// has it depends on the order in which they were met.
func (s *Set) allows(o origin, id string) bool {
	return s.filter.Allows(id) && !glob.Any(s.opts.Deny, host.ServerTool(o.server, o.label()))
}

// id returns the name of a skill for models. It contains the name of its directory, which
// is the name of every valid skill; the name in an entry that is not valid could differ
// from that of its valid entry, to which Allow and Deny apply.
func (s *Set) id(o origin, asked bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.known[o]; k != nil {
		k.asked = k.asked || asked
		return k.id
	}
	name := o.label()
	id := host.ServerTool(o.server, name)
	for i := 1; ; i++ {
		if _, taken := s.names[id]; !taken {
			break
		}
		id = host.ServerTool(o.server, name+" "+o.uri) // ends with a hash
		name += " " + strconv.Itoa(i)
	}
	s.known[o], s.names[id] = &known{id: id, asked: asked}, o
	return id
}

// release forgets the skills of a server that are no longer in its list, except those
// that were asked for. Otherwise a server with other skills in each list would fill the
// memory.
func (s *Set) release(server string, listed map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for o, k := range s.known {
		if o.server == server && !listed[o.uri] && !k.asked {
			delete(s.known, o)
			delete(s.names, k.id)
		}
	}
}
