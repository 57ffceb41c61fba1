package httpx

import (
	"net/http"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/display"
)

// Redact returns err, the error of req, without the secrets of req and without
// more in its text: errors may quote malformed responses, which repeat them.
func Redact(err error, req *http.Request, more ...string) error {
	text := err.Error()
	if redacted := display.Redact(text, append(secrets(req), more...)...); redacted != text {
		return diag.Error(redacted, nil, err)
	}
	return err
}

// secrets returns what may be secret in req: header fields with such names, of a
// call or that a RoundTripper has added, the values of the query, and the password.
func secrets(req *http.Request) []string {
	var all []string
	own, _ := req.Context().Value(callKey{}).(http.Header)
	sent, _ := req.Context().Value(sentKey{}).(http.Header)
	for i, header := range [...]http.Header{req.Header, own, sent} { // one loop, as the compiler copies what is called thrice
		for name, values := range header {
			if i == 0 && !diag.IsSecretName(name) || i == 2 && slices.Equal(values, req.Header[name]) {
				continue
			}
			for _, v := range values {
				all = append(all, v, v[strings.LastIndexByte(v, ' ')+1:]) // without "Bearer"
			}
		}
	}
	for _, values := range req.URL.Query() {
		all = append(all, values...)
	}
	if password, ok := req.URL.User.Password(); ok {
		all = append(all, password)
	}
	return all
}
