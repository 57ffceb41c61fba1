package oauth

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// mark is in everything that is secret in these tests.
const mark = "sEcReT"

// A env is an MCP server and its authorization server, both on this machine.
// What a test wants otherwise it changes before the first request.
type env struct {
	t      *testing.T
	rs, as *httptest.Server
	base   *http.Transport

	prm       map[string]any // nil means that there is none
	prmPath   string         // empty means that of the resource
	meta      map[string]any // likewise
	metaPath  string
	challenge func(r *http.Request) string                      // of the 401; empty means none
	handle    func(w http.ResponseWriter, r *http.Request) bool // comes first, at both

	inner       http.Handler                 // what authorized requests get to; nil means an echo
	needs       func(r *http.Request) string // scopes that a request needs
	response    func(q url.Values)           // changes the answer to the browser
	tokenAnswer func(form url.Values, m map[string]any)
	refuseToken func(form url.Values) (code string)
	idp         bool // the authorization server exchanges identities, too
	dpopNonces  bool

	device func(form url.Values, m map[string]any) // changes the device authorization response
	answer func(poll int) (code string)            // to a request for the device's token; empty means a token

	mu      sync.Mutex // guards what follows
	n       int
	paths   []string       // all requests, but those to the resource
	grants  map[string]int // token requests by grant type
	clients map[string]map[string]any
	codes   map[string]url.Values // authorization requests by code
	access  map[string]*issued
	refresh map[string]*issued
	revoked []string
	devices map[string]url.Values // device authorization requests by device code
	polls   []time.Time
	seenJTI map[string]bool
	forms   []url.Values
	heads   []http.Header
}

// issued is what belongs to a token.
type issued struct{ client, scope, jkt string }

func newEnv(t *testing.T) *env { return newEnvOn(t, httptest.NewServer) }

func newEnvOn(t *testing.T, start func(http.Handler) *httptest.Server) *env {
	e := &env{t: t, base: &http.Transport{}, grants: map[string]int{}, clients: map[string]map[string]any{},
		codes: map[string]url.Values{}, access: map[string]*issued{}, refresh: map[string]*issued{}, seenJTI: map[string]bool{}}
	e.rs = start(http.HandlerFunc(e.serveResource))
	e.as = start(http.HandlerFunc(e.serveAuth))
	t.Cleanup(func() { e.base.CloseIdleConnections(); e.rs.Close(); e.as.Close() })
	e.prm = map[string]any{"resource": e.url(), "authorization_servers": []string{e.as.URL}}
	e.meta = map[string]any{
		"issuer": e.as.URL, "authorization_endpoint": e.as.URL + "/authorize", "token_endpoint": e.as.URL + "/token",
		"registration_endpoint": e.as.URL + "/register", "revocation_endpoint": e.as.URL + "/revoke",
		"code_challenge_methods_supported":                 []string{"S256"},
		"token_endpoint_auth_methods_supported":            []string{"none"},
		"authorization_response_iss_parameter_supported":   true,
		"token_endpoint_auth_signing_alg_values_supported": []string{"ES256", "RS256", "EdDSA"},
	}
	e.challenge = func(*http.Request) string {
		return `Bearer resource_metadata="` + e.rs.URL + resourcePath + `/mcp"`
	}
	return e
}

func (e *env) url() string { return e.rs.URL + "/mcp" }

// transport returns a Transport whose person agrees at once.
func (e *env) transport(change func(*Options)) *Transport {
	o := &Options{Base: e.base, Authorizer: &robotUser{e: e}}
	if change != nil {
		change(o)
	}
	return New(e.url(), o)
}

// get sends a request as a program would, and returns the body of the response
// or the error. Neither may hold a secret.
func (e *env) get(rt http.RoundTripper) (string, error) { return e.ask(rt, "") }

func (e *env) ask(rt http.RoundTripper, name string) (string, error) {
	e.t.Helper()
	req, err := http.NewRequestWithContext(e.t.Context(), "POST", e.url(), strings.NewReader("hello"))
	if err != nil {
		e.t.Fatal(err)
	}
	req.Header.Set("Mcp-Name", name)
	return e.do(rt, req)
}

