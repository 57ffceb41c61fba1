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
	e := newEnv(t)
	e.clients["c"] = map[string]any{"client_secret": mark}
	e.meta["token_endpoint_auth_methods_supported"] = []string{methodBasic}
	e.challenge = func(*http.Request) string { return `Bearer scope="run"` }
	tr := e.transport(func(o *Options) {
		o.Authorizer, o.Grant, o.Client = nil, ClientCredentials{}, Client{ID: "c", Secret: mark, Issuer: e.as.URL}
	})
	e.mustGet(tr)
	if f := e.lastForm(); f.Get("scope") != "run" || f.Get("resource") != e.url() {
		t.Errorf("asked with %v", f)
	}
	// Without a refresh token, it is asked for anew: when refused, and before
	// that when it has expired.
	e.forgetAccess()
	e.mustGet(tr)
	tr.mu.Lock()
	tr.tok.expires = time.Now().Add(-time.Second)
	tr.mu.Unlock()
	e.mustGet(tr)
	if n := e.count("client_credentials"); n != 3 {
		t.Errorf("%d token requests", n)
	}
	e.mustFail(e.transport(func(o *Options) { o.Grant = ClientCredentials{} }), "Options.Client")
}

// The secret does not go to an authorization server that only the MCP server
// names.
func TestSecretNeedsKnownIssuer(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*env, *Options)
		want   bool
	}{
		"named by the server only": {func(*env, *Options) {}, false},
		"Options.Issuer":           {func(e *env, o *Options) { o.Issuer = e.as.URL }, true},
		"Client.Issuer":            {func(e *env, o *Options) { o.Client.Issuer = e.as.URL }, true},
		"TrustDiscoveredIssuer":    {func(_ *env, o *Options) { o.TrustDiscoveredIssuer = true }, true},
		"met before": {func(e *env, o *Options) {
			first := *o
			first.Issuer = e.as.URL
			e.mustGet(New(e.url(), &first))
			e.forgetAccess()
		}, true},
		"the server's own origin": {func(e *env, _ *Options) { e.prm, e.meta, e.challenge = nil, nil, nil }, true},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.clients["c"] = map[string]any{"client_secret": mark}
			o := &Options{Base: e.base, Store: NewMemory(), Grant: ClientCredentials{}, Client: Client{ID: "c", Secret: mark, Method: methodPost}}
			tt.change(e, o)
			before := len(e.forms)
			tr := New(e.url(), o)
			if name == "the server's own origin" {
				u, _ := url.Parse(e.url())
				if !tr.knowsIssuer(&server{serverMetadata: serverMetadata{issuer: origin(u)}}) {
					t.Error("refused")
				}
				return
			}
			if tt.want {
				e.mustGet(tr)
				return
			}
			e.mustFail(tr, "set Options.Issuer")
			if len(e.forms) != before {
				t.Errorf("sent %v", e.lastForm())
			}
		})
	}
}

// unsigned returns a token of an identity provider without a signature, which these tests do not verify.
func unsigned(header, claims map[string]any) string {
	h, _ := json.Marshal(header)
	c, _ := json.Marshal(claims)
	return encode(h) + "." + encode(c) + "." + encode([]byte(mark))
}

