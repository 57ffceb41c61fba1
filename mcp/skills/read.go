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
		if total := s.read.Add(size); total > s.r.opts.MaxBytes {
			return s.wrong(ErrLimit, f.Name, "", atMost(s.r.opts.MaxBytes, " bytes"), "")
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
	text, line, err := cutFrontmatter(data)
	if err != nil {
		return s.wrong(err, main, "", "", "")
	}
	got, err := s.r.opts.Frontmatter(text)
	if err != nil {
		if e, ok := err.(*SyntaxError); ok {
			err = &SyntaxError{e.Line + line, e.Column, e.Problem}
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
	for _, key := range wire.SortedKeys(want) {
		value, ok := got[key]
		if !ok {
			return wire.Quote(key), show(want[key]), "no such field"
		}
		if !equal(want[key], value) {
			return wire.Quote(key), show(want[key]), show(value)
		}
	}
	for _, key := range wire.SortedKeys(got) {
		if _, ok := want[key]; !ok {
			return wire.Quote(key), "no such field", show(got[key])
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
		if !ok || len(a) != len(b) {
			return false
		}
		for key, value := range a {
			if other, ok := b[key]; !ok || !equal(value, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case string:
		b, ok := b.(string)
		return ok && a == b
	case float64:
		b, ok := b.(float64)
		return ok && a == b
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	}
	return a == nil && b == nil
}
