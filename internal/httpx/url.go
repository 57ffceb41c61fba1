package httpx

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp/httperr"
)

// Parse parses the URL of a server, which must be an absolute http or https URL,
// and removes its fragment. The error does not contain the URL.
func Parse(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, invalidURL(parseReason(err))
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, invalidURL(errScheme)
	case u.Hostname() == "":
		return nil, invalidURL(errHost)
	}
	u.Fragment, u.RawFragment = "", ""
	u.RawQuery = escapeQuery(u.RawQuery)
	return u, nil
}

// escapeQuery escapes what a query cannot contain, as browsers do. Package url leaves it.
func escapeQuery(query string) string {
	const hex = "0123456789ABCDEF"
	var b []byte
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>' {
			b = append(b, '%', hex[c>>4], hex[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

// Display returns the URL raw without its user and password, and with "..." for a query.
func Display(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" {
		return "an invalid URL"
	}
	return Clean(u)
}

var (
	errScheme = errors.New("it does not begin with http:// or https://")
	errHost   = errors.New("it has no host")
)

func invalidURL(err error) error { return diag.Op("invalid URL", err) }

// parseReason returns the cause of an error of package url without the URL, which
// may contain a password.
func parseReason(err error) error {
	if e, ok := err.(*url.Error); ok {
		return e.Err
	}
	return err
}

// SameOrigin reports whether scheme, host and port of a and b are the same.
func SameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Hostname(), b.Hostname()) && Port(a) == Port(b)
}

// Port returns the port of u, or the one that its scheme implies.
func Port(u *url.URL) string {
	switch p := u.Port(); {
	case p != "":
		return p
	case strings.EqualFold(u.Scheme, "https"):
		return "443"
	}
	return "80"
}

// maxReference is how long a reference of a server may be, in bytes. Until Go 1.26,
// package url resolves one of 1 MiB in half a minute.
const maxReference = 16 << 10

var errLong = errors.New("it is longer than 16 KiB")

// ParseReference parses ref, which a server has sent, relative to base.
func ParseReference(base *url.URL, ref string) (*url.URL, error) {
	if len(ref) > maxReference {
		return nil, errLong
	}
	return base.Parse(ref)
}

// Resolve resolves ref against base (RFC 3986, section 5) and removes the
// fragment. The error is an [*httperr.OriginError] if ref is on another origin, and
// contains no secret.
func Resolve(base *url.URL, ref string) (*url.URL, error) {
	u, err := ParseReference(base, ref)
	if err != nil {
		return nil, invalidURL(parseReason(err))
	}
	if !SameOrigin(base, u) || u.Opaque != "" {
		return nil, &httperr.OriginError{From: Clean(base), To: Clean(u)}
	}
	u.User = base.User // only the caller chooses credentials
	u.Fragment, u.RawFragment = "", ""
	u.RawQuery = escapeQuery(u.RawQuery)
	return u, nil
}

// Clean returns u for messages: without user, password and query, which may be
// secret.
func Clean(u *url.URL) string {
	c := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	if u.RawQuery != "" {
		return c.String() + "?..."
	}
	return c.String()
}

// redirect returns the URL to which resp, the response of u, redirects, or nil if
// it is not a redirect. The error is a [*httperr.RedirectError].
func redirect(resp *http.Response, u *url.URL) (*url.URL, error) {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	e := &httperr.RedirectError{Status: resp.StatusCode, From: Clean(u), To: "nowhere"}
	next, err := ParseReference(u, resp.Header.Get("Location"))
	if err != nil || resp.Header.Get("Location") == "" {
		e.Reason = "its Location is missing or invalid"
		return nil, e
	}
	e.To = Clean(next)
	switch {
	case !SameOrigin(u, next) || next.Opaque != "":
		e.Reason = "another origin is not trusted; if it is the server, use its URL"
	case resp.StatusCode != http.StatusTemporaryRedirect && resp.StatusCode != http.StatusPermanentRedirect:
		e.Reason = "only 307 and 308 are followed, as others may lose the request; use the target's URL"
	default:
		next.User = u.User
		return next, nil
	}
	return nil, e
}
