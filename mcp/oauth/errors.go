package oauth

import (
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
)

// ErrLoginRequired says that a person must authorize the program, and that
// there is no [Authorizer] to ask.
var ErrLoginRequired = errors.New("oauth: a person must authorize this, and there is nobody to ask")

// An Error is what was refused or did not work on the way to a token. It
// quotes no token, code or secret.
type Error struct {
	URL  string // without user, password and query
	Rule string // what was broken
	Err  error  // the cause, if there is another
}

func (e *Error) Error() string {
	s := "oauth: "
	if e.URL != "" {
		s += e.URL + ": "
	}
	s += e.Rule
	if e.Err != nil {
		s += ": " + strings.TrimPrefix(e.Err.Error(), "oauth: ")
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// A ServerError is the refusal of an authorization server (RFC 6749, sections
// 4.1.2.1 and 5.2).
type ServerError struct {
	URL         string // without user, password and query
	Status      int    // of HTTP; 0 when the refusal came through the browser
	Code        string // such as "invalid_grant", or the status when it says none
	Description string // for people, without what was secret in the request

	isOAuthCode bool // the code is one of OAuth
}

func (e *ServerError) Error() string {
	s := "oauth: " + e.URL + " refuses: " + e.Code
	if e.Description != "" {
		s += " (" + e.Description + ")"
	}
	return s
}

// isCode reports whether err is a refusal with one of the codes.
func isCode(err error, codes ...string) bool {
	var e *ServerError
	if errors.As(err, &e) {
		for _, c := range codes {
			if e.Code == c {
				return true
			}
		}
	}
	return false
}

// refusedError is a request that was answered with a challenge which could not
// be met. It is a StatusError too, so that callers know that nothing was done.
type refusedError struct {
	status *httpx.StatusError
	err    error
}

func (e *refusedError) Error() string {
	return e.err.Error() + " (the server answered " + strconv.Itoa(e.status.Status) + ")"
}
func (e *refusedError) Unwrap() []error { return []error{e.err, e.status} }

// clean returns a URL that somebody else wrote for people to read.
func clean(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "an invalid URL"
	}
	if u.Opaque != "" || u.Host == "" { // javascript:..., mailto:...
		if u.Scheme == "" {
			return "a relative URL"
		}
		return u.Scheme + ":..."
	}
	return httpx.Clean(u)
}

// maxServerText is the limit in bytes of what an error quotes of a server.
const maxServerText = 200

// printable returns text of a server without the secrets, safe to print and at
// most maxServerText bytes long.
func printable(s string, secrets ...string) string {
	return diag.Printable(s, maxServerText, secrets...)
}
