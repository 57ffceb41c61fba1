package stdio

import (
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
)

// An ExitError is the error of a connection whose server has exited or closed its
// standard output. errors.As finds it. It wraps an [*os/exec.ExitError] if the
// server did not exit with status 0.
type ExitError struct {
	// Server describes the server, as in `server "npx -y foo"`.
	Server string

	// State describes the exit. It is nil if the server closed its standard output
	// and was still running 500 ms later.
	State *os.ProcessState

	// Stderr holds the last 64 KiB of its standard error.
	Stderr string
}

// Error includes the last lines of Stderr, in printable form.
func (e *ExitError) Error() string {
	s := e.Server
	switch {
	case e.State == nil:
		s += " closed its standard output"
	case e.State.Exited():
		s += " exited with status " + strconv.Itoa(e.State.ExitCode())
	default:
		s += " was terminated by " + e.State.String()
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
