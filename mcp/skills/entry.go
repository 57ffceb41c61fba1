package skills

import (
	"crypto/sha256"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// skill decodes an entry. An invalid one has an error.
func (r *Reader) skill(item []byte) *Skill {
	s := &Skill{r: r}
	s.err = s.decode(item)
	return s
}

func (s *Skill) decode(item []byte) error {
	s.URI = text(item, "uri")
	fields, err := mcp.Value(wire.Lookup(item, "frontmatter"))
	if err != nil {
		return s.invalid("frontmatter", err.Error())
	}
	s.Frontmatter, _ = fields.(map[string]any)
	s.Name, _ = s.Frontmatter["name"].(string)
	s.Description, _ = s.Frontmatter["description"].(string)

	var ok bool
	s.root, ok = strings.CutSuffix(s.URI, "/"+main)
	field, want := "uri", ""
	switch {
	case !ok || control(s.URI, "?#\\\t") >= 0:
		want = "a URI that ends with /" + main
	case !strings.Contains(s.URI, "://") || strings.Contains(s.URI, "/../") || strings.Contains(s.URI, "/./"):
		want = "a scheme and a path without dots"
	case !validName(s.Name):
		field, want = "frontmatter.name", "up to 64 lowercase letters, digits and single hyphens"
	case s.Description == "":
		field, want = "frontmatter.description", "a text"
	case !strings.HasSuffix(s.root, "/"+s.Name):
		want = "a directory with the name " + s.Name
	default:
		return s.decodeFiles(member(item, "resources"))
	}
	return s.invalid(field, want)
}

// member returns a reader of the member of an object with a key. It is invalid if
// there is none. It is on the heap, as copies of it would make programs larger.
//
//go:noinline
func member(object []byte, key string) *wire.Reader {
	r := wire.NewReader(wire.Lookup(object, key))
	return &r
}

// text returns the member of an object with a key, if it is a string.
func text(object []byte, key string) string {
	r := member(object, key)
	if r.Kind() != wire.String {
		return ""
	}
	return r.String()
}

func (s *Skill) decodeFiles(r *wire.Reader) error {
	if r.Kind() == wire.String && r.String() == dynamic {
		if s.Dynamic = true; !s.r.opts.Dynamic {
			return s.wrong(ErrDynamic, "", "", "", "its files have no digests")
		}
		return nil
	}
	if r.Kind() != wire.Array {
		return s.invalid("resources", `a list or "dynamic"`)
	}
	byName := make(map[string]*File)
	var names []string
	left := s.r.opts.MaxBytes
	for r.Array(); r.More(); {
		f, err := s.file(r.Raw())
		if err != nil {
			return err
		}
		if left -= f.Size; left < 0 {
			return s.limit("", "resources", s.r.opts.MaxBytes, " bytes")
		}
		if byName[f.Name] != nil {
			return s.wrong(ErrInvalid, f.Name, "", "", "it is listed twice")
		}
		names = append(names, f.Name)
		if byName[f.Name] = f; len(names) > s.r.opts.MaxFiles {
			return s.limit("", "resources", int64(s.r.opts.MaxFiles), " files")
		}
	}

	wire.SortStrings(names)
	files, found := make([]File, len(names)), false
	for n, name := range names {
		for i := range len(name) {
			if name[i] == '/' && byName[name[:i]] != nil {
				return s.wrong(ErrInvalid, name[:i], "", "", "it is a file and a directory")
			}
		}
		files[n] = *byName[name]
		found = found || files[n].URI == s.URI
	}
	if !found {
		return s.invalid("resources", s.URI)
	}
	s.Files = files
	return nil
}

// file decodes an entry of a file.
func (s *Skill) file(item []byte) (*File, error) {
	f := &File{URI: text(item, "uri"), Digest: text(item, "digest")}
	r := member(item, "size")
	f.Size = r.Int()
	var ok bool
	f.Name, ok = fileName(s.root, f.URI)
	var field, want, got string
	switch {
	case !ok:
		field, want, got = "resources.uri", "a file below "+s.root, f.URI
	case !strings.HasPrefix(f.Digest, algorithm) || len(f.Digest) != digestSize || span(f.Digest[len(algorithm):], hexDigits) < 2*sha256.Size:
		field, want, got = "digest", "sha256: and 64 lowercase hexadecimal digits", f.Digest
	case f.Size < 0 || r.Err() != nil:
		field, want = "size", "a number of bytes"
	default:
		return f, nil
	}
	return nil, s.wrong(ErrInvalid, f.Name, field, want, got)
}

// limit returns an error about a field or a file that exceeds a limit.
func (s *Skill) limit(file, field string, most int64, unit string) error {
	return s.wrong(ErrLimit, file, field, "at most "+decimal(most)+unit, "")
}

// decimal is not inlined, as package strconv is in parts.
//
//go:noinline
func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// invalid returns an error about a field, which should be what want says.
//
//go:noinline
func (s *Skill) invalid(field, want string) error {
	return s.wrong(ErrInvalid, "", field, want, "")
}

// wrong returns an error about the skill. A literal in each place would make
// programs larger.
//
//go:noinline
func (s *Skill) wrong(err error, file, field, want, got string) error {
	return &Error{Skill: s.URI, File: file, Field: field, Want: want, Got: got, Err: err}
}
