package httpx

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// MediaType returns the media type in h in lower case, without parameters.
func MediaType(h http.Header) string {
	t, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(t))
}

// CheckHeader returns an error if h has a field that cannot be sent, because its
// name is not a token or its value contains a control character. The error contains
// the name and not the value.
func CheckHeader(h http.Header) error {
	for name, values := range h {
		if !IsToken(name) {
			return diag.Op("header "+wire.Quote(name), errName)
		}
		for _, v := range values {
			if !ValidValue(v) {
				return diag.Op("header "+wire.Quote(name), errValue)
			}
		}
	}
	return nil
}

// CheckCallHeader is CheckHeader for the header of one call. It also returns an
// error if h has a field that belongs to the connection.
func CheckCallHeader(h map[string][]string) error {
	for name := range h {
		name = http.CanonicalHeaderKey(name)
		if strings.HasPrefix(name, "Mcp-") || slices.Contains(connectionFields, name) {
			return diag.Op("header "+wire.Quote(name), errReserved)
		}
	}
	return CheckHeader(h)
}

// connectionFields are the fields that no call can set: those of the transport and of
// HTTP itself, and the user's identity, which sessions and caches belong to.
var connectionFields = []string{
	"Accept", "Accept-Encoding", "Authorization", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Cookie",
	"Dpop", "Expect", "Host", "Keep-Alive", "Last-Event-Id", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade",
}

// canonical returns a copy of h with canonical names.
func canonical(h map[string][]string) http.Header {
	c := make(http.Header, len(h))
	for name, values := range h {
		name = http.CanonicalHeaderKey(name)
		c[name] = append(c[name], values...)
	}
	return c
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

// IsToken reports whether s is a token (RFC 9110, section 5.6.2), as the name of
// a header field must be.
func IsToken(s string) bool {
	for i := range len(s) {
		if !IsTokenByte(s[i]) {
			return false
		}
	}
	return s != ""
}

// IsTokenByte reports whether a token may contain c.
func IsTokenByte(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

// AllowRepeat marks the request with header h as safe to repeat: net/http then
// sends it again if it finds that the server has just closed an idle
// connection. The mark itself is not sent.
func AllowRepeat(h http.Header) { h["Idempotency-Key"] = []string{} }

var (
	errName     = errors.New("invalid name")
	errValue    = errors.New("the value contains a control character")
	errReserved = errors.New("a call cannot set it, only the transport")
)
