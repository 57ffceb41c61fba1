package serve

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/toolargs"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// A loginServer is an authorization server for trying a login on. It has no users:
// its page asks only whether to allow the client, and it forgets everything when
// it ends.
type loginServer struct {
	base string       // the URL of the server
	next http.Handler // the echo server, for clients with a token

	mu      lock.Mutex
	pending map[string]grant // by code; guarded by mu
	tokens  map[string]bool  // access and refresh tokens; guarded by mu
}

// A grant is what the user has allowed a client.
type grant struct{ challenge, redirect string }

const (
	maxGrants = 1000
	maxForm   = 64 << 10
)

func (s *loginServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	switch path := r.URL.Path; {
	case strings.HasPrefix(path, "/.well-known/oauth-protected-resource"):
		resource := s.base + strings.TrimPrefix(path, "/.well-known/oauth-protected-resource")
		s.object(w, http.StatusOK, "resource", resource, "authorization_servers", []string{s.base})
	case path == "/.well-known/oauth-authorization-server":
		s.object(w, http.StatusOK, "issuer", s.base, "authorization_endpoint", s.base+"/authorize", "token_endpoint", s.base+"/token",
			"registration_endpoint", s.base+"/register", "revocation_endpoint", s.base+"/revoke",
			"response_types_supported", []string{"code"}, "grant_types_supported", []string{"authorization_code", "refresh_token"},
			"code_challenge_methods_supported", []string{"S256"}, "token_endpoint_auth_methods_supported", []string{"none"},
			"authorization_response_iss_parameter_supported", true)
	case path == "/register" && r.Method == http.MethodPost:
		s.register(w, r)
	case path == "/authorize":
		s.authorize(w, r)
	case path == "/token" && r.Method == http.MethodPost:
		s.token(w, r)
	case path == "/revoke" && r.Method == http.MethodPost:
		s.forget(form(r).Get("token"))
	case path != "/mcp" && path != "/sse" && path != "/message":
		http.NotFound(w, r)
	case !s.isKnown(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")):
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+s.base+"/.well-known/oauth-protected-resource"+path+`"`)
		http.Error(w, "log in first", http.StatusUnauthorized)
	default:
		s.next.ServeHTTP(w, r)
	}
}

// maxBody limits the body of a request; messages may be up to 64 MiB.
const maxBody = 64 << 20

// object writes a JSON object of keys and values.
func (s *loginServer) object(w http.ResponseWriter, status int, members ...any) {
	b := []byte{'{'}
	for i := 0; i+1 < len(members); i += 2 {
		b = wire.AppendKey(b, members[i].(string))
		b, _ = wire.AppendValue(b, members[i+1])
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '}'))
}

func (s *loginServer) register(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxForm))
	uris := toolargs.Texts(wire.Lookup(body, "redirect_uris"))
	if err != nil || len(uris) == 0 {
		s.object(w, http.StatusBadRequest, "error", "invalid_redirect_uri")
		return
	}
	s.object(w, http.StatusCreated, "client_id", rand.Text(), "redirect_uris", uris, "token_endpoint_auth_method", "none")
}

const loginPage = `<!doctype html><meta charset="utf-8"><title>mcpecho</title>
<body style="font: 16px sans-serif; max-width: 30em; margin: 4em auto"><h1>Log in</h1>
<p>Allow <b>CLIENT</b> to use this echo server?</p>
<form method="post"><button name="allow" value="yes">Allow</button> <button name="allow" value="no">Refuse</button></form>`

// authorize shows the page, or sends the user back to the client with a code.
func (s *loginServer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || back.Scheme != "http" && back.Scheme != "https" || q.Get("code_challenge") == "" || q.Get("code_challenge_method") != "S256" {
		http.Error(w, "the client's request is incomplete", http.StatusBadRequest)
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		host := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(back.Host)
		_, _ = io.WriteString(w, strings.Replace(loginPage, "CLIENT", host, 1))
		return
	}
	answer := back.Query()
	answer.Set("state", q.Get("state"))
	answer.Set("iss", s.base)
	if form(r).Get("allow") == "yes" {
		code := rand.Text()
		s.mu.Lock()
		if len(s.pending) >= maxGrants {
			clear(s.pending)
		}
		s.pending[code] = grant{q.Get("code_challenge"), q.Get("redirect_uri")}
		s.mu.Unlock()
		answer.Set("code", code)
	} else {
		answer.Set("error", "access_denied")
	}
	back.RawQuery = answer.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// token exchanges a code or a refresh token for tokens.
func (s *loginServer) token(w http.ResponseWriter, r *http.Request) {
	valid, sent := false, form(r)
	switch sent.Get("grant_type") {
	case "authorization_code":
		s.mu.Lock()
		g, ok := s.pending[sent.Get("code")]
		delete(s.pending, sent.Get("code"))
		s.mu.Unlock()
		sum := sha256.Sum256([]byte(sent.Get("code_verifier")))
		valid = ok && g.redirect == sent.Get("redirect_uri") && base64.RawURLEncoding.EncodeToString(sum[:]) == g.challenge
	case "refresh_token":
		valid = s.isKnown("refresh " + sent.Get("refresh_token"))
		s.forget("refresh " + sent.Get("refresh_token"))
	}
	if !valid {
		s.object(w, http.StatusBadRequest, "error", "invalid_grant")
		return
	}
	access, refresh := rand.Text(), rand.Text()
	s.mu.Lock()
	if len(s.tokens) >= 2*maxGrants {
		clear(s.tokens)
	}
	s.tokens[access], s.tokens["refresh "+refresh] = true, true
	s.mu.Unlock()
	s.object(w, http.StatusOK, "access_token", access, "refresh_token", refresh, "token_type", "Bearer", "expires_in", 3600)
}

// form returns the fields of a form in the body of a request. Request.FormValue
// also reads uploads, and would add 40 KB to the program.
func form(r *http.Request) url.Values {
	_ = r.ParseForm() // what it could not read is missing
	return r.PostForm
}

func (s *loginServer) isKnown(token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tokens[token]
}

func (s *loginServer) forget(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tokens, token)
	delete(s.tokens, "refresh "+token)
}