func TestAssertion(t *testing.T) {
	later := time.Now().Add(time.Hour).Unix()
	path := filepath.Join(t.TempDir(), "token")
	for _, src := range []Source{nil, SourceFile(path)} {
		e := newEnv(t)
		good := unsigned(map[string]any{"alg": "none"}, map[string]any{"exp": later, "aud": e.as.URL})
		if err := os.WriteFile(path, []byte(good+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if src == nil {
			src = Static(good)
		}
		e.mustGet(e.transport(func(o *Options) { o.Grant, o.Client.ID = Assertion{src}, "workload" }))
		if f := e.lastForm(); f.Get("assertion") != good || f.Get("grant_type") != jwtBearer || f.Get("client_id") != "workload" || f.Get("resource") != e.url() {
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
		{SourceFile(path + "x"), "open " + path + "x: "},
		{func(context.Context) (string, error) { return "", fails }, "the platform is gone"},
	} {
		e := newEnv(t)
		e.mustFail(e.transport(func(o *Options) { o.Grant = Assertion{v.src} }), v.want)
		if e.count("/token") != 0 {
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
		change func(e *env, o *Options)
		want   string
	}{
		{"another", other, nil, "audience"},
		{"several others", []string{other, "x"}, nil, "audience"},
		{"none", "", nil, "audience"},
		{"the issuer among others", []string{other, "%ISSUER%"}, nil, ""},
		{"the token endpoint", "%ISSUER%/token", nil, ""},
		{"the program knows better", other, func(e *env, o *Options) { o.Issuer = e.as.URL }, ""},
		{"the program knows whose client it is", other, func(e *env, o *Options) { o.Client.Issuer = e.as.URL }, ""},
		{"and this is not it", "%ISSUER%", func(e *env, o *Options) { o.Client.Issuer = other }, "another authorization server"},
	} {
		t.Run(v.name, func(t *testing.T) {
			e := newEnv(t)
			aud, _ := json.Marshal(v.aud)
			claims := map[string]any{"aud": json.RawMessage(strings.ReplaceAll(string(aud), "%ISSUER%", e.as.URL))}
			tr := e.transport(func(o *Options) {
				o.Grant = Assertion{Static(unsigned(map[string]any{}, claims))}
				if v.change != nil {
					v.change(e, o)
				}
			})
			if v.want == "" {
				e.mustGet(tr)
				return
			}
			e.mustFail(tr, v.want, e.as.URL)
			if e.count("/token") != 0 {
				t.Error("it was sent")
			}
		})
	}
}

// A server that refuses an assertion is not asked again, nor in another way.
func TestAssertionIsSentOnce(t *testing.T) {
	for _, code := range []string{"invalid_grant", "invalid_scope", "unauthorized_client"} {
		e := newEnv(t)
		e.refuseToken = func(url.Values) string { return code }
		tr := e.transport(func(o *Options) {
			o.Grant = Assertion{Static(unsigned(map[string]any{}, map[string]any{"aud": e.as.URL}))}
		})
		for range 3 {
			e.mustFail(tr, code)
		}
		if n := e.count("/token"); n != 1 {
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
		{"several audiences", func(_, c map[string]any) { c["aud"] = []any{"x", c["aud"]} }, "audience"},
		{"several audiences, this server first", func(_, c map[string]any) { c["aud"] = []any{c["aud"], "x"} }, "audience"},
		{"no audience", func(_, c map[string]any) { delete(c, "aud") }, "audience"},
		{"an audience in a list", func(_, c map[string]any) { c["aud"] = []any{c["aud"]} }, ""},
		{"another type", func(h, _ map[string]any) { h["typ"] = "JWT" }, "typ"},
		{"another audience", func(_, c map[string]any) { c["aud"] = "https://other.example.com" }, "audience"},
		{"another resource", func(_, c map[string]any) { c["resource"] = "https://other.example.com" }, "resource"},
		{"a resource in a list", func(_, c map[string]any) { c["resource"] = []any{c["resource"]} }, ""},
		{"a resource that is null", func(_, c map[string]any) { c["resource"] = nil }, ""},
		{"no resource", func(_, c map[string]any) { delete(c, "resource") }, ""},
		{"another resource in a list", func(_, c map[string]any) { c["resource"] = []any{"https://other.example.com"} }, "resource"},
		{"several resources", func(_, c map[string]any) { c["resource"] = []any{c["resource"], "https://other.example.com"} }, "resource"},
		{"an empty list of resources", func(_, c map[string]any) { c["resource"] = []any{} }, "resource"},
		{"a resource of another type", func(_, c map[string]any) { c["resource"] = map[string]any{"uri": c["resource"]} }, "resource"},
		{"another client", func(_, c map[string]any) { c["client_id"] = "other" }, "client_id"},
	} {
		t.Run(v.name, func(t *testing.T) {
			e, idp := newEnv(t), newEnv(t)
			idp.idp = true
			idp.tokenAnswer = func(_ url.Values, m map[string]any) {
				header := map[string]any{"typ": "oauth-id-jag+jwt"}
				claims := map[string]any{"aud": e.as.URL, "resource": e.url(), "client_id": "c"}
				v.change(header, claims)
				m["access_token"], m["token_type"] = unsigned(header, claims), "N_A"
			}
			e.clients["c"] = map[string]any{"client_secret": mark}
			e.meta["token_endpoint_auth_methods_supported"] = []string{methodBasic}
			e.challenge = func(*http.Request) string { return `Bearer scope="read"` }
			tr := e.transport(func(o *Options) {
				o.Client = Client{ID: "c", Secret: mark}
				o.Grant = Identity{TokenURL: idp.as.URL + "/token", Client: Client{ID: "at-idp"}, Source: Static(mark + "-id-token")}
			})
			if v.want != "" {
				e.mustFail(tr, v.want, idp.as.URL, "Enterprise-Managed Authorization")
				if e.count("/token") != 0 {
					t.Error("it was sent")
				}
				return
			}
			e.mustGet(tr)
			for name, want := range map[string]string{
				"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "requested_token_type": idJAG, "audience": e.as.URL,
				"resource": e.url(), "scope": "read", "subject_token": mark + "-id-token", "subject_token_type": idToken, "client_id": "at-idp",
			} {
				if got := idp.lastForm().Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			if got := e.lastForm().Get("grant_type"); got != jwtBearer {
				t.Errorf("grant_type %q", got)
			}
		})
	}
}

func TestIdentityOverHTTP(t *testing.T) {
	e := newEnv(t)
	tr := e.transport(func(o *Options) {
		o.Grant = Identity{TokenURL: "http://idp.example.com/token", Source: Static(mark), Type: "urn:ietf:params:oauth:token-type:saml2"}
	})
	e.mustFail(tr, "http://idp.example.com/token", "must be https")
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
				e := newEnv(t)
				e.dpopNonces = nonces
				e.meta["dpop_signing_alg_values_supported"] = v.algs
				e.prm["dpop_bound_access_tokens_required"] = v.required
				e.challenge = func(*http.Request) string { return v.challenge }
				store := NewMemory()
				tr := e.transport(func(o *Options) { o.DPoP, o.Store = v.mode, store })
				if v.wantScheme == "" {
					e.mustFail(tr, "DPoP", e.as.URL)
					return
				}
				for range 3 {
					e.mustGet(tr)
				}
				if bound := tr.tok.key != nil; bound != (v.wantScheme == "DPoP") {
					t.Errorf("bound: %v", bound)
				}
				// The key outlives the process, and the refresh.
				tr = e.transport(func(o *Options) { o.DPoP, o.Store, o.Authorizer = v.mode, store, nil })
				e.mustGet(tr)
				e.forgetAccess()
				e.mustGet(tr)
			})
		}
	}
}

func TestUnboundTokenIsRefused(t *testing.T) {
	e := newEnv(t)
	e.meta["dpop_signing_alg_values_supported"] = []string{"ES256"}
	e.challenge = func(*http.Request) string { return `DPoP` }
	e.tokenAnswer = func(_ url.Values, m map[string]any) { m["token_type"] = "Bearer" }
	e.mustFail(e.transport(nil), "not bound", "RFC 9449, section 5")
	e.tokenAnswer = func(form url.Values, m map[string]any) {
		if form.Get("grant_type") == "refresh_token" {
			m["token_type"] = "Bearer"
		}
	}
	tr := e.transport(nil)
	e.mustGet(tr)
	e.forgetAccess()
	e.mustFail(tr, "not bound")
}

// More scopes come with the same key, whatever the challenge for them says.
func TestStepUpOfBoundToken(t *testing.T) {
	e := newEnv(t)
	e.meta["dpop_signing_alg_values_supported"] = []string{"ES256"}
	e.challenge = func(*http.Request) string { return `DPoP` }
	e.needs = func(r *http.Request) string { return r.Header.Get("Mcp-Name") }
	tr := e.transport(nil)
	e.mustGet(tr)
	key := tr.tok.key
	if _, err := e.ask(tr, "write"); err != nil || key == nil || tr.tok.key != key || !tr.tok.dpop {
		t.Error(err)
	}
}

// A server that wants another nonce each time does not get the request forever.
func TestEndlessNonces(t *testing.T) {
	e := newEnv(t)
	e.meta["dpop_signing_alg_values_supported"] = []string{"ES256"}
	e.challenge = func(*http.Request) string { return `DPoP` }
	tr := e.transport(nil)
	e.mustGet(tr)
	n := 0
	e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/mcp" {
			n++
			rw.Header().Set("DPoP-Nonce", strings.Repeat("n", n))
			rw.Header().Set("WWW-Authenticate", `DPoP error="use_dpop_nonce"`)
			rw.WriteHeader(401)
		}
		return r.URL.Path == "/mcp"
	}
	if _, err := e.get(tr); err == nil || n != maxSends {
		t.Errorf("%v, sent %d times", err, n)
	}
}
