package host

import (
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host/internal/notes"
)

// A PinPolicy decides about tools whose definitions have changed. The host
// compares the name, title, description, schemas and annotations of a tool, in a
// canonical form, with the first definition that it saw or the one that the
// program approved later: its pin. With Options.Catalog, it remembers pins across
// restarts.
type PinPolicy uint8

// The policies. With each of them the host emits an event about the change.
const (
	// PinReport permits calls of changed tools. Only events report the changes,
	// even if the tool was absent from the list in between.
	PinReport PinPolicy = iota

	// PinAsk permits a call of a changed tool only if Options.Approve allows it;
	// Call.Changed describes the change. The first call that is allowed approves
	// the new definition. Without Options.Approve, only Host.Pin approves it.
	PinAsk

	// PinBlock hides changed tools from models and refuses their calls until
	// Host.Pin approves the new definition.
	PinBlock
)

// canonical returns what a definition means for a model, as JSON text that is
// equal for equal definitions.
func canonical(t *mcp.Tool) string {
	hint := hints(t.Annotations)
	text, err := (&mcp.Tool{Name: t.Name, Title: t.DisplayName(), Description: t.Description,
		InputSchema: t.InputSchema, OutputSchema: t.OutputSchema, Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint: &hint[0], DestructiveHint: &hint[1], IdempotentHint: &hint[2], OpenWorldHint: &hint[3],
		}}).MarshalJSON()
	if err != nil {
		return ""
	}
	return canonicalJSON(text)
}

// canonicalJSON returns JSON text with sorted keys and without spaces. Numbers
// are as written.
func canonicalJSON(text []byte) string {
	r := wire.NewReader(text)
	b := appendCanonical(nil, &r)
	if r.End() != nil {
		return string(text)
	}
	return string(b)
}

func appendCanonical(b []byte, r *wire.Reader) []byte {
	switch r.Kind() {
	case wire.Object:
		b = append(b, '{')
		from, last, sorted := len(b), "", true
		members := make(map[string][2]int) // the places of members in b
		for r.Object(); r.More(); {
			key, at := string(r.Key()), len(b)
			sorted = sorted && last <= key
			if b, last = wire.AppendKey(b, key), key; at > from {
				at++ // after the comma
			}
			b = appendCanonical(b, r)
			members[key] = [2]int{at, len(b)}
		}
		if sorted {
			return append(b, '}')
		}
		end := len(b) // behind which the members are sorted, without another buffer for each level
		for _, key := range wire.SortedKeys(members) {
			b = append(append(b, b[members[key][0]:members[key][1]]...), ',')
		}
		n := copy(b[from:], b[end:len(b)-1])
		return append(b[:from+n], '}')
	case wire.Array:
		b = append(b, '[')
		for r.Array(); r.More(); {
			b = appendCanonical(wire.AppendComma(b), r)
		}
		return append(b, ']')
	case wire.String:
		return wire.AppendString(b, r.String())
	}
	return append(b, r.Raw()...)
}

// sameJSON reports whether two JSON texts have the same canonical form.
func sameJSON(a, b []byte) bool {
	return string(a) == string(b) || canonicalJSON(a) == canonicalJSON(b)
}

// compareLocked returns what has changed in the definition of a tool since the last
// list, or since it was pinned. It is nil if nothing has.
func (h *Host) compareLocked(s *server, old, def *mcp.Tool) (before *mcp.Tool, what []string) {
	if old != nil {
		what = changedFields(old, def)
	}
	pin, pinned := s.pins.Texts[def.Name]
	switch all := h.opts.Pins != PinReport; {
	case !pinned && all:
		s.pinFirstLocked(def)
	case pinned && old == nil: // it has left the list and returned
		if old = new(mcp.Tool); old.UnmarshalJSON([]byte(pin)) == nil {
			what = changedFields(old, def)
		}
		if !all {
			s.pins.Remove(def.Name)
		}
	}
	return old, what
}

// pinLocked stores a definition to compare later ones with.
func (s *server) pinLocked(def *mcp.Tool) { s.pins.Store(def.Name, canonical(def)) }

