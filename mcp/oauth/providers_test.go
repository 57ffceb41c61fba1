package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// pin sets the issuer, and lets other change more.
func (e *env) pin(other func(*Options)) func(*Options) {
	return func(o *Options) {
		o.Issuer = e.as.URL
		if other != nil {
			other(o)
		}
	}
}

// TestMetadataNamesNoServer: an empty text is not the server that is bound to a resource.
func TestMetadataNamesNoServer(t *testing.T) {
	m := &resourceMetadata{resource: "https://example.com/", servers: []string{"https://evil.example", ""}}
	if newEnv(t).transport(nil).isExact(m) {
		t.Error("metadata of another resource describes this one")
	}
}

// TestDeadMetadataURL: the URL in the challenge is dead, and the well-known one works.
func TestDeadMetadataURL(t *testing.T) {
	for name, tt := range map[string]struct {
		url    string
		answer func(w http.ResponseWriter, r *http.Request)
	}{
		"404":        {"/bad", http.NotFound},
		"401":        {"/bad", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }},
		"500":        {"/bad", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }},
		"page":       {"/bad", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>{}")) }},
		"other JSON": {"/bad", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"jsonrpc":"2.0"}`)) }},
		"no resource": {"/bad", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"authorization_servers":["https://evil.example"]}`))
		}},
		"loop":         {"/bad", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/bad", http.StatusFound) }},
		"no TLS":       {"http://example.com/x", nil},
		"unreachable":  {"http://" + testutil.FreeAddress(t) + "/x", nil},
		"not a URL":    {"::", nil},
		"local file":   {"file:///etc/passwd", nil},
		"private host": {"https://169.254.169.254/x", nil},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			at := tt.url
			if strings.HasPrefix(at, "/") {
				at = e.rs.URL + at
			}
			e.challenge = func(*http.Request) string { return `Bearer resource_metadata="` + at + `"` }
			e.handle = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/bad" {
					return false
				}
				tt.answer(w, r)
				return true
			}
			var odd []string
			e.mustGet(e.transport(func(o *Options) {
				o.Trace = &Trace{Odd: func(_ string, what *Error) { odd = append(odd, what.Error()) }}
			}))
			if len(odd) != 1 {
				t.Errorf("reported %q", odd)
			}
			// Without a document anywhere, the first error is the one to report, and no endpoint is guessed.
			e.prm, e.meta = nil, nil
			e.mustFail(e.transport(nil))
			if e.count("/register") != 1 {
				t.Error("the endpoints of the origin were guessed")
			}
		})
	}
}

// TestParentAfterFailure: whoever makes the server fail does not move the login to what a
// wider document says.
func TestParentAfterFailure(t *testing.T) {
	e := newEnv(t)
	e.prm["resource"], e.prmPath = e.rs.URL, resourcePath
	e.challenge = func(*http.Request) string { return "Bearer" }
	status := 404
	e.handle = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == resourcePath+"/mcp" {
			w.WriteHeader(status)
			return true
		}
		return false
	}
	store := NewMemory()
	bound := e.transport(func(o *Options) { o.Store = store })
	e.mustGet(bound)
	status = 503
	e.mustFail(e.transport(nil), "503")
	if err := bound.Login(t.Context()); err != nil {
		t.Errorf("with the issuer of the token: %v", err)
	}
}

// TestSilences: an endpoint answers after a time, or never. A login that gets no answer ends
// within a minute, the search for metadata within 15 s, and the error names the endpoint.
func TestSilences(t *testing.T) {
	const never = time.Hour
	for _, tt := range []struct {
		path  string
		limit time.Duration // of one answer
		ends  time.Duration // when a login without an answer has ended
	}{
		{"/mcp", fetchTime, fetchTime},
		{resourcePath + "/mcp", fetchTime, searchTime},
		{serverPath, fetchTime, searchTime},
		{"/.well-known/", fetchTime, searchTime},
		{"/register", postTime, postTime},
		{"/token", postTime, postTime},
		{"/device", postTime, postTime},
	} {
		for _, silence := range []time.Duration{tt.limit - time.Second, tt.limit + time.Second, 5 * time.Minute, never} {
			synctest.Test(t, func(t *testing.T) {
				e, network := newMemoryEnv(t)
				e.offerDevice(func(int) string { return "" })
				e.handle = func(_ http.ResponseWriter, r *http.Request) bool {
					if !strings.HasPrefix(r.URL.Path, tt.path) || r.Header.Get("Authorization") != "" {
						return false
					}
					body, _ := io.ReadAll(r.Body) // otherwise the end of the connection is not noticed
					r.Body = io.NopCloser(bytes.NewReader(body))
					select {
					case <-time.After(silence):
						return false
					case <-r.Context().Done():
						return true
					}
				}
				tr := e.transport(func(o *Options) {
					if tt.path == "/device" {
						o.Issuer, o.Authorizer = e.as.URL, &Device{Out: io.Discard}
					}
				})
				tr.fetch.rt.DialContext = network.dial
				began := time.Now()
				err := tr.Login(t.Context())
				took := time.Since(began)
				tr.CloseIdleConnections()
				if silence < tt.limit {
					if tt.path != "/.well-known/" && err != nil { // where two answers are late
						t.Errorf("%s after %v: %v", tt.path, silence, err)
					}
				} else if err == nil || took > tt.ends || !strings.Contains(err.Error(), tt.path) || !strings.Contains(err.Error(), "no response within") {
					t.Errorf("%s after %v: %v after %v", tt.path, silence, err, took)
				}
			})
		}
	}
}

