package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestClientCredentials(t *testing.T) {
	w := newWorld(t)
	w.clients["c"] = map[string]any{"client_secret": mark}
	w.meta["token_endpoint_auth_methods_supported"] = []string{methodBasic}
	w.challenge = func(*http.Request) string { return `Bearer scope="run"` }
	tr := w.transport(func(o *Options) {
		o.Authorizer, o.Grant, o.Client = nil, ClientCredentials{}, Client{ID: "c", Secret: mark}
	})
	w.mustGet(tr)
	if f := w.lastForm(); f.Get("scope") != "run" || f.Get("resource") != w.url() {
		t.Errorf("asked with %v", f)
	}
	// Without a refresh token, it is asked for anew: when refused, and before
	// that when it has expired.
	w.forgetAccess()
	w.mustGet(tr)
	tr.mu.Lock()
	tr.tok.expires = time.Now().Add(-time.Second)
	tr.mu.Unlock()
	w.mustGet(tr)
	if n := w.count("client_credentials"); n != 3 {
		t.Errorf("%d token requests", n)
	}
	w.mustFail(w.transport(func(o *Options) { o.Grant = ClientCredentials{} }), "Options.Client")
}

// idTokens are what an identity provider says, unsigned: nobody here checks it.
func unsigned(header, claims map[string]any) string {
	h, _ := json.Marshal(header)
	c, _ := json.Marshal(claims)
	return encode(h) + "." + encode(c) + "." + encode([]byte(mark))
}

