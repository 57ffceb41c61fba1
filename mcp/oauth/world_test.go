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

// A world is an MCP server and its authorization server, both on this machine.
// What a test wants otherwise it changes before the first request.
type world struct {
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
	answer      func(q url.Values)           // changes the answer to the browser
	tokenAnswer func(form url.Values, m map[string]any)
	refuseToken func(form url.Values) (code string)
	idp         bool // the authorization server exchanges identities, too
	dpopNonces  bool

	mu      sync.Mutex // guards what follows
	n       int
	paths   []string       // all requests, but those to the resource
	grants  map[string]int // token requests by grant type
	clients map[string]map[string]any
	codes   map[string]url.Values // authorization requests by code
	access  map[string]*issued
	refresh map[string]*issued
	revoked []string
	seenJTI map[string]bool
	forms   []url.Values
	heads   []http.Header
}

// issued is what belongs to a token.
type issued struct{ client, scope, jkt string }

func newWorld(t *testing.T) *world { return newWorldOn(t, httptest.NewServer) }

func newWorldOn(t *testing.T, start func(http.Handler) *httptest.Server) *world {
	w := &world{t: t, base: &http.Transport{}, grants: map[string]int{}, clients: map[string]map[string]any{},
		codes: map[string]url.Values{}, access: map[string]*issued{}, refresh: map[string]*issued{}, seenJTI: map[string]bool{}}
	w.rs = start(http.HandlerFunc(w.serveResource))
	w.as = start(http.HandlerFunc(w.serveAuth))
	t.Cleanup(func() { w.base.CloseIdleConnections(); w.rs.Close(); w.as.Close() })
	w.prm = map[string]any{"resource": w.url(), "authorization_servers": []string{w.as.URL}}
	w.meta = map[string]any{
		"issuer": w.as.URL, "authorization_endpoint": w.as.URL + "/authorize", "token_endpoint": w.as.URL + "/token",
		"registration_endpoint": w.as.URL + "/register", "revocation_endpoint": w.as.URL + "/revoke",
		"code_challenge_methods_supported":                 []string{"S256"},
		"token_endpoint_auth_methods_supported":            []string{"none"},
		"authorization_response_iss_parameter_supported":   true,
		"token_endpoint_auth_signing_alg_values_supported": []string{"ES256", "RS256", "EdDSA"},
	}
	w.challenge = func(*http.Request) string {
		return `Bearer resource_metadata="` + w.rs.URL + resourcePath + `/mcp"`
	}
	return w
}

func (w *world) url() string { return w.rs.URL + "/mcp" }

// transport returns a Transport whose person agrees at once.
func (w *world) transport(change func(*Options)) *Transport {
	o := &Options{Base: w.base, Authorizer: &robot{w: w}}
	if change != nil {
		change(o)
	}
	return New(w.url(), o)
}

// get sends a request as a program would, and returns the body of the response
// or the error. Neither may hold a secret.
func (w *world) get(rt http.RoundTripper) (string, error) { return w.ask(rt, "") }

func (w *world) ask(rt http.RoundTripper, name string) (string, error) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), "POST", w.url(), strings.NewReader("hello"))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Mcp-Name", name)
	return w.do(rt, req)
}

func (w *world) do(rt http.RoundTripper, req *http.Request) (string, error) {
	w.t.Helper()
	resp, err := rt.RoundTrip(req)
	if err != nil {
		for _, verb := range []string{"%v", "%+v", "%#v", "%q"} {
			if s := fmt.Sprintf(verb, err); strings.Contains(s, mark) && verb != "%#v" {
				w.t.Errorf("a secret in an error: %s", s)
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

func (w *world) mustGet(rt http.RoundTripper) {
	w.t.Helper()
	if body, err := w.get(rt); err != nil || body != "POST hello" {
		w.t.Fatal(body, err)
	}
}

// mustFail checks that a request fails with an error that says all of want, and
// returns it.
func (w *world) mustFail(rt http.RoundTripper, want ...string) error {
	w.t.Helper()
	body, err := w.get(rt)
	if err == nil {
		w.t.Fatalf("succeeded: %s", body)
	}
	for _, s := range want {
		if !strings.Contains(err.Error(), s) {
			w.t.Errorf("error %q does not say %q", err, s)
		}
	}
	return err
}

func (w *world) secret(kind string) string {
	w.n++
	return fmt.Sprintf("%s-%s-%d", kind, mark, w.n)
}

// count returns how many requests there were of a grant type, or to a path.
func (w *world) count(what string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n, ok := w.grants[what]; ok {
		return n
	}
	n := 0
	for _, p := range w.paths {
		if p == what {
			n++
		}
	}
	return n
}

func (w *world) note(r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paths = append(w.paths, r.URL.EscapedPath())
}

func (w *world) serveResource(rw http.ResponseWriter, r *http.Request) {
	if w.handle != nil && w.handle(rw, r) {
		return
	}
	path := w.prmPath
	if path == "" {
		path = resourcePath + "/mcp"
	}
	switch {
	case w.prm != nil && r.URL.Path == path:
		w.note(r)
		reply(rw, 200, w.prm)
	case strings.HasPrefix(r.URL.Path, "/.well-known/") || r.URL.Path != "/mcp" && w.inner == nil:
		w.note(r)
		if w.prm == nil {
			w.serveAuth(rw, r)
			return
		}
		http.NotFound(rw, r)
	default:
		w.serveCall(rw, r)
	}
}

// serveCall is the resource.
func (w *world) serveCall(rw http.ResponseWriter, r *http.Request) {
	switch {
	case !w.admit(rw, r):
	case w.inner != nil:
		w.inner.ServeHTTP(rw, r)
	default:
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(rw, r.Method+" "+string(body))
	}
}

// admit reports whether a request has what it needs, and refuses it otherwise.
func (w *world) admit(rw http.ResponseWriter, r *http.Request) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	k := w.access[value]
	if k == nil || k.jkt == "" && scheme != "Bearer" || k.jkt != "" && scheme != "DPoP" {
		if c := w.challenge(r); c != "" {
			rw.Header().Set("WWW-Authenticate", c)
		}
		rw.WriteHeader(401)
		return false
	}
	if k.jkt != "" && !w.checkResourceProof(rw, r, value, k) {
		return false
	}
	if w.needs != nil {
		if need := w.needs(r); !within(strings.Fields(need), strings.Fields(k.scope)) {
			rw.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+need+`"`)
			rw.WriteHeader(403)
			return false
		}
	}
	return true
}

// hold keeps a request waiting until ok, or until the client has given up.
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

// A robot is an Authorizer that opens the page and agrees.
type robot struct {
	w     *world
	times int
	stop  func(ctx context.Context) error // in place of agreeing
	last  []string
}

func (r *robot) Listen(_ context.Context, last string) (Receiver, error) {
	r.last = append(r.last, last)
	return r, nil
}
func (r *robot) RedirectURI() string { return "http://127.0.0.1:8976/callback" }
func (r *robot) Close() error        { return nil }

func (r *robot) Authorize(ctx context.Context, page string) (string, error) {
	r.times++
	if r.stop != nil {
		if err := r.stop(ctx); err != nil {
			return "", err
		}
	}
	return agree(ctx, r.w.base, page)
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
func (w *world) lastForm() url.Values {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.forms[len(w.forms)-1]
}
