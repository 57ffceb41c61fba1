package skills

import (
	"context"
	"iter"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// Extension is the identifier of the extension. Servers declare it; clients need
// not.
const Extension = "io.modelcontextprotocol/skills"

// Options configure a [Reader]. Nil means the zero value.
type Options struct {
	// MaxFiles and MaxBytes limit the files of one skill and the sum of their
	// sizes. The defaults are those that the specification requires clients to
	// support: 512 files and 16 MiB. The transport's limit of messages applies,
	// too.
	MaxFiles int
	MaxBytes int64

	// MaxSkills and MaxPages limit a list; a longer one fails with
	// [mcp.ErrListLimit]. The defaults are 100,000 skills and 1,000 pages. The
	// pages of a list are at most 64 MiB.
	MaxSkills, MaxPages int

	// Dynamic permits reading skills without digests, whose files cannot be
	// verified. MaxBytes limits the bytes that are read through one Skill.
	Dynamic bool

	// Frontmatter parses the text between the lines "---" of a SKILL.md into the
	// types that [mcp.Value] returns. The default is [ParseFrontmatter].
	Frontmatter func([]byte) (map[string]any, error)
}

// maxListBytes limits the pages of a list, in bytes.
const maxListBytes = 64 << 20

// A Reader reads the skills of one server.
type Reader struct {
	c    *mcp.Client
	opts Options
}

// NewReader returns a Reader for the server of c. The caller closes c. If c is
// nil, and for a zero Reader, all methods fail with [ErrUnsupported].
func NewReader(c *mcp.Client, o *Options) *Reader {
	r := &Reader{c: c}
	if o != nil {
		r.opts = *o
	}
	if r.opts.MaxFiles <= 0 {
		r.opts.MaxFiles = 512
	}
	if r.opts.MaxBytes <= 0 {
		r.opts.MaxBytes = 16 << 20
	}
	if r.opts.MaxSkills <= 0 {
		r.opts.MaxSkills = 100_000
	}
	if r.opts.MaxPages <= 0 {
		r.opts.MaxPages = 1000
	}
	if r.opts.Frontmatter == nil {
		r.opts.Frontmatter = ParseFrontmatter
	}
	return r
}

// Supported reports whether the server has declared the extension.
func (r *Reader) Supported() bool { return r.settings() != nil }

// ReadsDirectories reports whether the server has declared that it lists
// directories.
func (r *Reader) ReadsDirectories() bool {
	return string(wire.Lookup(r.settings(), "directoryRead")) == "true"
}

// settings returns the object that the server has declared, or nil.
func (r *Reader) settings() []byte {
	if r.c == nil { // of a zero Reader
		return nil
	}
	settings := r.c.Server().Capabilities.Extensions[Extension]
	if text := wire.NewReader(settings); text.Kind() != wire.Object {
		return nil
	}
	return settings
}

// fail returns an error of a method of the server.
//
//go:noinline
func (r *Reader) fail(method, name string, err error) error {
	e := &mcp.CallError{Method: method, Name: name, Err: err}
	if r.c != nil {
		e.Server = r.c.Server().Name
	}
	return e
}

// Skills returns an iterator over the server's skills. It requests pages as they
// are needed, and no files. If a request fails, the iterator yields a nil skill
// and the error, and ends. A server need not list all its skills: Get finds
// others by their URIs.
func (r *Reader) Skills(ctx context.Context) iter.Seq2[*Skill, error] {
	return func(yield func(*Skill, error) bool) {
		if err := r.list(ctx, func(item []byte) bool { return yield(r.skill(item), nil) }); err != nil {
			yield(nil, err)
		}
	}
}

// list passes the entries to f, until it returns false.
func (r *Reader) list(ctx context.Context, f func(item []byte) bool) error {
	const method = "skills/list"
	if !r.Supported() {
		return r.fail(method, "", ErrUnsupported)
	}
	return r.pages(ctx, method, "", "skills", f)
}

// List returns all skills that the server lists, in the server's order, and reads no
// file. If it fails, it returns those received so far and the error, which matches
// [ErrUnsupported] for a server without skills. See [Skill.Err] for invalid ones.
func (r *Reader) List(ctx context.Context) (list []*Skill, err error) {
	err = r.list(ctx, func(item []byte) bool {
		list = append(list, r.skill(item))
		return true
	})
	return list, err
}

// Get returns the entry of the skill whose SKILL.md has the given URI, even if
// the server does not list it. If there is none, the server refuses with
// jsonrpc.CodeInvalidParams. If the entry is unusable, the error is an
// [*Error].
func (r *Reader) Get(ctx context.Context, uri string) (*Skill, error) {
	const method = "skills/get"
	if !r.Supported() {
		return nil, r.fail(method, uri, ErrUnsupported)
	}
	raw, err := r.c.Call(ctx, method, map[string]any{"uri": uri})
	if err != nil {
		return nil, err
	}
	item := wire.Lookup(raw, "skill")
	if item == nil {
		return nil, r.fail(method, uri, diag.Op("the result has no skill", mcp.ErrMalformed))
	}
	s := r.skill(item)
	if s.err == nil && s.URI != uri {
		return nil, &Error{Skill: uri, Field: "uri", Want: wire.Quote(uri), Got: wire.Quote(s.URI), Err: ErrInvalid}
	}
	if s.err != nil {
		return nil, s.err
	}
	return s, nil
}

// ReadDir returns the direct children of any directory, if the server lists
// directories. Directories have the MIME type inode/directory. The children are
// what the server has at present: a file belongs to a skill only if it is in the
// skill's entry. [Skill.FS] lists the files of an entry without a request.
func (r *Reader) ReadDir(ctx context.Context, uri string) ([]*mcp.Resource, error) {
	const method = "resources/directory/read"
	if !r.ReadsDirectories() {
		return nil, r.fail(method, uri, ErrUnsupported)
	}
	uri = strings.TrimSuffix(uri, "/")
	var list []*mcp.Resource
	var invalid error
	err := r.pages(ctx, method, uri, "resources", func(item []byte) bool {
		child := new(mcp.Resource)
		if invalid = child.UnmarshalJSON(item); invalid != nil {
			invalid = r.fail(method, uri, diag.Op(invalid.Error(), mcp.ErrMalformed))
			return false
		}
		if _, ok := fileName(uri, child.URI); !ok || strings.Contains(child.URI[len(uri)+1:], "/") {
			invalid = r.fail(method, uri, diag.Op(wire.Quote(diag.Printable(child.URI, maxShown))+" is not a child", ErrInvalid))
			return false
		}
		list = append(list, child)
		return true
	})
	if err == nil {
		err = invalid
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// pages passes the items of all pages to f, until it returns false.
func (r *Reader) pages(ctx context.Context, method, uri, key string, f func(item []byte) bool) error {
	params := make(map[string]any)
	if uri != "" {
		params["uri"] = uri
	}
	seen := make(map[string]bool)
	items, size := 0, 0
	problem, reason := "", mcp.ErrMalformed
	for problem == "" {
		raw, err := r.c.Call(ctx, method, params)
		if err != nil {
			return err
		}
		if size += len(raw); size > maxListBytes {
			problem, reason = "more than 64 MiB", mcp.ErrListLimit
			break
		}
		list := member(raw, key)
		if list.Kind() != wire.Array {
			problem = "the result has no list of " + key
			break
		}
		for list.Array(); list.More(); items++ {
			if items == r.opts.MaxSkills {
				return r.fail(method, uri, diag.Op("more than "+decimal(int64(items))+" items", mcp.ErrListLimit))
			}
			if !f(list.Raw()) {
				return nil
			}
		}
		cursor := member(raw, "nextCursor")
		kind := cursor.Kind()
		if kind == wire.Invalid || kind == wire.Null {
			return nil
		}
		next := cursor.String()
		params["cursor"] = next
		switch {
		case kind != wire.String:
			problem = "the cursor is no string"
		case seen[next]:
			problem, reason = "a cursor occurs twice", mcp.ErrListLimit
		case len(seen)+1 == r.opts.MaxPages:
			problem, reason = "more than "+decimal(int64(len(seen)+1))+" pages", mcp.ErrListLimit
		}
		seen[next] = true
	}
	return r.fail(method, uri, diag.Op(problem, reason))
}
