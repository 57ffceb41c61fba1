package skills

import (
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// skill decodes an entry. An invalid one has an error.
func (r *Reader) skill(item []byte) *Skill {
	s := &Skill{r: r}
	if s.err = s.decode(item); s.err != nil {
		s.Files = nil
	}
	return s
}

func (s *Skill) decode(item []byte) error {
	var files, frontmatter []byte
	text := wire.NewReader(item)
	for text.Object(); text.More(); {
		switch string(text.Key()) {
		case "uri":
			s.URI = text.String()
		case "frontmatter":
			frontmatter = text.Raw()
		case "resources":
			files = text.Raw()
		default:
			text.Skip()
		}
	}
	if err := text.End(); err != nil {
		return s.invalid("entry", err.Error())
	}
	fields, err := mcp.Value(frontmatter)
	if frontmatter != nil && err != nil {
		return s.invalid("frontmatter", err.Error())
	}
	s.Frontmatter, _ = fields.(map[string]any)
	s.Name, _ = s.Frontmatter["name"].(string)
	s.Description, _ = s.Frontmatter["description"].(string)

	root, ok := strings.CutSuffix(s.URI, "/"+main)
	_, path, absolute := strings.Cut(root, "://")
	path = "/" + path + "/"
	switch s.root = root; {
	case !ok || control(s.URI, "?#\\\t") >= 0:
		return s.invalid("uri", "a URI that ends with /"+main)
	case !absolute || strings.Contains(path, "/../") || strings.Contains(path, "/./"):
		return s.invalid("uri", "a scheme and a path without dots")
	case !validName(s.Name):
		return s.invalid("frontmatter.name", "up to 64 lowercase letters, digits and single hyphens")
	case s.Description == "":
		return s.invalid("frontmatter.description", "a text")
	case !strings.HasSuffix(root, "/"+s.Name):
		return s.invalid("uri", "a directory with the name "+s.Name)
	}
	return s.decodeFiles(files)
}

func (s *Skill) decodeFiles(list []byte) error {
	text := wire.NewReader(list)
	if text.Kind() == wire.String && text.String() == dynamic {
		if s.Dynamic = true; !s.r.opts.Dynamic {
			return s.wrong(ErrDynamic, "", "", "", "its files have no digests")
		}
		return nil
	}
	if text.Kind() != wire.Array {
		return s.invalid("resources", `a list or "dynamic"`)
	}
	byName := make(map[string]int) // the place in s.Files, from 1
	var names []string
	left := s.r.opts.MaxBytes
	for text.Array(); text.More(); {
		f := File{Size: -1}
		for text.Object(); text.More(); {
			switch string(text.Key()) {
			case "uri":
				f.URI = text.String()
			case "digest":
				f.Digest = text.String()
			case "size":
				f.Size = text.Int()
			default:
				text.Skip()
			}
		}
		if text.Err() != nil {
			break
		}
		if len(names) == s.r.opts.MaxFiles {
			return s.limit("", "resources", int64(len(names)), " files")
		}
		var ok bool
		if f.Name, ok = fileName(s.root, f.URI); !ok {
			return s.wrong(ErrInvalid, "", "resources.uri", "a file below "+s.root, f.URI)
		}
		if !validDigest(f.Digest) {
			return s.wrong(ErrInvalid, f.Name, "digest", "sha256: and 64 lowercase hexadecimal digits", f.Digest)
		}
		if f.Size < 0 {
			return s.wrong(ErrInvalid, f.Name, "size", "a number of bytes", "")
		}
		if left -= f.Size; left < 0 {
			return s.limit("", "resources", s.r.opts.MaxBytes, " bytes")
		}
		if byName[f.Name] > 0 {
			return s.wrong(ErrInvalid, f.Name, "", "", "it is listed twice")
		}
		s.Files, names = append(s.Files, f), append(names, f.Name)
		byName[f.Name] = len(names)
	}
	if err := text.End(); err != nil {
		return s.invalid("resources", err.Error())
	}

	wire.SortStrings(names)
	files, found := make([]File, len(names)), false
	for n, name := range names {
		for i := range len(name) {
			if name[i] == '/' && byName[name[:i]] > 0 {
				return s.wrong(ErrInvalid, name[:i], "", "", "it is a file and a directory")
			}
		}
		files[n] = s.Files[byName[name]-1]
		found = found || files[n].URI == s.URI
	}
	if s.Files = files; !found {
		return s.invalid("resources", s.URI)
	}
	return nil
}

// limit returns an error about a field or a file that exceeds a limit.
func (s *Skill) limit(file, field string, most int64, unit string) error {
	return s.wrong(ErrLimit, file, field, "at most "+strconv.FormatInt(most, 10)+unit, "")
}

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
