package httpx

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// printable returns s in one line without anything that a terminal would take
// for an order. JSON stays JSON.
func printable(s string) string {
	s = strings.ToValidUTF8(s, "?")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case !strconv.IsPrint(r):
			return '?'
		}
		return r
	}, s))
}

// Redact returns err, with which req failed, without what withoutSecrets leaves
// out: errors quote answers that are malformed.
func Redact(err error, req *http.Request, more ...string) error {
	text := err.Error()
	if hidden := withoutSecrets(text, req, more...); hidden != text {
		return &hiddenError{hidden, err}
	}
	return err
}

// hiddenError is an error whose text is another one.
type hiddenError struct {
	text string
	err  error
}

func (e *hiddenError) Error() string { return e.text }
func (e *hiddenError) Unwrap() error { return e.err }

// withoutSecrets returns s, part of the answer to req, without what req says
// that nobody else should know, and without more: servers repeat such things.
func withoutSecrets(s string, req *http.Request, more ...string) string {
	const shortest = 6 // what is shorter is hardly a secret, and may be anything
	hide := func(secret string) {
		if len(secret) >= shortest {
			s = strings.ReplaceAll(s, secret, "***")
		}
	}
	field := func(values []string) {
		for _, v := range values {
			hide(v)
			hide(v[strings.LastIndexByte(v, ' ')+1:]) // without "Bearer"
		}
	}
	for name, values := range req.Header {
		if isSecret(name) {
			field(values)
		}
	}
	made, _ := req.Context().Value(madeKey{}).(http.Header)
	for name, values := range made {
		if !slices.Equal(values, req.Header[name]) {
			field(values) // added by somebody who had a reason
		}
	}
	for _, values := range req.URL.Query() {
		for _, v := range values {
			hide(v)
		}
	}
	if password, ok := req.URL.User.Password(); ok {
		hide(password)
	}
	for _, v := range more {
		hide(v)
	}
	return s
}

// isSecret reports whether the value of a header field is probably a secret.
func isSecret(name string) bool {
	name = strings.ToLower(name)
	for _, part := range [...]string{"auth", "cookie", "key", "token", "secret", "session", "password"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
