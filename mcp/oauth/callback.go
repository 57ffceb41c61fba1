package oauth

import (
	"crypto/subtle"
	"net/url"
	"strings"
)

// expected is what the answer to an authorization request must have.
type expectedCallback struct {
	redirect string
	state    string
	issuer   string
	issSaid  bool // the server announces that its answers name it (RFC 9207)
}

// parseCallback returns the code in an answer: the URL that the browser was
// sent to. It looks at nothing before it is certain who sent it.
func parseCallback(response string, want expectedCallback) (code string, err error) {
	const longest = 64 << 10
	refuse := func(rule string) (string, error) {
		return "", &Error{URL: clean(want.issuer), Rule: "the answer to the authorization request " + rule}
	}
	base, query, _ := strings.Cut(response, "?")
	query, _, _ = strings.Cut(query, "#")
	redirect, _, _ := strings.Cut(want.redirect, "?")
	if len(response) > longest || base != redirect {
		return refuse("did not come to " + clean(want.redirect))
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
		return refuse("has another state than the request (OAuth 2.1, section 7.12)")
	}
	// Authorization Response Validation: neither normalized, nor asked to be
	// there where it is not announced.
	switch iss, ok := q["iss"]; {
	case ok && iss[0] != want.issuer:
		return refuse("comes from another authorization server, " + printable(clean(iss[0])) + " (RFC 9207, section 2.4)")
	case !ok && want.issSaid:
		return refuse("does not say who sent it, although the server announces that (RFC 9207, section 2.4)")
	}
	if e := q.Get("error"); e != "" {
		return "", &ServerError{URL: clean(want.issuer), Code: printable(e), Description: printable(q.Get("error_description"))}
	}
	if code = q.Get("code"); code == "" {
		return refuse("has no code")
	}
	return code, nil
}
