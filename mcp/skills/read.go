package skills

import (
	"context"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// Read reads a file and verifies it. name is the URI of the file or its path in
// the skill, which may begin with "./", as in the skill's text. If the file
// differs from the entry, Read returns an [*Error] and no data.
//
// With Options.Dynamic, every file below the root of a dynamic skill is a file of
// it. Only the frontmatter of its SKILL.md is verified.
func (s *Skill) Read(ctx context.Context, name string) ([]byte, error) {
	if s.err != nil {
		return nil, s.err
	}
	f := s.find(name)
	if f == nil {
		return nil, s.wrong(ErrNotListed, name, "", "", "")
	}
	return s.readFile(ctx, f)
}

// find returns the file of a name or a URI, or nil.
func (s *Skill) find(name string) *File {
	uri := strings.TrimPrefix(name, "./")
	if !strings.HasPrefix(uri, s.root+"/") {
		uri = s.root + "/" + escapeURI(uri)
	}
	name, ok := fileName(s.root, uri)
	if s.Dynamic && ok {
		return &File{Name: name, URI: uri}
	}
	for i := range s.Files {
		if f := &s.Files[i]; f.Name == name {
			return f
		}
	}
	return nil
}

func (s *Skill) readFile(ctx context.Context, f *File) ([]byte, error) {
	// A result that the client has cached may be older than the entry.
	res, err := s.r.c.ReadResource(mcp.Refresh(ctx), f.URI)
	if err != nil {
		return nil, err
	}
	var contents *mcp.ResourceContents
	n := int64(0)
	for i := range res.Contents {
		if c := &res.Contents[i]; c.URI == f.URI {
			contents = c
			n++
		}
	}
	if n != 1 {
		return nil, s.wrong(ErrInvalid, f.Name, "", "one content of this URI", decimal(n))
	}
	data, err := contents.Bytes()
	if err != nil {
		return nil, s.wrong(ErrInvalid, f.Name, "", "base64", "")
	}
	if err := s.verify(f, data); err != nil {
		return nil, err
	}
	return data, nil
}

func (s *Skill) verify(f *File, data []byte) error {
	size := int64(len(data))
	if s.Dynamic {
		if s.read.Add(size) > s.r.opts.MaxBytes {
			return s.limit(f.Name, "", s.r.opts.MaxBytes, " bytes")
		}
	} else if size != f.Size {
		return s.wrong(ErrSize, f.Name, "", decimal(f.Size), decimal(size))
	} else if got := digest(data); got != f.Digest {
		return s.wrong(ErrDigest, f.Name, "", f.Digest, got)
	}
	if f.Name == main {
		return s.verifyFrontmatter(data)
	}
	return nil
}

func (s *Skill) verifyFrontmatter(data []byte) error {
	text, err := cutFrontmatter(data)
	if err != nil {
		return s.wrong(err, main, "", "", "")
	}
	got, err := s.r.opts.Frontmatter(text)
	if err != nil {
		if e, ok := err.(*SyntaxError); ok {
			err = &SyntaxError{e.Line + 1, e.Column, e.Problem}
		} else {
			err = &parserError{err}
		}
		return s.wrong(err, main, "", "", "")
	}
	if field, want, have := difference(s.Frontmatter, got); field != "" {
		return s.wrong(ErrFrontmatter, main, field, want, have)
	}
	return nil
}

// difference returns the first field in which two objects differ, and both values.
func difference(want, got map[string]any) (field, left, right string) {
	for _, m := range [...]map[string]any{want, got} {
		for _, key := range wire.SortedKeys(m) {
			a, inWant := want[key]
			b, inGot := got[key]
			if !inWant || !inGot || !equal(a, b) {
				return wire.Quote(key), show(a, inWant), show(b, inGot)
			}
		}
	}
	return "", "", ""
}

func show(v any, exists bool) string {
	text, err := wire.AppendValue(nil, v)
	switch {
	case !exists:
		return "no such field"
	case err != nil:
		return "a value that is not JSON"
	}
	return string(text)
}

// equal reports whether two values of the types of mcp.Value are the same.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		field, _, _ := difference(a, b)
		return ok && field == ""
	case []any:
		b, ok := b.([]any)
		for i := range a {
			if len(b) != len(a) || !equal(a[i], b[i]) {
				return false
			}
		}
		return ok && len(b) == len(a)
	case string, float64, bool, nil:
		return a == b
	}
	return false
}
