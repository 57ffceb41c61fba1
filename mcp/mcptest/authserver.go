package mcptest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// An AuthServer is an authorization server for tests of logins. It listens at an address
// of this machine until the end of the test, and agrees to every login.
//
//	auth := mcptest.NewAuthServer(t, "keycloak")
//	web := httptest.NewServer(auth.Protect(mcptest.New(t).Handler(nil)))
//
// Its methods are safe for concurrent use; its fields may be changed until the first
// request.
type AuthServer struct {
	Issuer string // of its metadata, or the one that metadata for all tenants is read from

	// ClientID and ClientSecret are those of a registered client. Any redirect URI on
	// this machine is registered for it. The secret is empty for a public client.
	ClientID, ClientSecret string

	// Metadata, if not nil, changes the metadata of the authorization server, or of the
	// protected resource, before it is sent.
	Metadata func(m map[string]any)

	// Scope returns the scopes, separated by spaces, that a request to the protected
	// handler needs. Nil means none.
	Scope func(r *http.Request) string

	// Lifetime is how long access tokens are valid. The default is an hour.
	Lifetime time.Duration

	t    testing.TB
	web  *httptest.Server
	does habits

	mu      sync.Mutex // guards what follows
	n       int
	clients map[string][]string // redirect URIs, by the IDs of registered clients
	codes   map[string]url.Values
	devices map[string]*deviceLogin
	access  map[string]*grant
	refresh map[string]*grant
	refused map[string][2]string // by endpoint
	silent  map[string]bool
	counts  map[string]int
}

// A grant is what belongs to a token.
type grant struct {
	client, scope string
	account       int
	audience      bool // it was requested with what makes it valid at the API
	ends          time.Time
}

// A deviceLogin is a pending device authorization.
type deviceLogin struct {
	form     url.Values
	code     string
	approved bool
}

// NewAuthServer returns an AuthServer that behaves like a provider: "entra", "auth0",
// "okta", "cognito", "google", "github", "slack", "atlassian", "keycloak" or
// "mcpAuthRouter", the server of the TypeScript SDK with its clients in memory. The empty
// profile follows every rule. The profiles change when the providers do.
func NewAuthServer(t testing.TB, profile string) *AuthServer {
	t.Helper()
	list, ok := profiles[profile]
	if !ok {
		t.Fatalf("mcptest: unknown profile %q; there are %q", profile, slices.Sorted(maps.Keys(profiles)))
	}
	a := &AuthServer{t: t, clients: map[string][]string{}, codes: map[string]url.Values{}, devices: map[string]*deviceLogin{},
		access: map[string]*grant{}, refresh: map[string]*grant{}, refused: map[string][2]string{}, silent: map[string]bool{}, counts: map[string]int{}}
	a.does = habits{registers: true, announcesPKCE: true, tokenType: "Bearer", refreshes: true, rfc8414: true}
	for _, d := range list {
		d.set(&a.does)
	}
	a.web = httptest.NewServer(http.HandlerFunc(a.serve))
	t.Cleanup(func() { a.web.CloseClientConnections(); a.web.Close() })
	a.Issuer = a.web.URL + a.does.issuerPath
	a.ClientID = "registered-client"
	if a.does.secret {
		a.ClientSecret = rand.Text()
	}
	return a
}

// Protect returns a handler that lets only requests with a token of the server reach h. It
// also serves the metadata of the protected resource at the well-known paths.
func (a *AuthServer) Protect(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		base := "http://" + r.Host
		path, wellKnown := strings.CutPrefix(r.URL.Path, resourceMetadata)
		switch {
		case wellKnown && !a.does.atOrigin:
			a.document(w, "resource", map[string]any{"resource": base + path, "authorization_servers": []string{a.Issuer}})
		case a.does.atOrigin && r.URL.Path == serverMetadata:
			a.document(w, "metadata", a.metadata(base))
		case strings.HasPrefix(r.URL.Path, "/.well-known/"):
			http.NotFound(w, r)
		default:
			a.guard(h, w, r, base)
		}
	})
}

