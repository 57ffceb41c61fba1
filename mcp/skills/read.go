package skills

import (
	"context"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
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
	f := find(s, name)
	if f == nil {
		if s.r != nil { // of a zero Skill
			s.r.changed.Store(true)
		}
		return nil, wrong(s, ErrNotListed, name, "", "", "")
	}
	return readFile(ctx, s, f)
}

// find returns the file of a name or a URI, or nil.
func find(s *Skill, name string) *File {
	uri := strings.TrimPrefix(name, "./")
	if !strings.HasPrefix(uri, s.root) {
		uri = s.root + escapeURI(uri)
	}
	if name = fileName(s.root, uri); s.Dynamic && name != "" {
		return &File{Name: name, URI: uri}
	}
	for i := range s.Files {
		if f := &s.Files[i]; f.Name == name {
			return f
		}
	}
	return nil
}

// readFile reads a file and verifies it. It uses CallList because ReadResource would
// answer from the cache of the client and link 5 KB more.
func readFile(ctx context.Context, s *Skill, f *File) (data []byte, err error) {
	var text, blob string
	n := int64(0)
	err = s.r.c.CallList(ctx, "resources/read", f.URI, "contents", func(item mcp.RawMessage) bool {
		if wire.TextOf(item, "uri") == f.URI {
			text, blob = wire.TextOf(item, "text"), wire.TextOf(item, "blob")
			n++
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	if n != 1 {
		return nil, wrong(s, ErrInvalid, f.Name, "", "one content of this URI", decimal(n))
	}
	data = []byte(text)
	if blob != "" {
		data, err = wire.DecodeBase64(blob)
	}
	if err != nil {
		err = wrong(s, ErrInvalid, f.Name, "", "base64", "")
	} else {
		err = verify(s, f, data)
	}
	if err != nil {
		s.r.changed.Store(true)
		return nil, err
	}
	return data, nil
}

func verify(s *Skill, f *File, data []byte) error {
	size := int64(len(data))
	if s.Dynamic {
		if s.read.Add(size) > s.r.opts.MaxBytes {
			return wrong(s, ErrLimit, f.Name, "", "at most "+decimal(s.r.opts.MaxBytes)+" bytes", "")
		}
	} else if size != f.Size {
		return wrong(s, ErrSize, f.Name, "", decimal(f.Size), decimal(size))
	} else if got := digest(data); got != f.Digest {
		return wrong(s, ErrDigest, f.Name, "", f.Digest, got)
	}
	if f.Name != main {
		return nil
	}
	text, err := cutFrontmatter(string(data))
	if err != nil {
		return wrong(s, err, main, "", "", "")
	}
	got, err := s.r.opts.Frontmatter([]byte(text))
	if err != nil {
		if e, ok := err.(*SyntaxError); ok {
			err = &SyntaxError{Line: e.Line + 1, Column: e.Column, Problem: e.Problem}
		} else {
			err = diag.Error(err.Error(), ErrFrontmatter, err)
		}
		return wrong(s, err, main, "", "", "")
	}
	if field, want, have := difference(s.Frontmatter, got); field != "" {
		return wrong(s, ErrFrontmatter, main, field, want, have)
	}
	return nil
}

// difference returns the first field in which two objects differ, and both values.
func difference(want, got map[string]any) (field, left, right string) {
	for _, m := range [...]map[string]any{want, got} {
		for _, key := range wire.SortedKeys(m) {
			left, right = show(want, key), show(got, key)
			if left != right || right == notJSON {
				return wire.Quote(key), left, right
			}
		}
	}
	return "", "", ""
}

const notJSON = "a value that is not JSON"

// show returns the value of a field as JSON with sorted keys.
func show(m map[string]any, key string) string {
	v, ok := m[key]
	if !ok {
		return "no such field"
	}
	text, err := wire.AppendValue(nil, v)
	if err != nil {
		return notJSON
	}
	return string(text)
}