// TestSilentPolls: a device keeps polling a server that does not answer until its code
// expires. The error then names the last request that had no response.
func TestSilentPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, network := newMemoryEnv(t)
		e.offerDevice(func(int) string { return "" })
		var silent atomic.Bool
		silent.Store(true)
		e.handle = func(_ http.ResponseWriter, r *http.Request) bool {
			if silent.Load() && r.URL.Path == "/token" {
				_, _ = io.Copy(io.Discard, r.Body)
				<-r.Context().Done()
				return true
			}
			return false
		}
		tr := e.transport(func(o *Options) { o.Issuer, o.Authorizer = e.as.URL, &Device{Out: io.Discard} })
		tr.fetch.rt.DialContext = network.dial
		began := time.Now()
		err := tr.Login(t.Context())
		if d := time.Since(began); err == nil || d > 15*time.Minute || !strings.Contains(err.Error(), "/token: no response to POST: no response within 30s") {
			t.Errorf("%v after %v", err, d)
		}
		time.AfterFunc(5*time.Minute, func() { silent.Store(false) })
		if err := tr.Login(t.Context()); err != nil {
			t.Errorf("after 5 minutes of silence: %v", err)
		}
		tr.CloseIdleConnections()
	})
}

// TestMetadataOfQuery: tenants of one path have metadata of their own.
func TestMetadataOfQuery(t *testing.T) {
	e := newEnv(t)
	e.prm["resource"] = e.url() + "?tenant=b"
	e.challenge = func(*http.Request) string { return "Bearer" }
	var query string
	e.handle = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == resourcePath+"/mcp" {
			query = r.URL.RawQuery
		}
		return false
	}
	tr := New(e.url()+"?tenant=b", &Options{Base: e.base, Authorizer: &robotUser{e: e}})
	if err := tr.Login(t.Context()); err != nil || query != "tenant=b" {
		t.Errorf("asked with %q: %v", query, err)
	}
}

// TestSecretInURL: a query that no metadata names may have a secret for the MCP server.
func TestSecretInURL(t *testing.T) {
	e := newEnv(t)
	e.prm = nil
	e.challenge = func(*http.Request) string { return "Bearer" }
	var odd string
	tr := New(e.url()+"?api_key="+mark, &Options{Base: e.base, Authorizer: &robotUser{e: e}, Issuer: e.as.URL,
		Trace: &Trace{Odd: func(_ string, what *Error) { odd += what.Error() }}})
	if err := tr.Login(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, form := range e.forms {
		if strings.Contains(form.Encode(), "api_key") || form.Get("resource") != e.url() {
			t.Errorf("sent %q", form)
		}
	}
	if !strings.Contains(odd, "without its query") || strings.Contains(odd, mark) {
		t.Errorf("warned with %q", odd)
	}
}

// TestOtherResource: what is sent as resource is a setting for every grant, and the key of
// the token is not what is sent.
func TestOtherResource(t *testing.T) {
	for _, sent := range []string{NoResource, "api://app-1"} {
		e := newEnv(t)
		e.offerDevice(func(int) string { return "" })
		e.clients["app"] = map[string]any{"client_secret": "secret-" + mark}
		var all []url.Values
		e.handle = func(_ http.ResponseWriter, r *http.Request) bool {
			_ = r.ParseForm()
			if p := r.URL.Path; p == "/authorize" || p == "/token" || p == "/device" {
				all = append(all, maps.Clone(r.Form))
				// The fake server wants its own.
				r.Form.Set("resource", e.url())
				r.PostForm.Set("resource", e.url())
				r.URL.RawQuery = r.Form.Encode()
			}
			return false
		}
		store := NewMemory()
		set := e.pin(func(o *Options) { o.RequestResource, o.Store = sent, store })
		tr := e.transport(set)
		e.mustGet(tr)
		e.forgetAccess()
		e.mustGet(tr) // refreshes
		e.mustGet(e.transport(e.pin(func(o *Options) {
			o.RequestResource, o.Grant, o.Client = sent, ClientCredentials{}, Client{ID: "app", Secret: "secret-" + mark, Method: methodPost}
		})))
		if len(all) != 4 {
			t.Fatalf("%d requests", len(all))
		}
		for _, form := range all {
			if form.Get("resource") != strings.TrimPrefix(sent, NoResource) || form.Has("resource") != (sent != NoResource) {
				t.Errorf("%s: %s sent %q", sent, form.Get("grant_type"), form["resource"])
			}
		}
		for key := range store.entriesLocked() {
			if key.Resource != "" && key.Resource != e.url() {
				t.Errorf("stored under %+v", key)
			}
		}
	}
}

// TestRefusedResource: the error names the setting, and has the server's own words.
func TestRefusedResource(t *testing.T) {
	e := newEnv(t)
	e.handle = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/token" {
			return false
		}
		reply(w, 400, map[string]string{"error": "invalid_target", "error_description": "AADSTS9010010: The resource parameter doesn't match with the requested scopes."})
		return true
	}
	e.mustFail(e.transport(nil), "AADSTS9010010", "Options.RequestResource", "Options.Issuer")
}