func TestAssertion(t *testing.T) {
	later := time.Now().Add(time.Hour).Unix()
	path := filepath.Join(t.TempDir(), "token")
	for _, src := range []Source{nil, SourceFile(path)} {
		w := newWorld(t)
		good := unsigned(map[string]any{"alg": "none"}, map[string]any{"exp": later, "aud": w.as.URL})
		if err := os.WriteFile(path, []byte(good+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if src == nil {
			src = Static(good)
		}
		w.mustGet(w.transport(func(o *Options) { o.Grant, o.Client.ID = Assertion{src}, "workload" }))
		if f := w.lastForm(); f.Get("assertion") != good || f.Get("grant_type") != jwtBearer || f.Get("client_id") != "workload" || f.Get("resource") != w.url() {
			t.Errorf("asked with %v", f)
		}
	}
	fails := errors.New("the platform is gone")
	for _, v := range []struct {
		src  Source
		want string
	}{
		{Static(unsigned(map[string]any{}, map[string]any{"exp": 1})), "expired"},
		{Static("x" + mark), "not a signed JSON Web Token"},
		{Static(""), "empty"},
		{nil, "no Source"},
		{SourceFile(path + "x"), "no such file"},
		{func(context.Context) (string, error) { return "", fails }, "the platform is gone"},
	} {
		w := newWorld(t)
		w.mustFail(w.transport(func(o *Options) { o.Grant = Assertion{v.src} }), v.want)
		if w.count("/token") != 0 {
			t.Errorf("%s: sent", v.want)
		}
	}
}

// An assertion goes to the server that it is for, whichever the resource names.
func TestAssertionForAnotherServer(t *testing.T) {
	const other = "https://real.example.com"
	for _, v := range []struct {
		name   string
		aud    any
		change func(w *world, o *Options)
		want   string
	}{
		{"another", other, nil, "audience"},
		{"several others", []string{other, "x"}, nil, "audience"},
		{"none", "", nil, "audience"},
		{"the issuer among others", []string{other, "%ISSUER%"}, nil, ""},
		{"the token endpoint", "%ISSUER%/token", nil, ""},
		{"the program knows better", other, func(w *world, o *Options) { o.Issuer = w.as.URL }, ""},
		{"the program knows whose client it is", other, func(w *world, o *Options) { o.Client.Issuer = w.as.URL }, ""},
		{"and this is not it", "%ISSUER%", func(w *world, o *Options) { o.Client.Issuer = other }, "another authorization server"},
	} {
		t.Run(v.name, func(t *testing.T) {
			w := newWorld(t)
			aud, _ := json.Marshal(v.aud)
			claims := map[string]any{"aud": json.RawMessage(strings.ReplaceAll(string(aud), "%ISSUER%", w.as.URL))}
			tr := w.transport(func(o *Options) {
				o.Grant = Assertion{Static(unsigned(map[string]any{}, claims))}
				if v.change != nil {
					v.change(w, o)
				}
			})
			if v.want == "" {
				w.mustGet(tr)
				return
			}
			w.mustFail(tr, v.want, w.as.URL)
			if w.count("/token") != 0 {
				t.Error("it was sent")
			}
		})
	}
}

// A server that refuses an assertion is not asked again, nor in another way.
func TestAssertionIsSentOnce(t *testing.T) {
	for _, code := range []string{"invalid_grant", "invalid_scope", "unauthorized_client"} {
		w := newWorld(t)
		w.refuseToken = func(url.Values) string { return code }
		tr := w.transport(func(o *Options) {
			o.Grant = Assertion{Static(unsigned(map[string]any{}, map[string]any{"aud": w.as.URL}))}
		})
		for range 3 {
			w.mustFail(tr, code)
		}
		if n := w.count("/token"); n != 1 {
			t.Errorf("%s: %d token requests", code, n)
		}
	}
}

func TestIdentity(t *testing.T) {
	for _, v := range []struct {
		name   string
		change func(header, claims map[string]any)
		want   string
	}{
		{"good", func(_, _ map[string]any) {}, ""},
		{"several audiences", func(_, c map[string]any) { c["aud"] = []any{"x", c["aud"]} }, ""},
		{"another type", func(h, _ map[string]any) { h["typ"] = "JWT" }, "typ"},
		{"another audience", func(_, c map[string]any) { c["aud"] = "https://other.example.com" }, "audience"},
		{"another resource", func(_, c map[string]any) { c["resource"] = "https://other.example.com" }, "resource"},
		{"another client", func(_, c map[string]any) { c["client_id"] = "other" }, "client_id"},
	} {
		t.Run(v.name, func(t *testing.T) {
			w, idp := newWorld(t), newWorld(t)
			idp.idp = true
			idp.tokenAnswer = func(_ url.Values, m map[string]any) {
				header := map[string]any{"typ": "oauth-id-jag+jwt"}
				claims := map[string]any{"aud": w.as.URL, "resource": w.url(), "client_id": "c"}
				v.change(header, claims)
				m["access_token"], m["token_type"] = unsigned(header, claims), "N_A"
			}
			w.clients["c"] = map[string]any{"client_secret": mark}
			w.meta["token_endpoint_auth_methods_supported"] = []string{methodBasic}
			w.challenge = func(*http.Request) string { return `Bearer scope="read"` }
			tr := w.transport(func(o *Options) {
				o.Client = Client{ID: "c", Secret: mark}
				o.Grant = Identity{TokenURL: idp.as.URL + "/token", Client: Client{ID: "at-idp"}, Source: Static(mark + "-id-token")}
			})
			if v.want != "" {
				w.mustFail(tr, v.want, idp.as.URL, "Enterprise-Managed Authorization")
				if w.count("/token") != 0 {
					t.Error("it was sent")
				}
				return
			}
			w.mustGet(tr)
			for name, want := range map[string]string{
				"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "requested_token_type": idJAG, "audience": w.as.URL,
				"resource": w.url(), "scope": "read", "subject_token": mark + "-id-token", "subject_token_type": idToken, "client_id": "at-idp",
			} {
				if got := idp.lastForm().Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			if got := w.lastForm().Get("grant_type"); got != jwtBearer {
				t.Errorf("grant_type %q", got)
			}
		})
	}
}

func TestIdentityOverHTTP(t *testing.T) {
	w := newWorld(t)
	tr := w.transport(func(o *Options) {
		o.Grant = Identity{TokenURL: "http://idp.example.com/token", Source: Static(mark), Type: "urn:ietf:params:oauth:token-type:saml2"}
	})
	w.mustFail(tr, "http://idp.example.com/token", "only https")
}

func TestDPoP(t *testing.T) {
	for _, v := range []struct {
		name       string
		mode       DPoP
		challenge  string
		required   bool
		algs       []string
		wantScheme string // of what is sent; empty means an error
	}{
		{"asked for", DPoPAuto, `DPoP algs="ES256"`, false, []string{"RS256", "ES256"}, "DPoP"},
		{"asked for by metadata", DPoPAuto, `Bearer`, true, []string{"ES256"}, "DPoP"},
		{"EdDSA", DPoPAuto, `DPoP`, false, []string{"EdDSA"}, "DPoP"},
		{"Ed25519", DPoPAuto, `DPoP`, false, []string{"Ed25519"}, "DPoP"},
		{"both", DPoPAuto, `Bearer, DPoP algs="ES256"`, false, []string{"ES256"}, "DPoP"},
		{"both, not announced", DPoPAuto, `Bearer, DPoP algs="ES256"`, false, nil, "Bearer"},
		{"not asked for", DPoPAuto, `Bearer`, false, []string{"ES256"}, "Bearer"},
		{"always", DPoPAlways, `Bearer`, false, []string{"ES256"}, "DPoP"},
		{"never", DPoPNever, `Bearer, DPoP`, true, []string{"ES256"}, "Bearer"},
		{"always, not announced", DPoPAlways, `Bearer`, false, nil, ""},
		{"asked for, not announced", DPoPAuto, `DPoP`, false, nil, ""},
		{"another algorithm", DPoPAuto, `DPoP`, false, []string{"RS256"}, ""},
	} {
		for _, nonces := range []bool{false, true} {
			t.Run(v.name, func(t *testing.T) {
				w := newWorld(t)
				w.dpopNonces = nonces
				w.meta["dpop_signing_alg_values_supported"] = v.algs
				w.prm["dpop_bound_access_tokens_required"] = v.required
				w.challenge = func(*http.Request) string { return v.challenge }
				store := NewMemory()
				tr := w.transport(func(o *Options) { o.DPoP, o.Store = v.mode, store })
				if v.wantScheme == "" {
					w.mustFail(tr, "DPoP", w.as.URL)
					return
				}
				for range 3 {
					w.mustGet(tr)
				}
				if bound := tr.tok.key != nil; bound != (v.wantScheme == "DPoP") {
					t.Errorf("bound: %v", bound)
				}
				// The key outlives the process, and the refresh.
				tr = w.transport(func(o *Options) { o.DPoP, o.Store, o.Authorizer = v.mode, store, nil })
				w.mustGet(tr)
				w.forgetAccess()
				w.mustGet(tr)
			})
		}
	}
}

func TestTokensThatShouldBeBound(t *testing.T) {
	w := newWorld(t)
	w.meta["dpop_signing_alg_values_supported"] = []string{"ES256"}
	w.challenge = func(*http.Request) string { return `DPoP` }
	w.tokenAnswer = func(_ url.Values, m map[string]any) { m["token_type"] = "Bearer" }
	w.mustFail(w.transport(nil), "not bound", "RFC 9449, section 5")
	w.tokenAnswer = func(form url.Values, m map[string]any) {
		if form.Get("grant_type") == "refresh_token" {
			m["token_type"] = "Bearer"
		}
	}
	tr := w.transport(nil)
	w.mustGet(tr)
	w.forgetAccess()
	w.mustFail(tr, "not bound")
}

// More scopes come with the same key, whatever the challenge for them says.
func TestStepUpOfABoundToken(t *testing.T) {
	w := newWorld(t)
	w.meta["dpop_signing_alg_values_supported"] = []string{"ES256"}
	w.challenge = func(*http.Request) string { return `DPoP` }
	w.needs = func(r *http.Request) string { return r.Header.Get("Mcp-Name") }
	tr := w.transport(nil)
	w.mustGet(tr)
	key := tr.tok.key
	if _, err := w.ask(tr, "write"); err != nil || key == nil || tr.tok.key != key || !tr.tok.dpop {
		t.Error(err)
	}
}

// A server that wants another nonce each time does not get the request forever.
func TestEndlessNonces(t *testing.T) {
	w := newWorld(t)
	w.meta["dpop_signing_alg_values_supported"] = []string{"ES256"}
	w.challenge = func(*http.Request) string { return `DPoP` }
	tr := w.transport(nil)
	w.mustGet(tr)
	n := 0
	w.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/mcp" {
			n++
			rw.Header().Set("DPoP-Nonce", strings.Repeat("n", n))
			rw.Header().Set("WWW-Authenticate", `DPoP error="use_dpop_nonce"`)
			rw.WriteHeader(401)
		}
		return r.URL.Path == "/mcp"
	}
	if _, err := w.get(tr); err == nil || n != maxSends {
		t.Errorf("%v, sent %d times", err, n)
	}
}
