package stdio

import (
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
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
		if line = diag.Printable(line, 0); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept[max(0, len(kept)-maxLines):], "\n\t")
}
