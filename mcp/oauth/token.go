package oauth

import (
	"context"
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// A token is an access token with its refresh token, scopes and key. It is
// immutable except for proven.
type token struct {
	access  string
	refresh string
	dpop    bool      // bound to key
	scopes  []string  // the requested and the granted scopes
	granted []string  // the granted scopes
	expires time.Time // a little before the real expiry; zero if unknown
	secret  []byte    // of key, for the store

	key       *Key
	odd       string    // what is odd in the response; empty for nothing
	issued    time.Time // when this process received it; zero if it was stored
	refreshed bool      // it was issued for a refresh token

	proven atomic.Bool // the server accepted a request with it
}

// expired reports whether the token is expired or about to expire.
func (k *token) expired() bool { return !k.expires.IsZero() && time.Now().After(k.expires) }

// requestToken sends form to the token endpoint of m. The token is bound to key
// unless that is nil. If the response has no scope, the token has that of form.
func (t *Transport) requestToken(ctx context.Context, m *serverMetadata, c *Client, form url.Values, key *Key) (*token, error) {
	a, err := t.postForm(ctx, m.token, m, c, form, key)
	if err != nil {
		return nil, err
	}
	k, err := a.token(form)
	if err == nil && k.odd != "" {
		t.odd(a.url, k.odd)
	}
	return k, err
}

// postForm sends form to an endpoint of m as c, with a proof by key unless that is nil,
// and returns the response to a request that the server did not refuse.
func (t *Transport) postForm(ctx context.Context, endpoint string, m *serverMetadata, c *Client, form url.Values, key *Key) (*response, error) {
	u, err := t.fetch.parse(endpoint)
	if err != nil {
		return nil, err
	}
	client := *c
	for again := false; ; { // with the nonce or the method that the server wants
		own, h := maps.Clone(form), http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
		if err := client.authenticate(m, own, h); err != nil {
			return nil, err
		}
		nonce := t.nonceFor(u)
		if key != nil {
			proof, err := key.proof(http.MethodPost, u, "", nonce)
			if err != nil {
				return nil, err
			}
			h["Dpop"] = []string{proof}
		}
		a, err := t.fetch.post(ctx, u, h, []byte(own.Encode()), false)
		if err != nil {
			return nil, err
		}
		isNew := t.keepNonce(u, a.header, nonce)
		e := a.refusal(append(t.secrets(), secretsOf(own, c)...)...) // the server may know those of a request before
		next := client.otherMethod(client.method(m.authMethods))
		switch {
		case e == nil:
			return a, nil
		case next != "" && isCode(e, "invalid_client"):
			client.Method = next
		case !again && isNew && key != nil && isCode(e, "use_dpop_nonce"):
			again = true
		default:
			return nil, e
		}
	}
}

// secretsOf returns the secrets in a request by c, which may be nil.
func secretsOf(form url.Values, c *Client) (list []string) {
	for _, name := range [...]string{"code", "code_verifier", "device_code", "refresh_token", "assertion", "client_assertion", "client_secret", "subject_token", "token"} {
		list = append(list, form.Get(name))
	}
	if c == nil || c.Secret == "" {
		return list
	}
	basic := url.QueryEscape(c.ID) + ":" + url.QueryEscape(c.Secret)
	return append(list, c.Secret, base64.StdEncoding.EncodeToString([]byte(basic)))
}

// token parses a token response (RFC 6749, section 5.1).
func (a *response) token(form url.Values) (*token, error) {
	k := &token{issued: time.Now(), refreshed: form.Get("grant_type") == "refresh_token"}
	kind, scope, life := "", "", int64(0)
	err := readMembers(a.members(), func(r *wire.Reader, key string) {
		switch key {
		case "access_token":
			k.access = r.String()
		case "refresh_token":
			k.refresh = lenientString(r)
		case "token_type":
			kind = strings.ToLower(strings.TrimSpace(optString(r)))
		case "scope":
			scope = strings.Join(oneOrMore(r), " ")
		case "expires_in":
			life = seconds(r)
		default:
			r.Skip()
		}
	})
	if err != nil {
		return nil, ruleError(a.url, "invalid token response (RFC 6749, section 5.1)", err)
	}
	if !validToken(k.access) {
		return nil, ruleError(a.url, "the token response has no valid access_token", nil)
	}
	switch {
	case kind == "bearer":
	case kind == "" || kind == "user" || kind == "jwt":
		// What some servers call a bearer token. It goes where a bearer token goes, and
		// fails if a bound token was requested.
		k.odd = "the token response has the token_type " + strconv.Quote(kind) + ", which is taken for Bearer"
	case kind == "dpop":
		k.dpop = true
	case kind == "n_a" && form.Has("requested_token_type"): // no access token (RFC 8693, section 2.2.1)
	default:
		return nil, ruleError(a.url, "the token response has an unsupported token_type", nil)
	}
	asked := strings.Fields(form.Get("scope"))
	if !strings.Contains(form.Get("scope"), ",") {
		scope = strings.ReplaceAll(scope, ",", " ") // as GitHub separates scopes
	}
	if k.granted = strings.Fields(scope); scope == "" {
		k.granted = asked
	}
	k.scopes = union(asked, k.granted)
	if life > 0 {
		d := time.Duration(min(life, maxLife)) * time.Second
		k.expires = k.issued.Add(d - min(d/5, 10*time.Second)) // time for a request to arrive
	}
	return k, nil
}

func validToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

const maxLife = 10 * 365 * 24 * 3600

// seconds reads a number of seconds, at most maxLife.
func seconds(r *wire.Reader) int64 { return min(number(r), maxLife) }

// number reads a number, which some servers encode as a string.
func number(r *wire.Reader) int64 {
	switch r.Kind() {
	case wire.String:
		n, _ := strconv.ParseInt(r.String(), 10, 64)
		return n
	case wire.Number:
		return int64(min(r.Float(), 1<<52))
	}
	r.Skip()
	return 0
}

// refusal returns the error in an error response (RFC 6749, section 5.2), or nil. Some
// servers refuse with a status of success.
func (a *response) refusal(secrets ...string) *ServerError {
	e := &ServerError{URL: a.url, Status: a.status, Code: strconv.Itoa(a.status)}
	if s := http.StatusText(a.status); s != "" {
		e.Code += " " + s
	}
	code, description := "", ""
	err := texts{"error": &code, "error_description": &description}.read(a.members(), nil)
	if err == nil && code != "" {
		e.isOAuthCode = true
		hidden := display.NewRedactor(secrets...)
		e.Code, e.Description = hidden.Printable(code, maxServerText), hidden.Printable(description, maxServerText)
	} else if a.isSuccess() {
		return nil
	} else {
		e.Description = display.NewRedactor(secrets...).Printable(a.text(), maxServerText)
	}
	return e
}

// members returns the body, or the JSON of a form, which some token endpoints answer with:
// the same party sends the same values.
func (a *response) members() []byte {
	form, err := url.ParseQuery(string(a.body))
	if err != nil || !strings.HasPrefix(a.header.Get("Content-Type"), "application/x-www-form-urlencoded") || !form.Has("access_token") && !form.Has("error") {
		return a.body
	}
	b := []byte{'{'}
	for name := range form {
		b = wire.AppendString(wire.AppendKey(b, name), form.Get(name))
	}
	return append(b, '}')
}

// text returns the text of a response that has no error of OAuth, without the tags of
// a page.
func (a *response) text() string {
	text := string(a.body[:min(len(a.body), 4<<10)])
	if strings.HasPrefix(strings.TrimSpace(text), "<") {
		var b strings.Builder
		for rest := text; rest != ""; {
			before, tag, _ := strings.Cut(rest, "<")
			b.WriteString(before + " ")
			_, rest, _ = strings.Cut(tag, ">")
		}
		text = b.String()
	}
	return strings.Join(strings.Fields(text), " ")
}

// union returns the scopes of both lists without duplicates, in linear time.
func union(a, b []string) []string {
	var list []string
	seen := map[string]bool{}
	for _, s := range slices.Concat(a, b) {
		if s != "" && !seen[s] {
			seen[s] = true
			list = append(list, s)
		}
	}
	return list
}

// containsAll reports whether all of list are in of.
func containsAll(list, of []string) bool {
	return len(union(of, list)) == len(union(of, nil))
}
