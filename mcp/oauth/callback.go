package oauth

import (
	"crypto/subtle"
	"net/url"
	"strings"
)

// expectedCallback describes the authorization response to a request.
type expectedCallback struct {
	redirect string
	state    string
	issuer   string
	issSaid  bool // the server announces that its responses have iss (RFC 9207)
}

// parseCallback returns the code in an authorization response, the URL to which
// the browser was redirected. It checks the sender before anything else.
func parseCallback(response string, want expectedCallback) (code string, err error) {
	const longest = 64 << 10
	refuse := func(rule string) (string, error) {
		return "", &Error{URL: clean(want.issuer), Rule: "the authorization response " + rule}
	}
	base, query, _ := strings.Cut(response, "?")
	query, _, _ = strings.Cut(query, "#")
	redirect, _, _ := strings.Cut(want.redirect, "?")
	if len(response) > longest || base != redirect {
		return refuse("does not match the redirect URI " + clean(want.redirect))
	}
	q, err := url.ParseQuery(query)
	if err != nil {
		return refuse("is malformed")
	}
	for _, name := range [...]string{"state", "iss", "code", "error"} {
		if len(q[name]) > 1 {
			return refuse("has " + name + " twice (OAuth 2.1, section 4.1.2)")
		}
	}
	if want.state == "" || subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(want.state)) != 1 {
		return refuse("does not have the state of the request (OAuth 2.1, section 7.12)")
	}
	// Authorization Response Validation: compared without normalization, and
	// required only if announced.
	switch iss, ok := q["iss"]; {
	case ok && iss[0] != want.issuer:
		return refuse("comes from another authorization server, " + printable(clean(iss[0])) + " (RFC 9207, section 2.4)")
	case !ok && want.issSaid:
		return refuse("has no iss, although the server announces it (RFC 9207, section 2.4)")
	}
	if e := q.Get("error"); e != "" {
		return "", &ServerError{URL: clean(want.issuer), Code: printable(e), Description: printable(q.Get("error_description"))}
	}
	if code = q.Get("code"); code == "" {
		return refuse("has no code")
	}
	return code, nil
}
