package skills

import (
	"context"
	"iter"
	"math"
	"strings"
	"sync/atomic"

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
	// support: 512 files and 16 MiB; negative means no limit. The transport's limit
	// of messages applies, too.
	MaxFiles int
	MaxBytes int64

	// Dynamic permits reading skills without digests, whose files cannot be
	// verified. MaxBytes limits the bytes that are read through one Skill.
	Dynamic bool

	// Frontmatter parses the text between the lines "---" of a SKILL.md into the
	// types that [mcp.DecodeValue] returns. The default is [ParseFrontmatter].
	Frontmatter func([]byte) (map[string]any, error)
}

// A Reader reads the skills of one server.
type Reader struct {
	c       *mcp.Client
	opts    Options
	changed atomic.Bool // a file was not as in its entry
}

// NewReader returns a Reader for the server of c. The caller closes c. If c is
// nil, and for a zero Reader, all methods fail with [ErrUnsupported].
func NewReader(c *mcp.Client, o *Options) *Reader {
	r := &Reader{c: c}
	if o != nil {
		r.opts = *o
	}
	r.opts.MaxFiles = wire.Limit(r.opts.MaxFiles, 512, math.MaxInt)
	r.opts.MaxBytes = wire.Limit(r.opts.MaxBytes, 16<<20, math.MaxInt64)
	if r.opts.Frontmatter == nil {
		r.opts.Frontmatter = ParseFrontmatter
	}
	return r
}

// Supported reports whether the server has declared the extension.
func (r *Reader) Supported() bool { return settings(r) != nil }

// ReadsDirectories reports whether the server has declared that it lists
// directories.
func (r *Reader) ReadsDirectories() bool {
	return string(wire.Lookup(settings(r), "directoryRead")) == "true"
}

// settings returns the object that the server has declared, or nil.
func settings(r *Reader) []byte {
	if r.c == nil { // of a zero Reader
		return nil
	}
	settings := r.c.Server().Capabilities.Extensions[Extension]
	if len(settings) > 0 && settings[0] == '{' {
		return settings
	}
	return nil
}

// fail returns an error of a method that the server may not have.
func fail(r *Reader, method, name string, err error) error {
	if r.c == nil || err == nil { // of a zero Reader
		return err
	}
	return &mcp.CallError{Server: r.c.Name(), Method: method, Name: name, Err: err}
}

// Skills returns an iterator over the server's skills. It requests pages as they
// are needed, and no files. If a request fails, the iterator yields a nil skill
// and the error, and ends. A server need not list all its skills: Get finds
// others by their URIs.
func (r *Reader) Skills(ctx context.Context) iter.Seq2[*Skill, error] {
	return func(yield func(*Skill, error) bool) {
		if err := listEntries(ctx, r, func(item mcp.RawMessage) bool { return yield(newSkill(r, item), nil) }); err != nil {
			yield(nil, err)
		}
	}
}

// listEntries passes the entries to f, until it returns false.
func listEntries(ctx context.Context, r *Reader, f func(item mcp.RawMessage) bool) error {
	const method = "skills/list"
	if !r.Supported() {
		return fail(r, method, "", ErrUnsupported)
	}
	return r.c.CallList(current(ctx, r), method, "", "skills", f)
}

// current returns the context of a request for entries. They come from the cache of the
// client, if it has one, until a file shows that the cached ones are out of date.
func current(ctx context.Context, r *Reader) context.Context {
	if r.changed.Load() {
		return mcp.WithoutCache(ctx)
	}
	return ctx
}

// maxListed limits the frontmatter of all skills of a list, in bytes. Decoded, it takes up
// to 50 times as much memory.
const maxListed = 4 << 20

// List returns all skills that the server lists, in the server's order, and reads no
// file. If it fails, it returns those received so far and the error, which matches
// [ErrUnsupported] for a server without skills, and [ErrLimit] for frontmatter of more than
// 4 MiB in all. See [Skill.Err] for invalid ones.
func (r *Reader) List(ctx context.Context) (list []*Skill, err error) {
	left := maxListed
	err = listEntries(ctx, r, func(item mcp.RawMessage) bool {
		if left -= len(wire.Lookup(item, "frontmatter")); left >= 0 {
			list = append(list, newSkill(r, item))
		}
		return left >= 0
	})
	if left < 0 {
		err = fail(r, "skills/list", "", ErrLimit)
	}
	return list, err
}

// Get returns the entry of the skill whose SKILL.md has the given URI, even if
// the server does not list it. If there is none, the server refuses with
// jsonrpc.CodeInvalidParams. If the entry is unusable, the error is an
// [*Error].
func (r *Reader) Get(ctx context.Context, uri string) (*Skill, error) {
	const method = "skills/get"
	if !r.Supported() {
		return nil, fail(r, method, uri, ErrUnsupported)
	}
	raw, err := r.c.Call(current(ctx, r), method, map[string]any{"uri": uri})
	if err != nil {
		return nil, err
	}
	item := wire.Lookup(raw, "skill")
	if item == nil {
		return nil, fail(r, method, uri, diag.Op("the result has no skill", mcp.ErrMalformed))
	}
	s := newSkill(r, item)
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
		return nil, fail(r, method, uri, ErrUnsupported)
	}
	uri = strings.TrimSuffix(uri, "/")
	root := uri + "/"
	var list []*mcp.Resource
	var invalid error
	err := r.c.CallList(ctx, method, uri, "resources", func(item mcp.RawMessage) bool {
		child := new(mcp.Resource)
		if err := child.UnmarshalJSON(item); err != nil {
			invalid = diag.Op(err.Error(), mcp.ErrMalformed)
		} else if fileName(root, child.URI) == "" || strings.Contains(child.URI[len(root):], "/") {
			invalid = diag.Op(wire.Quote(diag.Printable(child.URI, maxShown))+" is not a child", ErrInvalid)
		}
		list = append(list, child)
		return invalid == nil
	})
	if invalid != nil {
		err = fail(r, method, uri, invalid)
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}
