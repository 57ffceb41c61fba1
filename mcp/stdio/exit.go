package stdio

import (
	"os"
	"os/exec"
	"slices"
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

	unread bool     // it exited without having read anything
	hidden []string // secrets of the command and its variables
}

// Is reports whether target is the error of a server that exited without having read
// anything, which only Linux can tell. Connect of package mcp does not start such a
// server again.
func (e *ExitError) Is(target error) bool { return e.unread && target == diag.ErrUnread }

// Error includes the lines of Stderr that state the reason and the last lines, in
// printable form and without the secrets of the command and its variables.
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
	if text := quoteStderr(linesFrom(e.Stderr, 0), e.hidden); text != "" {
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

const minSecret = 5

// hide returns s with a mask in place of secrets, which may overlap. display.Redact, for all
// encodings, would add 16 KB.
func hide(s string, secrets []string) string {
	var b []byte
	for i := 0; i < len(s); {
		end, text := i+1, s[i:i+1]
		for j := i; j < end; j++ {
			for _, secret := range secrets {
				if len(secret) >= minSecret && strings.HasPrefix(s[j:], secret) { // shorter ones occur in other words
					end, text = max(end, j+len(secret)), diag.Mask
				}
			}
		}
		b, i = append(b, text...), end
	}
	return string(b)
}

// quoteStderr returns the lines of s that state a reason, followed by the last few
// lines. They are indented after the first, and contain neither control
// characters nor secrets. Blank lines and lone marks are left out.
func quoteStderr(s string, hidden []string) string {
	const maxBytes, maxLine, maxLines = 2 << 10, 500, 5
	s = hide(s, hidden)
	tail := s
	if len(s) > maxBytes {
		tail = s[len(s)-maxBytes:]
		tail = tail[strings.IndexByte(tail, '\n')+1:]
	}
	found := findReason(s)
	for i, line := range found {
		found[i] = diag.Printable(diag.HideUserinfo(line), maxLine)
	}
	var kept []string
	for tail != "" {
		var line string
		line, tail, _ = strings.Cut(tail, "\n")
		line = diag.Printable(diag.HideUserinfo(line), 0)
		if !strings.Contains("{}[]^", line) && !slices.Contains(found, line) && (found == nil || !strings.HasPrefix(line, "at ")) { // of a stack
			kept = append(kept, line)
		}
	}
	return strings.Join(append(found, kept[max(0, len(kept)-maxLines+len(found)):]...), "\n\t")
}

// maxReasons is how many lines findReason returns.
const maxReasons = 3

// findReason returns the first line of s that looks like the reason why a program
// failed, and the next one if the line announces it. Otherwise it adds next lines with the
// same first two words, because npm writes "npm error" before every line.
func findReason(s string) (found []string) {
	label := ""
	for len(s) > 0 && len(found) < maxReasons {
		line, rest, _ := strings.Cut(s, "\n")
		line, s = wire.Trim(line), rest
		text, labeled := strings.CutPrefix(line, label)
		if !labeled {
			break
		}
		if !statesReason(text) {
			continue
		}
		if found = append(found, line); len(found) > 1 {
			continue
		}
		next, _, _ := strings.Cut(s, "\n")
		next = wire.Trim(next)
		if strings.HasSuffix(line, ":") || strings.HasSuffix(line, "{") {
			if next != "" {
				found = append(found, next)
			}
			break
		}
		first, more, _ := strings.Cut(line, " ")
		second, _, ok := strings.Cut(more, " ")
		if !ok {
			break
		}
		label = line[:len(first)+len(second)+2]
	}
	return found
}

// reasons are words of lines that state a reason.
const reasons = "error,panic,fatal,cannot,can't,could not,not found,no such,denied,missing,unsupported"

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
	return diag.HasWord(string(lower), reasons, len(lower))
}