const (
	resourceMetadata = "/.well-known/oauth-protected-resource"
	serverMetadata   = "/.well-known/oauth-authorization-server"
	openIDMetadata   = "/.well-known/openid-configuration"
)

// guard passes a request on if it has a token.
func (a *AuthServer) guard(h http.Handler, w http.ResponseWriter, r *http.Request, base string) {
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	a.mu.Lock()
	g := a.access[token]
	a.mu.Unlock()
	challenge := "Bearer"
	if !a.does.atOrigin {
		challenge += ` resource_metadata="` + base + resourceMetadata + r.URL.Path + `"`
	}
	if !bearer || g == nil || time.Now().After(g.ends) || a.does.needs != "" && !g.audience {
		w.Header().Set("WWW-Authenticate", challenge)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if a.Scope != nil {
		need, have := a.Scope(r), strings.Fields(g.scope)
		for _, s := range strings.Fields(need) {
			if !slices.Contains(have, s) {
				w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+need+`"`)
				w.WriteHeader(http.StatusForbidden)
				return
			}
		}
	}
	r = r.Clone(context.WithValue(r.Context(), accountKey{}, g.account))
	r.Header.Del("Authorization") // the server checks what reaches it, and knows no token
	h.ServeHTTP(w, r)
}

// accountKey is the context key of the account of a request.
type accountKey struct{}

// Account returns the number of the login whose token a request that reached the
// protected handler has: 1 for the first one.
func (a *AuthServer) Account(r *http.Request) int {
	n, _ := r.Context().Value(accountKey{}).(int)
	return n
}

// Browser opens a page as a user does who agrees to it: it follows redirects to the end,
// which is the program. It returns an error if a page shows one. It is a function for the
// Open of an oauth.Loopback.
func (a *AuthServer) Browser(ctx context.Context, page string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // without the proxy of the environment
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("mcptest: the page at %s shows %s: %s", resp.Request.URL.Path, resp.Status, text)
	}
	return err
}

// EnterCode enters the code of a device authorization, as its user does.
func (a *AuthServer) EnterCode(code string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, d := range a.devices {
		if subtle.ConstantTimeCompare([]byte(d.code), []byte(code)) == 1 {
			d.approved = true
			return nil
		}
	}
	return fmt.Errorf("mcptest: no device has the code %q", code)
}

// ForgetClients deletes the dynamic registrations, as the restart of a server does that
// keeps them in memory.
func (a *AuthServer) ForgetClients() {
	a.mu.Lock()
	clear(a.clients)
	a.mu.Unlock()
}

// ExpireTokens makes all access tokens expire now. Refresh tokens stay valid.
func (a *AuthServer) ExpireTokens() {
	a.mu.Lock()
	clear(a.access)
	a.mu.Unlock()
}

// RevokeTokens makes all tokens invalid.
func (a *AuthServer) RevokeTokens() {
	a.mu.Lock()
	clear(a.access)
	clear(a.refresh)
	a.mu.Unlock()
}

// Restart does what a restart of the provider does: it loses what it has in memory.
func (a *AuthServer) Restart() {
	if a.does.inMemory {
		a.ForgetClients()
		a.RevokeTokens()
	}
}

// Refuse makes an endpoint refuse every request with an error code of OAuth and a
// description. The endpoints are "metadata", "resource" (the metadata of the protected
// resource), "register", "authorize", "token", "device" and "revoke". An empty code ends it.
func (a *AuthServer) Refuse(endpoint, code, description string) {
	a.mu.Lock()
	if a.refused[endpoint] = [2]string{code, description}; code == "" {
		delete(a.refused, endpoint)
	}
	a.mu.Unlock()
}

// Silence makes an endpoint answer no request any more, as Refuse names it.
func (a *AuthServer) Silence(endpoint string) {
	a.mu.Lock()
	a.silent[endpoint] = true
	a.mu.Unlock()
}

// Requests returns how many requests an endpoint got, as Refuse names it, or a grant type
// of the token endpoint.
func (a *AuthServer) Requests(endpoint string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.counts[endpoint]
}

