package skills

import (
	"crypto/sha256"
	"strings"
	"sync/atomic"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// main is the file that every skill has.
const main = "SKILL.md"

// dynamic is the digest of a skill without digests.
const dynamic = "dynamic"

// A Skill is the entry of a skill: what its server says about it. Texts are as the
// server wrote them and may contain line breaks and any other characters: print
// them with %q.
type Skill struct {
	URI         string         // of its SKILL.md; identifies the skill within its server
	Name        string         // a label, which other skills may have as well
	Description string         // what the skill does and when to use it, for a model
	Frontmatter map[string]any // all fields, as of [mcp.DecodeValue]
	Files       []File         // in the order of their names; nil if Dynamic, or if Err is not nil
	Dynamic     bool           // the files are generated and have no digests

	r    *Reader
	root string       // URI without SKILL.md
	err  error        // why the skill cannot be read
	read atomic.Int64 // bytes read, if Dynamic
}

// A File is a file of a skill.
type File struct {
	Name   string // slash-separated path in the skill, of up to 1,024 bytes, valid for fs.FS; to write the file, see Skill.FS
	URI    string
	Digest string // "sha256:" and 64 lowercase hexadecimal digits
	Size   int64  // in bytes
}

// Err returns why the skill cannot be read, or nil: an [*Error] that matches
// [ErrInvalid], [ErrLimit] or, without Options.Dynamic, [ErrDynamic]. All reads
// fail with it.
func (s *Skill) Err() error { return s.err }

// Root returns the URI of the skill's directory.
func (s *Skill) Root() string { return strings.TrimSuffix(s.root, "/") }

// Digest returns a digest of the URI, the frontmatter and the files of the skill. If it
// changes, the user's approval of the skill ends. It is empty for a skill that is
// dynamic or cannot be read; an approval of such a skill cannot be stored.
func (s *Skill) Digest() string {
	// A server may list a frontmatter that is not that of the file.
	text, err := wire.AppendValue([]byte(s.URI+"\n"), s.Frontmatter)
	if s.Dynamic || s.err != nil || err != nil { // a number is too large for the file to have it
		return ""
	}
	for _, f := range s.Files {
		text = append(text, "\n"+f.Digest+" "+f.URI...)
	}
	return digest(text)
}

// A digest is an algorithm and hexadecimal digits.
const (
	algorithm, hexDigits = "sha256:", "0123456789abcdef"
	digestSize           = len(algorithm) + 2*sha256.Size
)

// digest returns the digest of data as entries write it.
func digest(data []byte) string {
	var text [digestSize]byte
	copy(text[:], algorithm)
	for i, c := range sha256.Sum256(data) {
		text[len(algorithm)+2*i], text[len(algorithm)+2*i+1] = hexDigits[c>>4], hexDigits[c&15]
	}
	return string(text[:])
}