func (e *env) do(rt http.RoundTripper, req *http.Request) (string, error) {
	e.t.Helper()
	resp, err := rt.RoundTrip(req)
	if err != nil {
		for _, verb := range []string{"%v", "%+v", "%#v", "%q"} {
			if s := fmt.Sprintf(verb, err); strings.Contains(s, mark) && verb != "%#v" {
				e.t.Errorf("a secret in an error: %s", s)
			}
		}
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if resp.StatusCode != 200 {
		return "", fmt.Errorf("status %d", resp.StatusCode)
	}
	return string(body), err
}

func (e *env) mustGet(rt http.RoundTripper) {
	e.t.Helper()
	if body, err := e.get(rt); err != nil || body != "POST hello" {
		e.t.Fatal(body, err)
	}
}

// mustFail checks that a request fails with an error that says all of want, and
// returns it.
func (e *env) mustFail(rt http.RoundTripper, want ...string) error {
	e.t.Helper()
	body, err := e.get(rt)
	if err == nil {
		e.t.Fatalf("succeeded: %s", body)
	}
	for _, s := range want {
		if !strings.Contains(err.Error(), s) {
			e.t.Errorf("error %q does not say %q", err, s)
		}
	}
	return err
}

func (e *env) secret(kind string) string {
	e.n++
	return fmt.Sprintf("%s-%s-%d", kind, mark, e.n)
}

// count returns how many requests there were of a grant type, or to a path.
func (e *env) count(what string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	if n, ok := e.grants[what]; ok {
		return n
	}
	n := 0
	for _, p := range e.paths {
		if p == what {
			n++
		}
	}
	return n
}

func (e *env) note(r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.paths = append(e.paths, r.URL.EscapedPath())
}

func (e *env) serveResource(rw http.ResponseWriter, r *http.Request) {
	if e.handle != nil && e.handle(rw, r) {
		return
	}
	path := e.prmPath
	if path == "" {
		path = resourcePath + "/mcp"
	}
	switch {
	case e.prm != nil && r.URL.Path == path:
		e.note(r)
		reply(rw, 200, e.prm)
	case strings.HasPrefix(r.URL.Path, "/.well-known/") || r.URL.Path != "/mcp" && e.inner == nil:
		e.note(r)
		if e.prm == nil {
			e.serveAuth(rw, r)
			return
		}
		http.NotFound(rw, r)
	default:
		e.serveCall(rw, r)
	}
}

// serveCall is the resource.
func (e *env) serveCall(rw http.ResponseWriter, r *http.Request) {
	switch {
	case !e.admit(rw, r):
	case e.inner != nil:
		e.inner.ServeHTTP(rw, r)
	default:
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(rw, r.Method+" "+string(body))
	}
}

// admit reports whether a request has what it needs, and refuses it otherwise.
func (e *env) admit(rw http.ResponseWriter, r *http.Request) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	k := e.access[value]
	if k == nil || k.jkt == "" && scheme != "Bearer" || k.jkt != "" && scheme != "DPoP" {
		if c := e.challenge(r); c != "" {
			rw.Header().Set("WWW-Authenticate", c)
		}
		rw.WriteHeader(401)
		return false
	}
	if k.jkt != "" && !e.checkResourceProof(rw, r, value, k) {
		return false
	}
	if e.needs != nil {
		if need := e.needs(r); !containsAll(strings.Fields(need), strings.Fields(k.scope)) {
			rw.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+need+`"`)
			rw.WriteHeader(403)
			return false
		}
	}
	return true
}

// hold keeps a request waiting until ok, which no channel signals, or until the client
// has given up.
func hold(r *http.Request, ok func() bool) {
	for !ok() && r.Context().Err() == nil {
		time.Sleep(time.Millisecond)
	}
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// A robotUser is an Authorizer that opens the page and agrees.
type robotUser struct {
	e     *env
	times int
	stop  func(ctx context.Context) error // in place of agreeing
	last  []string
}

func (r *robotUser) Listen(_ context.Context, last string) (Receiver, error) {
	r.last = append(r.last, last)
	return r, nil
}
func (r *robotUser) RedirectURI() string { return "http://127.0.0.1:8976/callback" }
func (r *robotUser) Close() error        { return nil }

func (r *robotUser) Authorize(ctx context.Context, page string) (string, error) {
	r.times++
	if r.stop != nil {
		if err := r.stop(ctx); err != nil {
			return "", err
		}
	}
	return agree(ctx, r.e.base, page)
}

// agree opens a page and returns where it redirects to.
func agree(ctx context.Context, rt http.RoundTripper, page string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", page, nil)
	if err != nil {
		return "", err
	}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 302 {
		body, _ := io.ReadAll(resp.Body)
		return "", fmt.Errorf("the page says %d %s", resp.StatusCode, body)
	}
	return resp.Header.Get("Location"), nil
}

// lastForm returns the parameters of the last authorization or token request.
func (e *env) lastForm() url.Values {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.forms[len(e.forms)-1]
}