// TestSettingsThatNeedIssuer: they weaken a check, so the MCP server must not choose who
// profits.
func TestSettingsThatNeedIssuer(t *testing.T) {
	e := newEnv(t)
	for name, change := range map[string]func(*Options){
		"RequestResource":  func(o *Options) { o.RequestResource = NoResource },
		"AssumePKCE":       func(o *Options) { o.AssumePKCE = true },
		"IssuerInMetadata": func(o *Options) { o.IssuerInMetadata = "https://example.com/{tenantid}" },
		"TokenURL":         func(o *Options) { o.TokenURL = "https://example.com/token" },
	} {
		e.mustFail(e.transport(change), "Options."+name, "needs Options.Issuer")
	}
	e.mustFail(e.transport(e.pin(func(o *Options) { o.RequestResource = "app" })), "absolute URI")
	if len(e.paths) != 0 {
		t.Errorf("sent %q", e.paths)
	}
}

// TestTemplateIssuer: the issuer in the metadata of all tenants is a template.
func TestTemplateIssuer(t *testing.T) {
	e := newEnv(t)
	e.meta["issuer"] = e.as.URL + "/{tenantid}/v2.0"
	e.mustFail(e.transport(e.pin(nil)), "RFC 8414, section 3.3", "Options.IssuerInMetadata")
	template := e.pin(func(o *Options) { o.IssuerInMetadata = e.as.URL + "/{tenantid}/v2.0" })
	for iss, want := range map[string]bool{"/9-a/v2.0": true, "/{tenantid}/v2.0": true, "": false, "//v2.0": false, "/a/b/v2.0": false, "/a/v2.0/x": false} {
		e.response = func(q url.Values) { q.Set("iss", e.as.URL+iss) }
		if err := e.transport(template).Login(t.Context()); (err == nil) != want {
			t.Errorf("iss %q: %v", iss, err)
		}
	}
}

// TestParameters: they are in every request, and replace nothing of the protocol.
func TestParameters(t *testing.T) {
	e := newEnv(t)
	tr := e.transport(func(o *Options) {
		o.Scopes = []string{"offline_access"}
		o.Parameters = map[string]string{"audience": "https://api.example.com", "prompt": "select_account"}
	})
	e.mustGet(tr)
	e.forgetAccess()
	e.mustGet(tr)
	if len(e.forms) != 3 {
		t.Fatal(len(e.forms))
	}
	for _, form := range e.forms {
		if form.Get("audience") != "https://api.example.com" || form.Get("prompt") != "select_account" {
			t.Errorf("sent %q", form)
		}
	}
	for _, name := range append(strings.Fields(reserved), "", "State", "a b") {
		e.mustFail(e.transport(func(o *Options) { o.Parameters = map[string]string{name: "x"} }), "Options.Parameters")
	}
}

// TestUnannouncedPKCE: only its absence can be permitted.
func TestUnannouncedPKCE(t *testing.T) {
	const member = "code_challenge_methods_supported"
	assume := func(o *Options) { o.AssumePKCE = true }
	for name, change := range map[string]func(e *env){
		"absent": func(e *env) { delete(e.meta, member) },
		"plain":  func(e *env) { e.meta[member] = []string{"plain"} },
		"empty":  func(e *env) { e.meta[member] = []string{} },
		"text":   func(e *env) { e.meta[member] = "S256" },
	} {
		e := newEnv(t)
		change(e)
		e.mustFail(e.transport(e.pin(nil)))
		if name == "absent" {
			e.mustFail(e.transport(nil), "Options.AssumePKCE", "Options.Issuer")
			e.mustGet(e.transport(e.pin(assume)))
			continue
		}
		e.mustFail(e.transport(e.pin(assume)))
	}
}

// TestMetadataAsText: other media types, a byte order mark, and optional members of a
// wrong type are read; members that protect are not.
func TestMetadataAsText(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(m map[string]any)
		ok     bool
	}{
		"as it is":         {func(map[string]any) {}, true},
		"scopes":           {func(m map[string]any) { m["scopes_supported"] = "a b" }, true},
		"revocation":       {func(m map[string]any) { m["revocation_endpoint"] = false }, true},
		"client documents": {func(m map[string]any) { m["client_id_metadata_document_supported"] = "true" }, true},
		"iss":              {func(m map[string]any) { m["authorization_response_iss_parameter_supported"] = "true" }, true},
		"DPoP":             {func(m map[string]any) { m["dpop_signing_alg_values_supported"] = "ES256" }, false},
		"methods":          {func(m map[string]any) { m["token_endpoint_auth_methods_supported"] = "none" }, false},
	} {
		e := newEnv(t)
		tt.change(e.meta)
		e.handle = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != serverPath {
				return false
			}
			data, _ := json.Marshal(e.meta)
			w.Header().Set("Content-Type", "application/octet-stream")
			_, _ = w.Write(append([]byte("\ufeff"), data...))
			return true
		}
		if _, err := e.get(e.transport(nil)); (err == nil) != tt.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSpellingsOfChallenge: the URL of the metadata is read without quotes, in single