// document sends metadata.
func (a *AuthServer) document(w http.ResponseWriter, endpoint string, m map[string]any) {
	a.mu.Lock()
	a.counts[endpoint]++
	refused := a.refused[endpoint]
	a.mu.Unlock()
	if refused[0] != "" {
		a.fail(w, http.StatusInternalServerError, refused[0], refused[1])
		return
	}
	if a.Metadata != nil {
		a.Metadata(m)
	}
	reply(w, http.StatusOK, m)
}

func (a *AuthServer) metadata(issuer string) map[string]any {
	at := a.web.URL
	m := map[string]any{
		"issuer": issuer, "authorization_endpoint": at + "/authorize", "token_endpoint": at + "/token", "revocation_endpoint": at + "/revoke",
		"response_types_supported": []string{"code"}, "token_endpoint_auth_methods_supported": []string{"none", "client_secret_post", "client_secret_basic"},
		"grant_types_supported": []string{"authorization_code", "refresh_token", "client_credentials", deviceGrant},
	}
	if a.does.statedPath != "" {
		m["issuer"] = at + a.does.statedPath
	}
	if a.does.announcesPKCE {
		m["code_challenge_methods_supported"] = []string{"S256"}
	}
	if a.does.registers || a.does.registerRefusal != "" {
		m["registration_endpoint"] = at + "/register"
	}
	if a.does.device {
		m["device_authorization_endpoint"] = at + "/device"
	}
	if a.does.iss {
		m["authorization_response_iss_parameter_supported"] = true
	}
	if a.does.scopes != nil {
		m["scopes_supported"] = a.does.scopes
	}
	return m
}

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

func (a *AuthServer) serve(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimSuffix(a.does.issuerPath, "/")
	switch r.URL.Path {
	case serverMetadata + path:
		if a.does.rfc8414 {
			a.document(w, "metadata", a.metadata(a.Issuer))
			return
		}
	case path + openIDMetadata:
		if a.does.openID {
			a.document(w, "metadata", a.metadata(a.Issuer))
			return
		}
	}
	endpoint := strings.Trim(r.URL.Path, "/")
	handle := map[string]func(http.ResponseWriter, *http.Request){
		"register": a.register, "authorize": a.authorize, "token": a.token, "device": a.device, "revoke": a.revoke,
	}[endpoint]
	if handle == nil {
		http.NotFound(w, r)
		return
	}
	if err := r.ParseForm(); endpoint != "register" && err != nil {
		a.fail(w, http.StatusBadRequest, "invalid_request", "")
		return
	}
	a.mu.Lock()
	a.counts[endpoint]++
	silent, refused := a.silent[endpoint], a.refused[endpoint]
	a.mu.Unlock()
	switch {
	case silent:
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the end of the connection is not noticed
		<-r.Context().Done()
	case refused[0] != "" && endpoint == "authorize":
		a.redirect(w, r, url.Values{"error": {refused[0]}, "error_description": {refused[1]}})
	case refused[0] != "":
		a.fail(w, http.StatusBadRequest, refused[0], refused[1])
	default:
		a.mu.Lock()
		defer a.mu.Unlock()
		handle(w, r)
	}
}

// fail sends an error of OAuth.
func (a *AuthServer) fail(w http.ResponseWriter, status int, code, description string) {
	m := map[string]any{"error": code}
	if description != "" {
		m["error_description"] = description
	}
	if a.does.errorsAre200 {
		status, m["ok"] = http.StatusOK, false
	}
	reply(w, status, m)
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// nextLocked returns a new value with a prefix.
func (a *AuthServer) nextLocked(prefix string) string { return prefix + "-" + rand.Text() }

// registered reports whether a client may have its responses at a redirect URI.
func (a *AuthServer) registered(client, redirect string) bool {
	if client == a.ClientID {
		u, err := url.Parse(redirect)
		if err != nil || u.Scheme != "http" {
			return false
		}
		ip := net.ParseIP(u.Hostname())
		return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() && !a.does.localhostOnly
	}
	return slices.Contains(a.clients[client], redirect)
}

// challengeOf returns the code challenge of a verifier (RFC 7636, section 4.2).
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
