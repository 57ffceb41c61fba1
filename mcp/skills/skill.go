package skills

import (
	"crypto/sha256"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp"
)

// main is the file that every skill has.
const main = "SKILL.md"

// dynamic is the digest of a skill without digests.
const dynamic = "dynamic"

// A Skill is the entry of a skill: what its server says about it.
type Skill struct {
	URI         string         // of its SKILL.md; identifies the skill within its server
	Name        string         // a label, which other skills may have as well
	Description string         // what the skill does and when to use it, for a model
	Frontmatter map[string]any // all fields, as of [mcp.Value]
	Files       []File         // in the order of their names; nil if Dynamic, or if Err is not nil
	Dynamic     bool           // the files are generated and have no digests

	r    *Reader
	root string       // URI without /SKILL.md
	err  error        // why the skill cannot be read
	read atomic.Int64 // bytes read, if Dynamic
}

// A File is a file of a skill.
type File struct {
	Name   string // slash-separated path in the skill, valid for fs.FS
	URI    string
	Digest string // "sha256:" and 64 lowercase hexadecimal digits
	Size   int64  // in bytes
}

// Err returns why the skill cannot be read, or nil: an [*Error] that matches
// [ErrInvalid], [ErrLimit] or, without Options.Dynamic, [ErrDynamic]. All reads
// fail with it.
func (s *Skill) Err() error { return s.err }

// Root returns the URI of the skill's directory.
func (s *Skill) Root() string { return s.root }

// Digest returns a digest of the URI and the files of the skill. A change of it
// ends the user's approval of the skill. It is empty for a skill that is dynamic or
// cannot be read, whose approval cannot be stored.
func (s *Skill) Digest() string {
	if s.Dynamic || s.err != nil {
		return ""
	}
	h := sha256.New()
	h.Write([]byte(s.URI))
	for _, f := range s.Files {
		h.Write([]byte("\n" + f.Digest + " " + f.URI))
	}
	return formatDigest(h.Sum(nil))
}

// skill decodes an entry. An invalid one has an error.
func (r *Reader) skill(item []byte) *Skill {
	s := &Skill{r: r}
	if s.err = s.decode(item); s.err != nil {
		s.Files = nil
	}
	return s
}

func (s *Skill) decode(item []byte) error {
	var files []byte
	text := wire.NewReader(item)
	if text.Kind() != wire.Object {
		return s.invalid("entry", "an object")
	}
	for text.Object(); text.More(); {
		switch string(text.Key()) {
		case "uri":
			s.URI = text.String()
		case "frontmatter":
			value, err := mcp.Value(text.Raw())
			if err != nil {
				return s.invalid("frontmatter", err.Error())
			}
			s.Frontmatter, _ = value.(map[string]any)
		case "resources":
			files = text.Raw()
		default:
			text.Skip()
		}
	}
	if err := text.End(); err != nil {
		return s.invalid("entry", err.Error())
	}
	var ok bool
	if s.root, ok = strings.CutSuffix(s.URI, "/"+main); !ok || strings.ContainsAny(s.URI, "?#\\") || hasControl(s.URI) {
		return s.invalid("uri", "a URI that ends with /"+main)
	}
	if _, rest, ok := strings.Cut(s.URI, "://"); !ok || strings.Contains("/"+rest+"/", "/../") || strings.Contains("/"+rest, "/./") {
		return s.invalid("uri", "a scheme and a path without dots")
	}
	s.Name, _ = s.Frontmatter["name"].(string)
	s.Description, _ = s.Frontmatter["description"].(string)
	switch {
	case !validName(s.Name):
		return s.invalid("frontmatter.name", "up to 64 lowercase letters, digits and single hyphens")
	case s.Description == "":
		return s.invalid("frontmatter.description", "a text")
	case s.root[strings.LastIndexByte(s.root, '/')+1:] != s.Name:
		return s.invalid("uri", "a directory with the name "+s.Name)
	}
	return s.decodeFiles(files)
}

// atMost describes a limit.
func atMost(n int64, unit string) string { return "at most " + strconv.FormatInt(n, 10) + unit }

// invalid returns an error about a field, which should be what want says.
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