// ones, and with semicolons.
func TestSpellingsOfChallenge(t *testing.T) {
	const u = "https://h.example:8443/.well-known/oauth-protected-resource/mcp?x=1"
	for _, field := range []string{
		`Bearer resource_metadata="` + u + `", scope="a"`, `Bearer resource_metadata=` + u + `, scope="a"`, `Bearer resource_metadata=` + u + ` scope=a`,
		`Bearer resource_metadata='` + u + `', scope='a'`, `Bearer realm="x"; resource_metadata="` + u + `"; scope="a"`, `bearer scope=a,resource_metadata=` + u,
		// Malformed.
		`Bearer error_description="the "old" token", scope=a, resource_metadata="` + u + `"`, `Bearer: scope=a, resource_metadata=` + u,
		`scope=a, resource_metadata="` + u + `"`, `OAuth scope=a, resource_metadata="` + u + `"`, `Bearer realm=<x>, scope="a", resource_metadata=" ` + u + ` ",`,
		`Basic realm="x, Bearer y", BEARER Scope = "a" , Resource_Metadata = "` + u + `"`, "Bearer\tscope=a,\tresource_metadata=" + u,
		`Bearer error=invalid_token error_description="no, \"never\"" resource_metadata="` + strings.ReplaceAll(u, "/", `\/`) + `" scope=a`,
	} {
		d, ok := demandOf(&http.Response{StatusCode: 401, Header: http.Header{"Www-Authenticate": {field}}})
		if !ok || d.metadata != u || d.scope != "a" {
			t.Errorf("%s: %q, %q", field, d.metadata, d.scope)
		}
	}
}

// TestRefusedRefreshAsText: a refusal is read by its shape.
func TestRefusedRefreshAsText(t *testing.T) {
	for _, kind := range []string{"text/html", "text/plain", ""} {
		e := newEnv(t)
		tr := e.transport(nil)
		e.mustGet(tr)
		e.forgetAccess()
		e.handle = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/token" || r.FormValue("grant_type") != "refresh_token" {
				return false
			}
			w.Header()["Content-Type"] = []string{kind}
			w.WriteHeader(400)
			_, _ = w.Write([]byte(`{"error":"invalid_grant"}`))
			return true
		}
		e.mustGet(tr) // asks the user again
	}
	e := newEnv(t)
	for body, want := range map[string]string{
		`{"message":"quota used up"}`:                          `{"message":"quota used up"}`,
		"<html><body><h1>Blocked</h1> by the firewall " + mark: "Blocked by the firewall ***",
		"upstream broke":                                       "upstream broke",
	} {
		e.handle = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/token" {
				w.WriteHeader(403)
				_, _ = w.Write([]byte(strings.Replace(body, mark, r.FormValue("code"), 1)))
			}
			return r.URL.Path == "/token"
		}
		e.mustFail(e.transport(nil), want)
	}
}

// TestNamesOfBearer: these types are bearer tokens, and no others.
func TestNamesOfBearer(t *testing.T) {
	for kind, ok := range map[any]bool{nil: true, "": true, "user": true, "JWT": true, "Bearer ": true, "bearer": true, "mac": false, "bearers": false, "N_A": false, "DPoP": false} {
		e := newEnv(t)
		e.tokenAnswer = func(_ url.Values, m map[string]any) { m["token_type"] = kind }
		n := 0
		_, err := e.get(e.transport(func(o *Options) { o.Trace = &Trace{Odd: func(string, *Error) { n++ }} }))
		isOdd := kind == nil || !strings.HasPrefix(strings.ToLower(fmt.Sprint(kind)), "bearer")
		if (err == nil) != ok || ok && (n > 0) != isOdd {
			t.Errorf("%q: %v, reported %d times", kind, err, n)
		}
	}
}

// TestRegistrationIsRedirected: to the same origin, with its method.
func TestRegistrationIsRedirected(t *testing.T) {
	for status, ok := range map[int]bool{307: true, 308: true, 302: false, 303: false} {
		e := newEnv(t)
		e.handle = func(w http.ResponseWriter, r *http.Request) bool {
			switch r.URL.Path {
			case "/register":
				http.Redirect(w, r, "/register/", status)
				return true
			case "/register/":
				r.URL.Path = "/register"
				e.note(r)
				e.mu.Lock()
				e.serveRegister(w, r)
				e.mu.Unlock()
				return true
			}
			return false
		}
		if _, err := e.get(e.transport(nil)); (err == nil) != ok {
			t.Errorf("%d: %v", status, err)
		}
	}
	e := newEnv(t)
	e.handle = redirectTo("/register", "http://127.0.0.1:1/register")
	e.mustFail(e.transport(nil), "same origin")
}

