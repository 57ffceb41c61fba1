package skillset

import (
	"context"
	"errors"
	"slices"

	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/internal/notes"
	"github.com/stdmcp/stdmcp/mcp/skills"
)

// List returns the skills of all servers that have any, ordered by server, then as
// the server lists them. It asks the connected servers in parallel, and returns what
// the host's catalog contains about the others. If servers fail, List returns the
// skills of the rest and an error for each.
func (s *Set) List(ctx context.Context) ([]*Skill, error) {
	if s.h == nil {
		return nil, errNoHost
	}
	servers := s.servers()
	lists, errs := make([][]*Skill, len(servers)), make([]error, len(servers))
	var group lock.Group
	for i, st := range servers {
		group.Go(func() {
			if st.State == host.Connected {
				lists[i], errs[i] = s.ask(ctx, st.Name)
			} else {
				lists[i] = s.kept(st.Name)
			}
		})
	}
	group.Wait()
	var all []*Skill
	for _, list := range lists {
		for _, k := range list {
			o := origin{k.Server, k.URI}
			if k.ID = s.id(o, false); s.allows(o, k.ID) {
				all = append(all, k)
			}
		}
	}
	return all, errors.Join(errs...)
}

// servers returns the enabled servers that have the extension.
func (s *Set) servers() (list []*host.ServerStatus) {
	for _, st := range s.h.Status() {
		if st.Enabled && st.Info != nil && st.Info.Capabilities.Extensions[skills.Extension] != nil &&
			(len(s.opts.Servers) == 0 || slices.Contains(s.opts.Servers, st.Name)) {
			list = append(list, st)
		}
	}
	return list
}

// ask lists the skills of a connected server and keeps them in the catalog.
func (s *Set) ask(ctx context.Context, server string) ([]*Skill, error) {
	client, err := s.h.Client(ctx, server)
	if err != nil {
		return nil, err
	}
	var list []*Skill
	listed, pins := make(map[string]bool), make(map[string]string)
	var digests []string // of the list
	for e, failure := range skills.NewReader(client, s.opts.Reader).Skills(ctx) {
		if err = failure; err != nil {
			break
		}
		listed[e.URI] = true
		list = append(list, &Skill{Server: server, URI: e.URI, Name: e.Name, Description: e.Description, Err: e.Err()})
		digests = append(digests, e.Digest())
		s.seen(pins, e)
	}
	notes.Add(s.h, server, pins)
	b := []byte{'['}
	for i, k := range list {
		if s.opts.Pins == host.PinBlock && k.Err == nil && s.changed(server, k.URI, digests[i]) {
			k.Err = ErrChanged
		}
		if k.Err == nil {
			b = wire.AppendString(wire.AppendKey(append(wire.AppendComma(b), '{'), "uri"), k.URI)
			b = wire.AppendString(wire.AppendKey(b, "name"), k.Name)
			b = wire.AppendString(wire.AppendKey(b, "description"), k.Description)
			b = append(wire.AppendString(wire.AppendKey(b, "digest"), digests[i]), '}')
		}
	}
	if len(list) > 0 || err == nil { // a list that never ends must not fill the memory, either
		s.release(server, listed)
	}
	if err != nil {
		return list, err
	}
	if text := string(append(b, ']')); notes.Get(s.h, server, listNote) != text {
		notes.Put(s.h, server, listNote, text)
	}
	return list, nil
}

// listNote is the key of a server's list among the notes of the host, and digestNote
// begins the key of a skill's digest.
const listNote, digestNote = "skills", "skill "

// kept returns the skills of a server that the catalog contains.
func (s *Set) kept(server string) (list []*Skill) {
	r := wire.NewReader([]byte(notes.Get(s.h, server, listNote)))
	if r.Kind() != wire.Array {
		return nil
	}
	for r.Array(); r.More(); {
		k, digest := &Skill{Server: server}, ""
		for r.Object(); r.More(); {
			switch string(r.Key()) {
			case "uri":
				k.URI = r.String()
			case "name":
				k.Name = r.String()
			case "description":
				k.Description = r.String()
			case "digest":
				digest = r.String()
			default:
				r.Skip()
			}
		}
		if s.opts.Pins != host.PinBlock || !s.changed(server, k.URI, digest) { // another program may have written it
			list = append(list, k)
		}
	}
	return list
}