func (s *Skill) decodeFiles(files []byte) error {
	text := wire.NewReader(files)
	switch text.Kind() {
	case wire.String:
		if text.String() != dynamic {
			return s.invalid("resources", `a list or "dynamic"`)
		}
		s.Dynamic = true
		if !s.r.opts.Dynamic {
			return s.wrong(ErrDynamic, "", "", "", "its files have no digests")
		}
		return nil
	case wire.Array:
	default:
		return s.invalid("resources", `a list or "dynamic"`)
	}
	var total int64
	for text.Array(); text.More(); {
		if len(s.Files) == s.r.opts.MaxFiles {
			return s.wrong(ErrLimit, "", "resources", atMost(int64(s.r.opts.MaxFiles), " files"), "")
		}
		f, err := s.decodeFile(&text)
		if err != nil {
			return err
		}
		if f.Size > s.r.opts.MaxBytes-total {
			return s.wrong(ErrLimit, "", "resources", atMost(s.r.opts.MaxBytes, " bytes"), "")
		}
		total += f.Size
		s.Files = append(s.Files, f)
	}
	if err := text.End(); err != nil {
		return s.invalid("resources", err.Error())
	}
	return s.order()
}

// order sorts the files by their names, which must be unique.
func (s *Skill) order() error {
	byName := make(map[string]any, len(s.Files)) // any, as other packages sort such keys
	for i := range s.Files {
		f := &s.Files[i]
		if byName[f.Name] != nil {
			return s.wrong(ErrInvalid, f.Name, "", "", "it is listed twice")
		}
		byName[f.Name] = f
	}
	files, found := make([]File, 0, len(s.Files)), false
	for _, name := range wire.SortedKeys(byName) {
		for i := range len(name) {
			if name[i] == '/' && byName[name[:i]] != nil {
				return s.wrong(ErrInvalid, name[:i], "", "", "it is a file and a directory")
			}
		}
		if f, ok := byName[name].(*File); ok {
			found = found || f.URI == s.URI
			files = append(files, *f)
		}
	}
	s.Files = files
	if !found {
		return s.invalid("resources", s.URI)
	}
	return nil
}

func (s *Skill) decodeFile(text *wire.Reader) (f File, err error) {
	f.Size = -1
	if text.Kind() != wire.Object {
		return f, s.invalid("resources", "objects")
	}
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
	if err := text.Err(); err != nil {
		return f, s.invalid("resources", err.Error())
	}
	var ok bool
	if f.Name, ok = fileName(s.root, f.URI); !ok {
		return f, s.wrong(ErrInvalid, "", "resources.uri", "a file below "+s.root, f.URI)
	}
	if !validDigest(f.Digest) {
		return f, s.wrong(ErrInvalid, f.Name, "digest", "sha256: and 64 lowercase hexadecimal digits", f.Digest)
	}
	if f.Size < 0 {
		return f, s.wrong(ErrInvalid, f.Name, "size", "a number of bytes", "")
	}
	return f, nil
}

// fileName returns the path below root of a URI. The path is valid on every
// system, also if a program creates the file: it has no escaped slash, no
// backslash, no colon and no control character.
func fileName(root, uri string) (string, bool) {
	rest, ok := strings.CutPrefix(uri, root+"/")
	if !ok || strings.ContainsAny(rest, "?#") {
		return "", false
	}
	parts := strings.Split(rest, "/")
	for i, part := range parts {
		name, ok := unescapeURI(part)
		if !ok || name == "" || name == "." || name == ".." || strings.ContainsAny(name, `/\:`) || hasControl(name) {
			return "", false
		}
		parts[i] = name
	}
	name := strings.Join(parts, "/")
	return name, utf8.ValidString(name)
}

// unescapeURI decodes the escapes of a part of a URI, as url.PathUnescape does.
// Packages url and hex would link package fmt.
func unescapeURI(s string) (string, bool) {
	if strings.IndexByte(s, '%') < 0 {
		return s, true
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b = append(b, s[i])
			continue
		}
		if i+3 > len(s) {
			return "", false
		}
		c, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b = append(b, byte(c))
		i += 2
	}
	return string(b), true
}

// escapeURI escapes a path for a URI.
func escapeURI(path string) string {
	const unescaped, digits = "-._~!$&'()*+,;=@/", "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(path) {
		switch c := path[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(unescaped, c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}

func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f })
}

// validName reports whether a name is one of the Agent Skills specification.
func validName(s string) bool {
	if s == "" || len(s) > 64 || s[0] == '-' || s[len(s)-1] == '-' || strings.Contains(s, "--") {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// formatDigest returns a sum as entries write it.
func formatDigest(sum []byte) string {
	const digits = "0123456789abcdef"
	b := []byte("sha256:")
	for _, c := range sum {
		b = append(b, digits[c>>4], digits[c&15])
	}
	return string(b)
}

func validDigest(s string) bool {
	digits, ok := strings.CutPrefix(s, "sha256:")
	if !ok || len(digits) != 2*sha256.Size {
		return false
	}
	for i := range len(digits) {
		if c := digits[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
