package skills

import (
	"crypto/sha256"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// newSkill decodes an entry. An invalid one has an error.
func newSkill(r *Reader, item []byte) *Skill {
	s := &Skill{r: r}
	s.err = decode(s, item)
	return s
}

// perFile limits the average length of a file in an entry, in bytes. Decoding takes up to
// 50 times the length of an entry.
const perFile = 4 << 10

func decode(s *Skill, item []byte) error {
	if (len(item)-maxFrontmatter)/perFile > s.r.opts.MaxFiles || len(wire.Lookup(item, "frontmatter")) > maxFrontmatter {
		return wrong(s, ErrLimit, "", "", "", "the entry has "+decimal(int64(len(item)))+" bytes")
	}
	v, err := mcp.DecodeValue(item)
	if err != nil {
		return wrong(s, ErrInvalid, "", "", "", err.Error())
	}
	entry, _ := v.(map[string]any)
	fields, _ := entry["frontmatter"].(map[string]any)
	s.Frontmatter = fields
	setText(&s.URI, v, "uri")
	setText(&s.Name, fields, "name")
	setText(&s.Description, fields, "description")
	s.root = strings.TrimSuffix(s.URI, main)

	field, want := "uri", ""
	switch {
	case !strings.HasSuffix(s.URI, "/"+main) || control(s.URI, "?#\\\t\n") >= 0:
		want = "a URI that ends with /" + main
	case !strings.Contains(s.URI, "://") || hasDots(s.URI):
		want = "a scheme and a path without dots"
	case !validName(s.Name):
		field, want = "frontmatter.name", "up to 64 lowercase letters, digits and single hyphens"
	case s.Description == "":
		field, want = "frontmatter.description", "a text"
	case !strings.HasSuffix(s.root, "/"+s.Name+"/"):
		want = "a directory with the name " + s.Name
	default:
		switch list := entry["resources"].(type) {
		case []any:
			return decodeFiles(s, list)
		case string:
			if s.Dynamic = list == dynamic; s.Dynamic && s.r.opts.Dynamic {
				return nil
			}
		}
		if s.Dynamic {
			return wrong(s, ErrDynamic, "", "", "", "its files have no digests")
		}
		field, want = "resources", `a list or "dynamic"`
	}
	return wrong(s, ErrInvalid, "", field, want, "")
}

// setText sets a string to the member of an object with a key, or to "" if there is no
// such string.
func setText(s *string, object any, key string) {
	m, _ := object.(map[string]any)
	*s, _ = m[key].(string)
}

func decodeFiles(s *Skill, list []any) error {
	if len(list) > s.r.opts.MaxFiles {
		return wrong(s, ErrLimit, "", "resources", "at most "+decimal(int64(s.r.opts.MaxFiles))+" files", "")
	}
	byName := make(map[string]any)
	var uri string
	for _, item := range list {
		setText(&uri, item, "uri")
		name := fileName(s.root, uri)
		if name == "" {
			return wrong(s, ErrInvalid, "", "resources.uri", "a file below "+s.root, uri)
		}
		if byName[name] != nil {
			return wrong(s, ErrInvalid, name, "", "", "it is listed twice")
		}
		byName[name] = item
	}
	if setText(&uri, byName[main], "uri"); uri != s.URI {
		return wrong(s, ErrInvalid, "", "resources", s.URI, "")
	}
	names := wire.SortedKeys(byName)
	files := make([]File, len(names))
	left := s.r.opts.MaxBytes
	for i, name := range names {
		for end := range len(name) {
			if name[end] == '/' && byName[name[:end]] != nil {
				return wrong(s, ErrInvalid, name[:end], "", "", "it is a file and a directory")
			}
		}
		item := byName[name]
		m, _ := item.(map[string]any)
		size, ok := m["size"].(float64)
		f := &files[i]
		f.Name, f.Size = name, int64(size)
		setText(&f.URI, item, "uri")
		setText(&f.Digest, item, "digest")
		if !ok || f.Size < 0 || float64(f.Size) != size {
			return wrong(s, ErrInvalid, name, "size", "a number of bytes", "")
		}
		if len(f.Digest) != digestSize || span(strings.TrimPrefix(f.Digest, algorithm), hexDigits) != 2*sha256.Size {
			return wrong(s, ErrInvalid, name, "digest", "sha256: and 64 lowercase hexadecimal digits", f.Digest)
		}
		if left -= f.Size; left < 0 {
			return wrong(s, ErrLimit, "", "resources", "at most "+decimal(s.r.opts.MaxBytes)+" bytes", "")
		}
	}
	s.Files = files
	return nil
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// wrong returns an error about the skill. A literal in each place would add 3.8 KB to
// a stdio program that reads skills.
//
//go:noinline
func wrong(s *Skill, err error, file, field, want, got string) error {
	return &Error{Skill: s.URI, File: file, Field: field, Want: want, Got: got, Err: err}
}