// TestForgottenClient: the program registers anew before the user sees a page.
func TestForgottenClient(t *testing.T) {
	e := newEnv(t)
	store := NewMemory()
	someone := &robotUser{e: e}
	set := func(o *Options) { o.Store, o.Authorizer = store, someone }
	e.mustGet(e.transport(set))
	if err := e.transport(set).Login(t.Context()); err != nil || e.count("/register") != 1 {
		t.Fatalf("a client that the server knows: %v, %d registrations", err, e.count("/register"))
	}
	clear(e.clients)
	if err := e.transport(set).Login(t.Context()); err != nil || e.count("/register") != 2 || someone.times != 3 {
		t.Errorf("%v, %d registrations, %d pages", err, e.count("/register"), someone.times)
	}
	for _, code := range []string{"invalid_grant", "unauthorized_client", "server_error"} {
		e.refuseToken = func(form url.Values) string {
			if strings.HasPrefix(form.Get("code"), "code-") {
				return ""
			}
			return code
		}
		if err := e.transport(set).Login(t.Context()); err != nil || e.count("/register") != 2 {
			t.Errorf("%s: %v, %d registrations", code, err, e.count("/register"))
		}
	}
	// After a login, the Transport does not ask for 10 minutes, in which a call may need
	// another scope.
	e.refuseToken = nil
	tr := e.transport(set)
	for _, asks := range []bool{true, false, true} {
		before := e.count("authorization_code")
		if err := tr.Login(t.Context()); err != nil || e.count("authorization_code") > before+1 != asks {
			t.Errorf("%v, %d token requests", err, e.count("authorization_code")-before)
		}
		if !asks {
			tr.accepted.at = tr.accepted.at.Add(-acceptedTime)
		}
	}
	// What the program gave is never replaced.
	clear(e.clients)
	before := e.count("/register")
	e.mustFail(e.transport(func(o *Options) { o.Client = Client{ID: "given"} }))
	if e.count("/register") != before {
		t.Error("registered beside the program's client")
	}
}

// TestTimeoutDropsRegistration: the page said what only the user saw.
func TestTimeoutDropsRegistration(t *testing.T) {
	e := newEnv(t)
	store := NewMemory()
	someone := &robotUser{e: e}
	set := func(o *Options) { o.Store, o.Authorizer = store, someone }
	e.mustGet(e.transport(set))
	known := len(store.entriesLocked())
	someone.stop = func(context.Context) error { return errors.New("the user closed the page") }
	if err := e.transport(set).Login(t.Context()); err == nil || len(store.entriesLocked()) != known {
		t.Errorf("%v; %d entries", err, len(store.entriesLocked()))
	}
	someone.stop = func(context.Context) error { return unanswered("https://as.example.com/authorize", time.Minute, nil) }
	err := e.transport(set).Login(t.Context())
	if err == nil || !strings.Contains(err.Error(), "registration was deleted") || len(store.entriesLocked()) != known-1 {
		t.Errorf("%v; %d entries", err, len(store.entriesLocked()))
	}
	if _, ok := store.entriesLocked()[StoreKey{Issuer: e.as.URL}]; ok {
		t.Error("the registration is still there")
	}
	e.clients["given"] = map[string]any{}
	given := e.transport(func(o *Options) { set(o); o.Client.ID = "given" })
	if err := given.Login(t.Context()); err == nil || strings.Contains(err.Error(), "deleted") || !strings.Contains(err.Error(), "register the program there") {
		t.Error(err)
	}
}

// TestAccounts: two accounts at one URL have tokens of their own, and an older version,
// which has no accounts, has its own, too.
func TestAccounts(t *testing.T) {
	e := newEnv(t)
	store := NewFile(t.TempDir() + "/tokens.json")
	account := func(name string) *Transport {
		return e.transport(func(o *Options) { o.Store, o.Account = store, name })
	}
	plain, ann, bob := account(""), account("ann"), account("bob")
	seen := map[string]string{}
	for name, tr := range map[string]*Transport{"": plain, "ann": ann, "bob": bob} {
		if err := tr.Login(t.Context()); err != nil {
			t.Fatal(err)
		}
		seen[tr.tok.access] = name
	}
	if err := ann.Logout(t.Context()); err != nil || len(seen) != 3 {
		t.Fatal(err, len(seen))
	}
	for name, want := range map[string]bool{"": true, "bob": true, "ann": false} {
		_, err := e.get(e.transport(func(o *Options) { o.Store, o.Account, o.Authorizer = store, name, nil }))
		if (err == nil) != want {
			t.Errorf("%q after the logout of ann: %v", name, err)
		}
	}
	entries, _, err := store.read()
	keys := slices.Collect(maps.Keys(entries))
	if err != nil || !slices.Contains(keys, StoreKey{Resource: e.url() + "#bob"}) || !slices.Contains(keys, StoreKey{Resource: e.url()}) {
		t.Errorf("%v: %v", keys, err)
	}
}

// TestSharedResource: a logout ends the logins at the other servers of a parent.
func TestSharedResource(t *testing.T) {
	e := newEnv(t)
	for account, want := range map[string]string{"": e.rs.URL, "ann": ""} {
		e.prm["resource"] = e.rs.URL
		tr := e.transport(func(o *Options) { o.Account = account })
		e.mustGet(tr)
		if got, err := tr.SharedResource(t.Context()); err != nil || got != want {
			t.Errorf("%q: %q, %v", account, got, err)
		}
	}
}

