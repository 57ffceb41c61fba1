package stdio

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An ExitError is what ended the connection to a server that exited, or that
// closed its standard output. It is found by errors.As, and wraps an
// [*os/exec.ExitError] when the server did not exit with status 0.
type ExitError struct {
	// Server names the server, as in `server "npx -y foo"`.
	Server string

	// State is how it exited, or nil if it closed its standard output and was
	// still running half a second later.
	State *os.ProcessState

	// Stderr is the end of what it wrote to its standard error, 64 KiB at most.
	Stderr string
}

// Error quotes the last lines of Stderr, made safe to print.
func (e *ExitError) Error() string {
	s := e.Server
	switch {
	case e.State == nil:
		s += " closed its output"
	case e.State.Exited():
		s += " exited with status " + strconv.Itoa(e.State.ExitCode())
	default:
		s += " was ended by " + e.State.String()
	}
	if text := lastLines(e.Stderr); text != "" {
		s += ": " + text
	}
	return s
}

func (e *ExitError) Unwrap() error {
	if e.State == nil || e.State.Success() {
		return nil
	}
	return &exec.ExitError{ProcessState: e.State}
}

// lastLines returns the last few lines of s that are not blank, indented after
// the first and without anything that a terminal might obey.
func lastLines(s string) string {
	const maxBytes, maxLines = 2 << 10, 5
	if len(s) > maxBytes {
		s = s[len(s)-maxBytes:]
		s = s[strings.IndexByte(s, '\n')+1:]
	}
	var kept []string
	for line := range strings.Lines(s) {
		if line = printable(line); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept[max(0, len(kept)-maxLines):], "\n\t")
}

// printable returns line without terminal sequences and surrounding blanks, and
// with ? for other characters that can't be printed.
func printable(line string) string {
	var b strings.Builder
	for len(line) > 0 {
		if rest, ok := strings.CutPrefix(line, "\x1b["); ok {
			// Parameters, then one final byte: ECMA-48, 5.4.
			rest = strings.TrimLeft(rest, " !\"#$%&'()*+,-./0123456789:;<=>?")
			line = rest[min(1, len(rest)):]
			continue
		}
		r, n := utf8.DecodeRuneInString(line)
		line = line[n:]
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case strconv.IsPrint(r) && r != utf8.RuneError:
			b.WriteRune(r)
		default:
			b.WriteByte('?')
		}
	}
	return strings.TrimSpace(b.String())
}
