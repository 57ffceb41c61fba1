package skills

import (
	"context"
	"crypto/sha256"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// Read reads a file and verifies it. name is a path in the skill, which may
// begin with "./" as relative references in the skill's text do, or the URI of the
// file. A file that differs from the entry is an [*Error], and none of it is
// returned.
//
// With Options.Dynamic, a file of a dynamic skill is any below its root. Only the
// frontmatter of its SKILL.md is verified.
func (s *Skill) Read(ctx context.Context, name string) ([]byte, error) {
	if s.err != nil {
		return nil, s.err
	}
	f, ok := s.find(name)
	if !ok {
		return nil, s.wrong(ErrNotListed, name, "", "", "")
	}
	return s.readFile(ctx, f)
}

// find returns the file of a name or a URI.
func (s *Skill) find(name string) (File, bool) {
	name = strings.TrimPrefix(name, "./")
	if s.Dynamic {
		uri := name
		if !strings.HasPrefix(name, s.root+"/") {
			uri = s.root + "/" + escapeURI(name)
		}
		path, ok := fileName(s.root, uri)
		return File{Name: path, URI: uri}, ok
	}
	if path, ok := fileName(s.root, name); ok { // a URI
		name = path
	}
	low, high := 0, len(s.Files)
	for low < high {
		if i := (low + high) / 2; s.Files[i].Name < name {
			low = i + 1
		} else {
			high = i
		}
	}
	if low == len(s.Files) || s.Files[low].Name != name {
		return File{}, false
	}
	return s.Files[low], true
}

func (s *Skill) readFile(ctx context.Context, f File) ([]byte, error) {
	// A result that the client has cached may be older than the entry.
	res, err := s.r.c.ReadResource(mcp.Refresh(ctx), f.URI)
	if err != nil {
		return nil, err
	}
	contents := choose(res.Contents, f.URI)
	if contents == nil {
		return nil, s.wrong(ErrInvalid, f.Name, "", "one content of this URI", strconv.Itoa(len(res.Contents)))
	}
	data := []byte(contents.Text)
	if contents.IsBlob {
		if data, err = contents.Bytes(); err != nil {
			return nil, s.wrong(ErrInvalid, f.Name, "", "base64", "")
		}
	}
	if err := s.verify(f, data); err != nil {
		return nil, err
	}
	return data, nil
}

// choose returns the content of a URI, or nil.
func choose(list []mcp.ResourceContents, uri string) (found *mcp.ResourceContents) {
	for i := range list {
		if list[i].URI != uri {
			continue
		}
		if found != nil {
			return nil
		}
		found = &list[i]
	}
	return found
}

func (s *Skill) verify(f File, data []byte) error {
	size := int64(len(data))
	if s.Dynamic {
		if s.read.Add(size) > s.r.opts.MaxBytes {
			return s.limit(f.Name, "", s.r.opts.MaxBytes, " bytes")
		}
	} else {
		if size != f.Size {
			return s.wrong(ErrSize, f.Name, "", strconv.FormatInt(f.Size, 10), strconv.FormatInt(size, 10))
		}
		sum := sha256.Sum256(data)
		if got := formatDigest(sum[:]); got != f.Digest {
			return s.wrong(ErrDigest, f.Name, "", f.Digest, got)
		}
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
	const none = "no such field"
	for _, key := range wire.SortedKeys(want) {
		if value, ok := got[key]; !ok {
			right = none
		} else if !equal(want[key], value) {
			right = show(value)
		}
		if right != "" {
			return wire.Quote(key), show(want[key]), right
		}
	}
	for _, key := range wire.SortedKeys(got) {
		if _, ok := want[key]; !ok {
			return wire.Quote(key), none, show(got[key])
		}
	}
	return "", "", ""
}

func show(v any) string {
	text, err := wire.AppendValue(nil, v)
	if err != nil {
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