// pinFirstLocked pins a definition that has no pin, unless the catalog had no room for
// the pins of the server: one of those could differ.
func (s *server) pinFirstLocked(def *mcp.Tool) {
	if s.pins.Texts[def.Name] == "" && s.pins.Texts[notes.Lost] == "" {
		s.pinLocked(def)
	}
}

// changeLocked returns how a definition differs from its pin, or nil. A definition that
// has no pin, because the pins of the server are at their limit, is new each time. So is
// one whose pin is not of a definition: a server may give a tool the name of a note.
func (h *Host) changeLocked(s *server, def *mcp.Tool) *ToolChange {
	pin, pinned := s.pins.Texts[def.Name]
	if h.opts.Pins == PinReport || pin == canonical(def) {
		return nil
	}
	before := &mcp.Tool{}
	what := []string{"cannot be pinned: the tools of the server are too long, or nest too deep"}
	if pinned && before.UnmarshalJSON([]byte(pin)) == nil {
		what = changedFields(before, def)
	}
	if what == nil {
		return nil
	}
	return &ToolChange{Name: h.names.name(origin{s.name, def.Name}), What: what, Before: before, After: def}
}

// Pin approves the current definitions of the tools with the given names for
// models, or of all tools if none is given. With PinBlock, models see the tools
// again. The error is an *Error, which matches ErrUnknownTool if a tool does not
// exist; the others are pinned.
func (h *Host) Pin(names ...string) error {
	h.mu.Lock()
	var failure error
	for _, name := range names {
		o := h.names.origins[name]
		if s := h.serverLocked(o.server); s == nil || s.lastDefs[o.tool] == nil {
			failure = newError(unknownTool, "tool "+wire.Quote(name)+" was not pinned", "", ErrUnknownTool)
		}
	}
	for _, s := range h.servers {
		pinned := false
		for _, def := range s.defs {
			if name := h.names.name(origin{s.name, def.Name}); len(names) == 0 || slices.Contains(names, name) {
				s.pinLocked(def)
				pinned = true
			}
		}
		if pinned {
			s.tools = h.selectTools(s)
			h.recordLocked(s)
		}
	}
	h.publishLocked(nil, "")
	h.mu.Unlock()
	return failure
}

// Changed returns the tools whose definitions differ from their pins, ordered by
// name. It returns none with PinReport.
func (h *Host) Changed() []*ToolChange {
	h.mu.Lock()
	var changed []*ToolChange
	byName := make(map[string]int) // indexes into changed; slices.SortFunc would add 10 KB
	for _, s := range h.servers {
		for _, def := range s.defs {
			if c := h.changeLocked(s, def); c != nil {
				byName[c.Name] = len(changed)
				changed = append(changed, c)
			}
		}
	}
	var list []*ToolChange
	for _, name := range wire.SortedKeys(byName) {
		list = append(list, changed[byName[name]])
	}
	h.mu.Unlock()
	return list
}

// unpinned is change for a call, which PinBlock refuses.
func (t *Tool) unpinned(def *mcp.Tool) (*ToolChange, error) {
	h := t.host
	if h.opts.Pins == PinReport {
		return nil, nil
	}
	h.mu.Lock()
	c := h.changeLocked(t.server, def)
	h.mu.Unlock()
	if c != nil && (h.opts.Pins == PinBlock || h.opts.Approve == nil) {
		return c, diag.Error(ErrDenied.Error()+": "+ErrChanged.Error()+" since it was approved ("+strings.Join(c.What, ", ")+"); the user must approve it again", ErrDenied, ErrChanged)
	}
	return c, nil
}

// repin pins a changed definition after a call of it was approved.
func (t *Tool) repin(c *ToolChange) {
	h := t.host
	h.mu.Lock()
	t.server.pinLocked(c.After)
	h.recordLocked(t.server)
	h.mu.Unlock()
}

// editNotes is for notes.Edit.
var editNotes = func(h any, server string, f func(*notes.Set) bool) bool {
	own := h.(*Host)
	own.mu.Lock()
	s := own.serverLocked(server)
	if s != nil && f(&s.pins) {
		own.recordLocked(s)
	}
	own.mu.Unlock()
	return s != nil
}
