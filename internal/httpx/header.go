package httpx

import (
	"errors"
	"net/http"
	"strings"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// MediaType returns the media type in h, in lower case and without its
// parameters.
func MediaType(h http.Header) string {
	t, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(t))
}

// CheckHeader returns an error if h has a field that cannot be sent: one whose
// name is no token, or whose value has a line break in it, say. The error names
// the field and not its value.
func CheckHeader(h http.Header) error {
	for name, values := range h {
		if name == "" || strings.ContainsFunc(name, notToken) {
			return &headerError{name, errName}
		}
		for _, v := range values {
			if !ValidValue(v) {
				return &headerError{name, errValue}
			}
		}
	}
	return nil
}

// ValidValue reports whether v can be the value of a header field.
func ValidValue(v string) bool {
	for i := range len(v) {
		if v[i] < ' ' && v[i] != '\t' || v[i] == 0x7f {
			return false
		}
	}
	return true
}

func notToken(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

var (
	errName  = errors.New("the name is not allowed")
	errValue = errors.New("the value has a character that cannot be sent")
)

// headerError is a header field that cannot be sent.
type headerError struct {
	name string
	err  error
}

func (e *headerError) Error() string { return "header " + wire.Quote(e.name) + ": " + e.err.Error() }
func (e *headerError) Unwrap() error { return e.err }

// AllowRepeat marks a request with the header h, so that net/http sends it once
// more when it finds that the server has just closed the connection, which was
// idle. No mark is sent.
func AllowRepeat(h http.Header) { h["Idempotency-Key"] = []string{} }
