package skillset

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/nearest"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/internal/notes"
	"github.com/stdmcp/stdmcp/mcp/host/internal/settings"
	"github.com/stdmcp/stdmcp/mcp/skills"
)

// Options configure a [Set]. Nil and the zero value are valid.
type Options struct {
	// Reader holds the limits for the skills of a server. May be nil.
	Reader *skills.Options

	// Servers limits the set to the named servers. Empty means all.
	Servers []string

	// Allow and Deny are globs of the names for models, such as "github__*". A nil
	// Allow allows all, and Deny takes precedence. Deny applies to all skills of a
	// server that share the name.
	Allow, Deny []string

	// Approve decides about reading a skill: Call.Server is its server, Call.Name
	// its name for models, Call.Tool its URI, and Call.Arguments contains the file.
	// When nil, all skills may be read.
	Approve host.Approver

	// Pins decides about a skill whose frontmatter or files have changed. With PinAsk,
	// Approve sees the change in Call.Changed, without definitions. PinBlock hides the
	// description from models, too. A dynamic skill cannot be pinned: PinAsk asks about
	// each read of it, and PinBlock refuses it.
	Pins host.PinPolicy

	// MaxPrompt limits the text of Prompt, and MaxText that of list_skills and of a
	// file that a tool returns, in bytes. The servers share both equally. The defaults
	// are 8 KiB and 256 KiB; negative means no limit.
	MaxPrompt, MaxText int
}

// A Set is the skills of the servers of a host. New returns it.
type Set struct {
	h      *host.Host
	opts   Options
	filter config.Filter

	mu    lock.Mutex // guards what follows
	names map[string]origin
	known map[origin]*known
}

// A Skill is a skill of one of the servers, as its server lists it.
type Skill struct {
	ID     string // name for models
	Server string // name in the settings
	URI    string // of its SKILL.md

	Name, Description string // as the server says

	Err error // why the skill cannot be read: that of skills.Skill.Err, or ErrChanged with host.PinBlock
}

// Errors of skills.
var (
	// ErrUnknownSkill means that no server has a skill of that name, or that it
	// is not allowed.
	ErrUnknownSkill = errors.New("unknown skill")

	// ErrChanged means that the files of the skill have changed since they were
	// approved, see Options.Pins, or since a model has read its SKILL.md. It matches
	// host.ErrChanged.
	ErrChanged = diag.Error("the skill has changed since it was approved or read", host.ErrChanged, nil)
)

var errNoHost = errors.New("skillset: the argument h of New is nil")

// New returns the skills of the servers of h. o may be nil.
func New(h *host.Host, o *Options) *Set {
	s := &Set{h: h, names: make(map[string]origin), known: make(map[origin]*known)}
	if o != nil {
		s.opts = *o
	}
	s.opts.MaxPrompt = wire.Limit(s.opts.MaxPrompt, 8<<10, math.MaxInt)
	s.opts.MaxText = min(wire.Limit(s.opts.MaxText, 256<<10, math.MaxInt), math.MaxInt/2) // lists may be twice as long
	s.filter = config.Filter{Allow: s.opts.Allow, Deny: s.opts.Deny}
	return s
}

// Find returns the skill of a server whose SKILL.md has the given URI, even if the
// server does not list it: the user, another skill or the server's instructions may
// mention it. server is the name in the settings. Open and the tools then accept the
// ID of the skill. The error matches ErrUnknownSkill if Options do not allow the
// skill; otherwise it comes from the server.
func (s *Set) Find(ctx context.Context, server, uri string) (*Skill, error) {
	id, e, err := s.findEntry(ctx, server, uri)
	if err != nil {
		return nil, err
	}
	return &Skill{ID: id, Server: server, URI: e.URI, Name: e.Name, Description: e.Description}, nil
}

// findEntry returns the name for models and the current entry of the skill with a URI.
func (s *Set) findEntry(ctx context.Context, server, uri string) (id string, e *skills.Skill, err error) {
	if s.h == nil {
		return "", nil, errNoHost
	}
	unknown := &skillError{ErrUnknownSkill, wire.Quote(diag.Printable(uri, 128))}
	if len(s.opts.Servers) > 0 && !slices.Contains(s.opts.Servers, server) {
		return "", nil, unknown
	}
	o := origin{server, uri}
	if e, err = s.entry(ctx, o); err != nil {
		return "", nil, err
	}
	if id = s.id(o, true); !s.allows(o, id) {
		return "", nil, unknown
	}
	return id, e, nil
}

// entry asks a server for its current entry of a skill.
func (s *Set) entry(ctx context.Context, o origin) (*skills.Skill, error) {
	client, err := s.h.Client(ctx, o.server)
	if err != nil {
		return nil, err
	}
	return skills.NewReader(client, s.opts.Reader).Get(mcp.WithoutCache(ctx), o.uri)
}

