package skills

import (
	"errors"

	"github.com/stdmcp/stdmcp/internal/diag"
)

// Errors that verification returns; errors.Is finds them in an [*Error].
var (
	// ErrDigest means that a file is not the one in the entry.
	ErrDigest = errors.New("the digest differs")

	// ErrSize means that the size of a file differs from the entry.
	ErrSize = errors.New("the size differs")

	// ErrNotListed means that a file is not in the entry, or outside the skill.
	ErrNotListed = errors.New("not a file of the skill")

	// ErrName means that a file must not be written to disk under its name; see
	// [Skill.FS].
	ErrName = errors.New("the name is not safe on every system")

	// ErrFrontmatter means that the frontmatter of SKILL.md differs from the
	// entry, or that it cannot be read; see [SyntaxError].
	ErrFrontmatter = errors.New("the frontmatter differs from the entry")

	// ErrInvalid means that an entry, or what a server returned, violates the
	// specification.
	ErrInvalid = errors.New("invalid")

	// ErrLimit means that a skill exceeds a limit of [Options].
	ErrLimit = errors.New("the limit is exceeded")

	// ErrDynamic means that a skill has no digests, and that Options.Dynamic is
	// false or that only its server knows its files.
	ErrDynamic = errors.New("the skill is dynamic")

	// ErrUnsupported means that the server has not declared the extension or,
	// for ReadDir, that it lists directories. It matches errors.ErrUnsupported.
	ErrUnsupported = diag.Error("not supported by the server", errors.ErrUnsupported, nil)
)

// An Error describes why a skill or one of its files cannot be used.
type Error struct {
	_ [0]func() // values are not comparable; the function that compares them is not linked

	Skill string // its URI; empty for an entry without one
	File  string // path in the skill; empty if the error is not about one file
	Field string // of the entry or the frontmatter; may be empty
	Want  string // what the entry says; may be empty
	Got   string // what the server sent; may be empty
	Err   error  // one of the variables of this package, or an error that wraps one
}

// maxShown is how many bytes of a value an error contains.
const maxShown = 200

func (e *Error) Error() string {
	text := `skill "` + diag.Printable(e.Skill, maxShown) + `"`
	if e.File != "" {
		text += `: file "` + diag.Printable(e.File, maxShown) + `"`
	}
	cause, before := "", ": "
	if e.Err != nil {
		cause = e.Err.Error()
	}
	if e.Want != "" {
		before = ", got "
	}
	for _, part := range [...][2]string{{": ", e.Field}, {": ", cause}, {": want ", e.Want}, {before, e.Got}} {
		if part[1] != "" {
			text += part[0] + diag.Printable(part[1], maxShown)
		}
	}
	if e.Err == ErrDigest || e.Err == ErrSize {
		text += "; if the skill has changed, get its entry again"
	}
	return text
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// A SyntaxError is a place in frontmatter that the parser does not accept. An
// error that wraps one also matches [ErrFrontmatter].
type SyntaxError struct {
	_ [0]func() // as in Error

	Line, Column int // from 1; columns count bytes
	Problem      string
}

func (e *SyntaxError) Error() string {
	return "line " + decimal(int64(e.Line)) + ", column " + decimal(int64(e.Column)) + ": " + e.Problem
}

// Unwrap returns ErrFrontmatter.
func (e *SyntaxError) Unwrap() error { return ErrFrontmatter }