// TestTrace: hooks have the program's name for the server.
func TestTrace(t *testing.T) {
	e := newEnv(t)
	var events []string
	set := func(o *Options) {
		o.Name = "work"
		o.Trace = &Trace{LoggedIn: func(name string) { events = append(events, "login "+name) }, TokenLoaded: func(name string) { events = append(events, "loaded "+name) }}
	}
	store := NewMemory()
	tr := e.transport(func(o *Options) { set(o); o.Store = store })
	e.mustGet(tr)
	if err := tr.Login(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.mustGet(tr)
	e.forgetAccess()
	e.mustGet(tr) // a refresh is not a login
	e.mustGet(e.transport(func(o *Options) { set(o); o.Store = store }))
	if got := strings.Join(events, ", "); got != "login work, login work, loaded work" {
		t.Error(got)
	}
}

// TestResponseOfAnotherServer: nothing of it is shown.
func TestResponseOfAnotherServer(t *testing.T) {
	for _, page := range []bool{false, true} {
		e := newEnv(t)
		e.response = func(q url.Values) {
			q.Set("iss", "https://evil.example")
			q.Set("error", "evil_words")
			q.Set("error_description", "call 555")
		}
		l := &Loopback{}
		if page {
			l.Page = func(refused *ServerError) string {
				if refused == nil {
					return "success"
				}
				return refused.Error()
			}
		}
		shown := make(chan string, 1)
		l.Open = func(ctx context.Context, page string) error {
			to, err := agree(ctx, e.base, page)
			if err != nil {
				return err
			}
			got, err := e.visit(to)
			shown <- got
			return err
		}
		e.mustFail(e.transport(func(o *Options) { o.Authorizer = l }), "another authorization server")
		if got := <-shown; strings.Contains(got, "evil") || strings.Contains(got, "555") || strings.Contains(got, "success") || strings.Contains(got, "You can close this page and return to the program") {
			t.Errorf("shows %s", got)
		}
	}
}

// TestRedirectWithoutState: it is ignored, and the error says that it came.
func TestRedirectWithoutState(t *testing.T) {
	e := newEnv(t)
	l := &Loopback{Timeout: 50 * time.Millisecond}
	l.Open = func(_ context.Context, page string) error {
		u, err := url.Parse(page)
		if err == nil {
			var got string
			if got, err = e.visit(u.Query().Get("redirect_uri") + "?code=x"); !strings.Contains(got, "does not have the state") {
				t.Error(got)
			}
		}
		return err
	}
	e.mustFail(e.transport(func(o *Options) { o.Authorizer = l }), "without the state", "localhost")
}

// TestBothAddressesOfLocalhost: a browser may try either.
func TestBothAddressesOfLocalhost(t *testing.T) {
	in, err := (&Loopback{RedirectURI: "http://localhost/callback"}).Listen(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r := in.(*receiver)
	if len(r.ln) == 1 {
		t.Skip("no IPv6")
	}
	u, _ := url.Parse(in.RedirectURI())
	// A second login at the same port must not get half of the addresses.
	if other, err := (&Loopback{RedirectURI: "http://localhost:" + u.Port() + "/callback"}).Listen(t.Context(), ""); err == nil {
		_ = other.Close()
		t.Error("two listen at one port")
	}
}

// TestEndpointsWithoutMetadata: a provider that has no metadata.
func TestEndpointsWithoutMetadata(t *testing.T) {
	e := newEnv(t)
	e.meta = nil
	e.clients["app"] = map[string]any{}
	e.mustGet(e.transport(e.pin(func(o *Options) {
		o.Client.ID, o.AuthorizationURL, o.TokenURL, o.AssumePKCE = "app", e.as.URL+"/authorize", e.as.URL+"/token", true
	})))
}

// TestOddRegistrations: the expiry of a secret is a text, a date, or in the past of all time.
func TestOddRegistrations(t *testing.T) {
	later := time.Now().Add(time.Hour).Unix()
	for value, want := range map[any]int64{"0": 0, "2027-01-01T00:00:00Z": 0, -1: 0, nil: 0, later: later, fmt.Sprint(later): later} {
		data, _ := json.Marshal(map[string]any{"client_id": "c", "client_secret_expires_at": value})
		if g, err := parseRegistration(data); err != nil || g.expires != want {
			t.Errorf("%s: %v", data, err)
		}
	}
}

// TestRefusedRegistrations: the program asks for less, and for localhost, where the server
// says that it does not register all. Other refusals are final.
func TestRefusedRegistrations(t *testing.T) {
	for name, tt := range map[string]struct {
		status   int
		code     string
		refuse   func(m map[string]any) bool
		requests int
		ok       bool
	}{
		"application_type": {400, "invalid_client_metadata", func(m map[string]any) bool { return m["application_type"] != nil }, 2, true},
		"scope":            {422, "", func(m map[string]any) bool { return m["scope"] != nil }, 2, true},
		"refresh tokens":   {400, "invalid_client_metadata", func(m map[string]any) bool { return len(m["grant_types"].([]any)) > 1 }, 3, true},
		"public clients":   {200, "invalid_client_metadata", func(m map[string]any) bool { return m["token_endpoint_auth_method"] == "none" }, 4, true},
		"addresses": {400, "invalid_redirect_uri", func(m map[string]any) bool {
			return strings.Contains(fmt.Sprint(m["redirect_uris"]), "127.0.0.1")
		}, 2, true},
		"all":            {400, "invalid_client_metadata", func(map[string]any) bool { return true }, 4, false},
		"administrators": {403, "access_denied", func(map[string]any) bool { return true }, 1, false},
	} {
		e := newEnv(t)
		e.meta["token_endpoint_auth_methods_supported"] = []string{"none", "client_secret_post", "client_secret_basic"}
		e.prm["scopes_supported"] = []string{"a"}
		requests, odd := 0, 0
		e.handle = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/register" {
				return false
			}
			requests++
			body, _ := io.ReadAll(r.Body)
			var m map[string]any
			_ = json.Unmarshal(body, &m)
			if tt.refuse(m) {
				reply(w, tt.status, map[string]string{"error": tt.code})
				return true
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			e.mu.Lock()
			e.serveRegister(w, r)
			e.mu.Unlock()
			return true
		}
		store := NewMemory()
		login := func() error {
			_, err := e.get(e.transport(func(o *Options) {
				o.Store = store
				o.Authorizer = &Loopback{Open: func(ctx context.Context, page string) error {
					to, err := agree(ctx, e.base, page)
					if err == nil {
						_, err = e.visit(to)
					}
					return err
				}}
				o.Trace = &Trace{Odd: func(string, *Error) { odd++ }}
			}))
			return err
		}
		if err := login(); (err == nil) != tt.ok || requests != tt.requests || tt.ok && name != "addresses" && odd != 1 {
			t.Errorf("%s: %v after %d requests, reported %d times", name, err, requests, odd)
		}
		// The registration is used again.
		if e.forgetAccess(); tt.ok && (login() != nil || requests != tt.requests) {
			t.Errorf("%s: %d requests", name, requests)
		}
	}
}

// TestMethodsOfRegisteredClient: what the response says about the secret may be wrong.
func TestMethodsOfRegisteredClient(t *testing.T) {
	both := []string{"client_secret_basic", "client_secret_post", "none"}
	for name, tt := range map[string]struct {
		said      any
		announced any
		accepts   string
	}{
		"none, but needed":    {"none", both, methodPost},
		"an unknown one":      {"client_secret_jwt", both, methodBasic},
		"post, but basic":     {"client_secret_post", both, methodBasic},
		"basic, but post":     {"client_secret_basic", nil, methodPost},
		"not announced":       {"client_secret_post", []string{"client_secret_basic"}, methodBasic},
		"nothing":             {nil, both, methodPost},
		"nothing and nothing": {nil, nil, methodPost},
	} {
		e := newEnv(t)
		e.meta["token_endpoint_auth_methods_supported"] = tt.announced
		e.handle = func(w http.ResponseWriter, r *http.Request) bool {
			switch r.URL.Path {
			case "/register":
				e.mu.Lock()
				e.clients["c"] = map[string]any{}
				e.mu.Unlock()
				reply(w, 201, map[string]any{"client_id": "c", "client_secret": mark, "token_endpoint_auth_method": tt.said})
				return true
			case "/token":
				_, secret, _ := r.BasicAuth()
				if got := map[bool]string{true: secret, false: r.PostFormValue("client_secret")}[tt.accepts == methodBasic]; got != mark {
					reply(w, 401, map[string]string{"error": "invalid_client"})
					return true
				}
				reply(w, 200, map[string]string{"access_token": "t-" + mark, "token_type": "bearer"})
				e.mu.Lock()
				e.access["t-"+mark] = &issued{}
				e.mu.Unlock()
				return true
			}
			return false
		}
		if _, err := e.get(e.transport(nil)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The client of a program, for which it states the method, has no other.
	e := newEnv(t)
	e.clients["c"] = map[string]any{"client_secret": mark}
	e.refuseToken = func(url.Values) string { return "invalid_client" }
	e.mustFail(e.transport(func(o *Options) { o.Client = Client{ID: "c", Secret: mark, Method: methodPost} }))
	if n := e.count("authorization_code"); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// TestOddTokenResponses: members of another type, and a form in place of JSON.
func TestOddTokenResponses(t *testing.T) {
	form := http.Header{"Content-Type": {"application/x-www-form-urlencoded; charset=utf-8"}}
	for body, want := range map[string]string{
		`{"access_token":"a","token_type":"bearer","scope":["x","y"],"refresh_token":7,"expires_in":"60"}`: "x y",
		`{"access_token":"a","token_type":"bearer","scope":null,"expires_in":-1}`:                          "",
		`access_token=a&scope=x%2Cy&token_type=bearer&expires_in=60`:                                       "x y",
	} {
		a := &response{status: 200, header: http.Header{}, body: []byte(body)}
		if body[0] != '{' {
			a.header = form
		}
		if k, err := a.token(nil); err != nil || k.access != "a" || strings.Join(k.granted, " ") != want {
			t.Errorf("%s: %v, %v", body, k, err)
		}
	}
	a := &response{status: 200, header: form, body: []byte("error=bad_verification_code&error_description=old")}
	if e := a.refusal(); e == nil || e.Code != "bad_verification_code" || e.Description != "old" {
		t.Error(e)
	}
}

// TestRedirectsThatAreChanged: the state shows that a response is that to the request. A
// response that the browser keeps for itself, and one without the state, are reported.
func TestRedirectsThatAreChanged(t *testing.T) {
	for name, tt := range map[string]struct {
		visit func(e *env, to, code, state string) (string, error)
		odd   bool
	}{
		"slash": {func(e *env, to, code, state string) (string, error) {
			return e.visit(to + "/?code=" + code + "&state=" + state)
		}, false},
		"localhost": {func(e *env, to, code, state string) (string, error) {
			return e.visit(strings.Replace(to, "127.0.0.1", "localhost", 1) + "?code=" + code + "&state=" + state)
		}, false},
		"form": {func(e *env, to, code, state string) (string, error) {
			resp, err := (&http.Client{Transport: e.base}).PostForm(to, url.Values{"code": {code}, "state": {state}})
			if err == nil {
				_ = resp.Body.Close()
			}
			return "", err
		}, false},
		"fragment": {func(e *env, to, code, state string) (string, error) {
			if _, err := e.visit(to); err != nil {
				return "", err
			}
			return e.visit(to + "?code=" + code + "&state=" + state)
		}, true},
	} {
		e := newEnv(t)
		e.meta["authorization_response_iss_parameter_supported"] = false
		odd := 0
		l := &Loopback{Open: func(ctx context.Context, page string) error {
			to, err := agree(ctx, e.base, page)
			if err != nil {
				return err
			}
			u, _ := url.Parse(to)
			base, _, _ := strings.Cut(to, "?")
			_, err = tt.visit(e, base, url.QueryEscape(u.Query().Get("code")), u.Query().Get("state"))
			return err
		}}
		_, err := e.get(e.transport(func(o *Options) { o.Authorizer, o.Trace = l, &Trace{Odd: func(string, *Error) { odd++ }} }))
		if err != nil || odd > 0 != tt.odd {
			t.Errorf("%s: %v, reported %d times", name, err, odd)
		}
	}
}

// TestMetadataWithoutServers: the server is its own authorization server, if that has
// metadata.
func TestMetadataWithoutServers(t *testing.T) {
	for _, servers := range []any{nil, []string{}} {
		e := newEnv(t)
		e.prm["authorization_servers"] = servers
		e.mustFail(e.transport(nil), "names no authorization server")
		e.meta["issuer"] = e.rs.URL
		e.response = func(q url.Values) { q.Set("iss", e.rs.URL) }
		e.handle = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == serverPath {
				reply(w, 200, e.meta)
			}
			return r.URL.Path == serverPath
		}
		e.mustGet(e.transport(nil))
	}
	e := newEnv(t)
	e.prm["authorization_servers"] = e.as.URL // in place of a list
	e.mustGet(e.transport(nil))
}

// A broker is a TokenAuthorizer.
type broker struct {
	robotUser
	tokens []string
}

func (b *broker) Token(_ context.Context, issuer, resource string, scopes []string) (string, time.Time, error) {
	if len(b.tokens) == 0 {
		return "", time.Time{}, nil
	}
	next := b.tokens[0]
	b.tokens = b.tokens[1:]
	if issuer != b.e.as.URL || resource != b.e.url() || strings.Join(scopes, " ") != "a" {
		return "", time.Time{}, errors.New("for another server: " + issuer + ", " + resource)
	}
	return next, time.Now().Add(time.Hour), nil
}

// TestTokenFromElsewhere: the user logs in if there is none.
func TestTokenFromElsewhere(t *testing.T) {
	e := newEnv(t)
	e.prm["scopes_supported"] = []string{"a"}
	e.access["own-"+mark] = &issued{}
	b := &broker{robotUser{e: e}, []string{"own-" + mark}}
	store := NewMemory()
	tr := e.transport(func(o *Options) { o.Authorizer, o.Store = b, store })
	e.mustGet(tr)
	if b.times != 0 || e.count("/register") != 0 {
		t.Errorf("asked %d times, registered %d times", b.times, e.count("/register"))
	}
	e.mustGet(e.transport(func(o *Options) { o.Authorizer, o.Store = nil, store })) // as it is stored
	e.forgetAccess()
	tr.tok.proven.Store(true)
	e.mustGet(tr)
	if b.times != 1 {
		t.Errorf("asked %d times", b.times)
	}
	e = newEnv(t)
	for token, want := range map[string]string{"a b": "invalid token", "refused": "was just issued"} {
		e.mustFail(e.transport(func(o *Options) {
			o.Authorizer, o.Scopes = &broker{robotUser{e: e}, []string{token}}, []string{"a"}
		}), want)
	}
}