// Open returns the skill with the given name for models, if Options.Approve and
// Options.Pins permit reading it. It connects to the server if necessary, and
// requests the current entry, but reads no file. The skill verifies the files that
// it reads later. The error matches ErrUnknownSkill, ErrChanged or host.ErrDenied,
// or comes from the server.
func (s *Set) Open(ctx context.Context, id string) (*skills.Skill, error) {
	o, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	k, err := s.entry(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := s.permit(ctx, id, o.server, "", k); err != nil {
		return nil, err
	}
	return k, nil
}

// load returns the text of a file of a skill for a model, or of its SKILL.md. A model
// that has read SKILL.md gets files of the same entry only. k is the current entry, or
// nil: load then asks the server for it.
func (s *Set) load(ctx context.Context, id, file string, k *skills.Skill) (*skills.Skill, string, error) {
	o, err := s.find(ctx, id)
	if err != nil {
		return nil, "", err
	}
	if k == nil {
		if k, err = s.entry(ctx, o); err != nil {
			return nil, "", err
		}
	}
	s.mu.Lock()
	held := ""
	if known := s.known[o]; known != nil {
		held = known.held
	}
	s.mu.Unlock()
	if file != "" && held != "" && held != k.Digest() {
		return nil, "", &skillError{ErrChanged, wire.Quote(id) + "; read_skill reads it again"}
	}
	if err := s.permit(ctx, id, o.server, file, k); err != nil {
		return nil, "", err
	}
	data, err := k.Read(ctx, cmp.Or(file, "SKILL.md"))
	if errors.Is(err, skills.ErrNotListed) {
		var names []string
		for _, f := range k.Files {
			names = append(names, f.Name)
		}
		if near := nearest.Names(file, names); len(near) > 0 {
			err = &skillError{err, "(did you mean " + display.EscapeName(strings.Join(near, " or ")) + "?)"}
		}
	}
	if err != nil {
		return nil, "", err
	}
	if file == "" {
		s.id(o, true) // release then keeps what the model has read
		s.mu.Lock()
		s.known[o].held = k.Digest()
		s.mu.Unlock()
	}
	text, err := s.text(data)
	return k, "[from the server " + strconv.Quote(o.server) + "]\n" + text, err
}

// find returns the skill with a name, which it looks for in the lists if it has not
// seen it yet.
func (s *Set) find(ctx context.Context, id string) (origin, error) {
	s.mu.Lock()
	o, ok := s.names[id]
	s.mu.Unlock()
	if ok && s.allows(o, id) {
		return o, nil
	}
	list, err := s.List(ctx)
	var known []string
	for _, k := range list {
		if k.ID == id {
			return origin{k.Server, k.URI}, nil
		}
		known = append(known, k.ID)
	}
	what := wire.Quote(diag.Printable(id, 128))
	if near := nearest.Names(id, known); len(near) > 0 {
		what += "; did you mean " + strings.Join(near, " or ") + "?"
	} else if err != nil {
		what += "; " + err.Error()
	}
	return o, &skillError{ErrUnknownSkill, what}
}

// A skillError is an error about one skill.
type skillError struct {
	err  error
	what string
}

func (e *skillError) Error() string { return e.err.Error() + " " + e.what }
func (e *skillError) Unwrap() error { return e.err }

// seen adds the pin of a skill, which is for one that has none yet.
func (s *Set) seen(pins map[string]string, k *skills.Skill) {
	if digest := k.Digest(); s.opts.Pins != host.PinReport && digest != "" && pins[digestNote+k.URI] == "" {
		pins[digestNote+k.URI] = digest
	}
}

// changed reports whether a digest is not the pin of a skill.
func (s *Set) changed(server, uri, digest string) bool {
	return digest == "" || notes.Get(s.h, server, digestNote+uri) != digest
}

// permit applies pins and asks for approval.
func (s *Set) permit(ctx context.Context, id, server, file string, k *skills.Skill) error {
	pin := make(map[string]string)
	s.seen(pin, k)
	notes.Add(s.h, server, pin)
	digest := k.Digest()
	changed := s.opts.Pins != host.PinReport && s.changed(server, k.URI, digest)
	if changed && (s.opts.Pins == host.PinBlock || s.opts.Approve == nil) {
		return &skillError{ErrChanged, wire.Quote(id)}
	}
	if s.opts.Approve == nil {
		return nil
	}
	args := wire.AppendString(wire.AppendKey([]byte{'{'}, "skill"), id)
	if file != "" {
		args = wire.AppendString(wire.AppendKey(args, "file"), file)
	}
	readOnly := true
	c := &host.Call{Server: server, Name: id, Tool: k.URI, Arguments: append(args, '}'),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: &readOnly}}
	if st, err := s.h.ServerStatus(server); err == nil {
		c.Source, c.Scope = st.Source, st.Scope
	}
	if changed {
		c.Changed = &host.ToolChange{Name: id, What: []string{"files"}}
	}
	d, err := s.opts.Approve(settings.ForServer(ctx, server), c)
	switch {
	case err != nil:
		return errors.Join(host.ErrDenied, err)
	case d != host.Allow:
		return &skillError{host.ErrDenied, wire.Quote(id)}
	}
	if changed && digest != "" {
		notes.Put(s.h, server, digestNote+k.URI, digest)
	}
	return nil
}

// Pin approves the current files of the skill with the given name for models.
func (s *Set) Pin(ctx context.Context, id string) error {
	o, err := s.find(ctx, id)
	if err != nil {
		return err
	}
	k, err := s.entry(ctx, o)
	if err != nil {
		return err
	}
	if k.Digest() == "" || !notes.Put(s.h, o.server, digestNote+k.URI, k.Digest()) {
		return &skillError{ErrChanged, wire.Quote(id) + ", and cannot be pinned"}
	}
	return nil
}
