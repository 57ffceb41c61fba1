package stdio

import (
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
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

// Error includes the line of Stderr that states the reason and the last lines, in
// printable form.
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
	if text := quoteStderr(e.Stderr); text != "" {
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

// quoteStderr returns the first line of s that states a reason, followed by the
// last few lines. They are indented after the first, and contain neither control
// characters nor passwords of URLs. Blank lines and lone marks are left out.
func quoteStderr(s string) string {
	const maxBytes, maxLine, maxLines = 2 << 10, 500, 5
	tail := s
	if len(s) > maxBytes {
		tail = s[len(s)-maxBytes:]
		tail = tail[strings.IndexByte(tail, '\n')+1:]
	}
	reason := findReason(s)
	var kept []string
	for tail != "" {
		var line string
		line, tail, _ = strings.Cut(tail, "\n")
		line = diag.Printable(diag.HideUserinfo(line), 0)
		if !strings.Contains("{}[]^", line) && (reason == nil || !strings.HasPrefix(line, "at ")) { // of a stack
			kept = append(kept, line)
		}
	}
	if reason == nil {
		return strings.Join(kept[max(0, len(kept)-maxLines):], "\n\t")
	}
	for i, line := range reason {
		reason[i] = diag.Printable(diag.HideUserinfo(line), maxLine)
		for at, line := range kept {
			if line == reason[i] {
				kept = append(kept[:at], kept[at+1:]...)
				break
			}
		}
	}
	return strings.Join(append(reason, kept[max(0, len(kept)-maxLines+len(reason)):]...), "\n\t")
}

// findReason returns the first line of s that looks like the reason why a program
// failed, and the next one if the line announces it. It returns nil if there is
// none.
func findReason(s string) []string {
	for len(s) > 0 {
		line, rest, _ := strings.Cut(s, "\n")
		line, s = wire.Trim(line), rest
		if !statesReason(line) {
			continue
		}
		if strings.HasSuffix(line, ":") || strings.HasSuffix(line, "{") {
			next, _, _ := strings.Cut(s, "\n")
			if next = wire.Trim(next); next != "" {
				return []string{line, next}
			}
		}
		return []string{line}
	}
	return nil
}

// reasons are words of lines that state a reason.
var reasons = [...]string{"error", "panic", "fatal", "cannot", "can't", "could not", "not found", "no such", "denied", "missing", "unsupported"}

func statesReason(line string) bool {
	if line == "" || line[0] == '-' || strings.HasPrefix(line, "at ") { // a flag of a usage text, or a stack
		return false
	}
	lower := []byte(line) // strings.ToLower would link the tables of Unicode
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	for _, word := range reasons {
		if strings.Contains(string(lower), word) {
			return true
		}
	}
	return false
}
