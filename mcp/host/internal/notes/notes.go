// Package notes lets package skillset keep texts with the pins of a server, which the
// host stores and its catalog remembers.
package notes

import (
	"strings"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/wire"
)

const (
	// maxTexts limits the number of texts of a server, and maxBytes their length with
	// their names as JSON. A Set stores no further ones. All of them fit into the entry
	// of a catalog, which may be up to 4 MiB.
	maxTexts, maxBytes = 10_000, 4<<20 - 32<<10

	// prefix begins the names of notes. No tool has such a name.
	prefix = "\x00note "

	// Lost is the name of a text that says that earlier ones are lost. No text is stored then
	// because there is none yet: it could have been another one.
	Lost = prefix + "lost"
)

// A Set holds the pins and notes of a server: JSON texts by the names of tools and the
// keys of notes.
type Set struct {
	Texts map[string]string
	bytes int // the length of Texts
}

// Store stores a text under a name, unless that exceeds the limits. In that case an
// earlier text stays: without a pin, the host would not notice a changed definition.
func (s *Set) Store(name, text string) bool {
	old, ok := s.Texts[name]
	more := len(text) - len(old)
	if !ok {
		more += size(name)
	}
	if !ok && len(s.Texts) >= maxTexts || s.bytes+more > maxBytes {
		return false
	}
	if s.Texts == nil {
		s.Texts = make(map[string]string)
	}
	s.Texts[strings.Clone(name)] = text // a name is part of a list of tools
	s.bytes += more
	return true
}

// size returns the length of a name as JSON, in which one byte may take six.
func size(name string) int { return len(wire.AppendString(nil, name)) }

// Remove removes the text with a name.
func (s *Set) Remove(name string) {
	if text, ok := s.Texts[name]; ok {
		s.bytes -= size(name) + len(text)
		delete(s.Texts, name)
	}
}

// Edit is a function that host.New stores, as an init function would link a host into
// programs that have none. It calls f with the Set of a server of h, which is a
// *host.Host, and saves the Set if f returns true. It returns false if there is no such
// server. f must not call the host.
var Edit atomic.Pointer[func(h any, server string, f func(*Set) (changed bool)) bool]

// Get returns the note that Put stored for a server of h, or "".
func Get(h any, server, key string) (note string) {
	(*Edit.Load())(h, server, func(s *Set) bool {
		if text, ok := s.Texts[prefix+key]; ok {
			r := wire.NewReader([]byte(text))
			note = r.String()
		}
		return false
	})
	return note
}

// Add stores notes by their keys as Put does, except for those that exist or may be lost.
// It changes the catalog's entry once for all of them.
func Add(h any, server string, added map[string]string) {
	(*Edit.Load())(h, server, func(s *Set) (changed bool) {
		for key, note := range added {
			if _, ok := s.Texts[prefix+key]; !ok && s.Texts[Lost] == "" && s.Store(prefix+key, string(wire.AppendString(nil, note))) {
				changed = true
			}
		}
		return changed
	})
}

// Put stores a note for a server of h: for as long as the host has the server, and with
// a catalog also in the server's entry. An empty note removes it. Put reports whether it
// was stored.
func Put(h any, server, key, note string) (stored bool) {
	return (*Edit.Load())(h, server, func(s *Set) bool {
		if stored = true; note == "" {
			s.Remove(prefix + key)
		} else {
			stored = s.Store(prefix+key, string(wire.AppendString(nil, note)))
		}
		return true
	}) && stored
}
