package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
)

func TestLogin(t *testing.T) {
	e := newEnv(t)
	e.prmPath = "/custom.json" // only the challenge says so
	e.challenge = func(*http.Request) string {
		return `Bearer resource_metadata="` + e.rs.URL + `/custom.json", scope="read"`
	}
	robot := &robotUser{e: e}
	store := NewMemory()
	tr := e.transport(func(o *Options) { o.Authorizer, o.Store = robot, store })
	for range 2 { // a token that there is does not matter
		if err := tr.Login(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if robot.times != 2 || e.forms[0].Get("scope") != "read" {
		t.Errorf("asked %d times, for %q", robot.times, e.forms[0].Get("scope"))
	}
	other := e.transport(func(o *Options) { o.Authorizer, o.Store = nil, store })
	e.mustGet(other)

	if err := tr.Logout(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(e.revoked) != 2 || !strings.HasPrefix(e.revoked[0], "refresh-") || !strings.HasPrefix(e.revoked[1], "access-") {
		t.Errorf("revoked %d", len(e.revoked))
	}
	for key := range store.entriesLocked() {
		if key.Resource != "" || key.Issuer != e.as.URL {
			t.Errorf("left in the store: %+v", key)
		}
	}
	err := e.mustFail(e.transport(func(o *Options) { o.Authorizer, o.Store = nil, store }))
	if !errors.Is(err, ErrLoginRequired) {
		t.Error(err)
	}
	if err := tr.Logout(t.Context()); err != nil {
		t.Error(err) // there is nothing to do
	}
	e.mustGet(tr)
	if e.count("/register") != 2 { // logging out is what a user tries when the server has forgotten the client
		t.Error("the registration survived the logout")
	}
}

// TestUnreadableEntries: a user whose store holds what this version cannot read logs in
// or out, and needs no other program to delete it.
func TestUnreadableEntries(t *testing.T) {
	for name, spoil := range map[string]string{"token": "0", "key": `{"access_token":"x","token_type":"DPoP","dpop_alg":"none"}`, "binding": "0"} {
		t.Run(name, func(t *testing.T) {
			e, store := newEnv(t), NewMemory()
			tr := e.transport(func(o *Options) { o.Authorizer, o.Store = &robotUser{e: e}, store })
			if err := tr.Login(t.Context()); err != nil {
				t.Fatal(err)
			}
			key := tr.bindingKey()
			if name != "binding" {
				key = tr.currentBinding().key()
			}
			for _, again := range []func(*Transport) error{
				func(tr *Transport) error { return tr.Login(t.Context()) },
				func(tr *Transport) error { return tr.Logout(t.Context()) },
			} {
				if err := store.Save(t.Context(), key, []byte(spoil)); err != nil {
					t.Fatal(err)
				}
				fresh := e.transport(func(o *Options) { o.Authorizer, o.Store = &robotUser{e: e}, store })
				if err := e.mustFail(fresh); !errors.Is(err, errStored) {
					t.Error(err)
				}
				if err := again(fresh); err != nil {
					t.Fatal(err)
				}
				e.mustGet(fresh)
			}
			if data, err := store.Load(t.Context(), key); err != nil || string(data) == spoil {
				t.Errorf("%s, %v", data, err)
			}
		})
	}
}

// A person who said no can say yes when the program asks explicitly.
func TestLoginAfterUserDenies(t *testing.T) {
	e := newEnv(t)
	no := errors.New("no")
	robot := &robotUser{e: e, stop: func(context.Context) error { return no }}
	tr := e.transport(func(o *Options) { o.Authorizer = robot })
	for range 3 {
		if err := e.mustFail(tr); !errors.Is(err, no) {
			t.Error(err)
		}
	}
	if robot.times != 1 {
		t.Errorf("asked %d times", robot.times)
	}
	robot.stop = nil
	if err := tr.Login(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.mustGet(tr)
}

// A server that requires no authorization leaves no server to ask.
func TestLoginWithoutAuthorizationServer(t *testing.T) {
	e := newEnv(t)
	e.prm, e.meta = nil, nil
	e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/mcp" {
			http.NotFound(rw, r)
		}
		return true
	}
	if err := e.transport(nil).Login(t.Context()); err == nil || !strings.Contains(err.Error(), "neither metadata nor") {
		t.Error(err)
	}
}

// The error of a server that does not run has its URL, without what may be secret,
// and says what to do.
func TestLoginWithoutServer(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	err := New(gone.URL+"/mcp?key=sesame", nil).Login(t.Context())
	if err == nil || !strings.Contains(err.Error(), "POST "+gone.URL+"/mcp?...: ") || !strings.Contains(err.Error(), "no server listens there") {
		t.Error(err)
	}
}

func TestLogoutAlwaysDeletesTokens(t *testing.T) {
	for _, v := range []struct {
		path   string
		status int
		code   string
		want   string
	}{
		{"/revoke", 503, "", "503"},
		{"/revoke", 400, "invalid_token", "invalid_token"},
		{"/revoke", 400, "unsupported_token_type", ""},
		{serverPath, 404, "", "no authorization server metadata"},
	} {
		e := newEnv(t)
		store := NewMemory()
		tr := e.transport(func(o *Options) { o.Store = store })
		e.mustGet(tr)
		e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == v.path {
				reply(rw, v.status, map[string]string{"error": v.code})
			}
			return r.URL.Path == v.path
		}
		err := tr.Logout(t.Context())
		if (err == nil) != (v.want == "") || err != nil && (!strings.Contains(err.Error(), v.want) || strings.Contains(err.Error(), mark)) {
			t.Errorf("%s %d: %v", v.path, v.status, err)
		}
		if len(store.entriesLocked()) != 1 { // the registration for tokens of other servers
			t.Errorf("%s %d: %d left in the store", v.path, v.status, len(store.entriesLocked()))
		}
	}
}

func TestBearerAndHeader(t *testing.T) {
	e := newEnv(t)
	e.access[mark] = &issued{}
	e.mustGet(Bearer(e.url(), Static(mark), e.base))

	var seen []string
	status := 200
	e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		seen = append(seen, r.Header.Get("X-Api-Key"))
		rw.WriteHeader(status)
		return true
	}
	rt := StaticHeader(e.url(), "x-api-key", Static(mark), e.base)
	if _, err := e.get(rt); err != nil || !slices.Equal(seen, []string{mark}) {
		t.Error(err, seen)
	}
	// A token that was refused is asked for once more.
	status, seen = 401, nil
	n := 0
	rt = StaticHeader(e.url(), "X-Api-Key", func(context.Context) (string, error) { n++; return fmt.Sprint("key", n), nil }, e.base)
	if _, err := e.get(rt); err == nil || !slices.Equal(seen, []string{"key1", "key2"}) {
		t.Error(err, seen)
	}
	seen = nil
	if _, err := e.get(StaticHeader(e.url(), "X-Api-Key", Static("same"), e.base)); err == nil || len(seen) != 1 {
		t.Error(err, seen)
	}
	// Other origins, and what the program says itself.
	seen = nil
	if _, err := e.get(StaticHeader("https://other.example.com", "X-Api-Key", Static(mark), e.base)); err == nil || seen[0] != "" {
		t.Error(err, seen)
	}
	for _, v := range []struct {
		url, name string
		src       Source
	}{
		{"x", "X-Api-Key", Static(mark)}, {e.url(), "X Api Key", Static(mark)}, {e.url(), "X-Api-Key", Static("a\r\nb" + mark)},
		{e.url(), "X-Api-Key", nil}, {e.url(), "X-Api-Key", Static("")},
	} {
		if _, err := e.get(StaticHeader(v.url, v.name, v.src, e.base)); err == nil || strings.Contains(err.Error(), "status") {
			t.Errorf("%+v: %v", v, err)
		}
	}
}

// Nothing that is exported prints a secret, with any verb, at any depth.
func TestNothingPrintsSecrets(t *testing.T) {
	e := newEnv(t)
	e.meta["dpop_signing_alg_values_supported"] = []string{"ES256"}
	e.clients["c"] = map[string]any{"client_secret": mark}
	e.meta["token_endpoint_auth_methods_supported"] = []string{methodPost}
	client := Client{ID: "c", Secret: mark, Key: newKey(t, "ES256")}
	store := NewMemory()
	opts := Options{Base: e.base, Authorizer: &robotUser{e: e}, Store: store, Client: Client{ID: "c", Secret: mark}, DPoP: DPoPAlways}
	tr := New(e.url(), &opts)
	e.mustGet(tr)
	identity := Identity{TokenURL: "https://u:" + mark + "@idp.example.com/token?x=" + mark, Client: client, Source: Static(mark)}
	private := fmt.Sprintf("%d", tr.tok.secret)
	values := map[string]any{
		"client": client, "key": *client.Key, "options": opts, "transport": tr, "memory": store, "identity": identity,
		"assertion": Assertion{Static(mark)}, "bearer": Bearer(e.url(), Static(mark), nil), "source": Static(mark),
		"file": NewFile("x"), "client credentials": ClientCredentials{},
		"http client": tr.Client(), "within": struct {
			C *Client
			O []Options
			T http.RoundTripper
			G Grant
		}{&client, []Options{opts}, tr, identity},
		"error":        &Error{URL: "https://h", Rule: "r", Err: &ServerError{Code: "c"}},
		"query values": url.Values{},
	}
	for name, v := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X"} {
			for _, x := range []any{v, []any{v}, map[string]any{"k": v}} {
				if s := fmt.Sprintf(verb, x); strings.Contains(s, mark) || strings.Contains(s, private) ||
					strings.Contains(s, fmt.Sprintf("%x", mark)) || strings.Contains(s, fmt.Sprintf("%X", mark)) {
					t.Errorf("%s with %s: %s", name, verb, s)
				}
			}
		}
	}
	if s := tr.String(); s != e.url() {
		t.Error(s)
	}
	if s := New("x", nil).String(); s == "" {
		t.Error("nothing")
	}
}

// What a login sends to the server violates no protocol version, and finds out
// describe each demands.
func TestProbe(t *testing.T) {
	for name, v := range map[string]struct {
		versions []string
		web      testserver.HTTPOptions
	}{
		"both eras": {nil, testserver.HTTPOptions{}},
		"legacy":    {[]string{"2025-11-25"}, testserver.HTTPOptions{}},
		"modern":    {[]string{"2026-07-28"}, testserver.HTTPOptions{}},
		"HTTP+SSE":  {[]string{"2024-11-05"}, testserver.HTTPOptions{SSEOnly: true}},
	} {
		t.Run(name, func(t *testing.T) {
			server := testserver.New(&testserver.Options{ProtocolVersions: v.versions})
			web := testserver.NewHandler(server, &v.web)
			defer web.Close()
			locked := false
			s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				if locked && (r.Method == http.MethodGet) == v.web.SSEOnly {
					rw.Header().Set("WWW-Authenticate", `Bearer scope="read"`)
					rw.WriteHeader(401)
					return
				}
				web.ServeHTTP(rw, r)
			}))
			defer s.Close()
			path := "/mcp"
			if v.web.SSEOnly {
				path = "/sse"
			}
			base := &http.Transport{}
			defer base.CloseIdleConnections()
			tr := New(s.URL+path, &Options{Base: base})
			if d, err := tr.probe(t.Context()); err != nil || d != (demand{zone: loopback, zoneKnown: true}) {
				t.Errorf("%+v, %v", d, err)
			}
			if v := server.Violations(); v != nil {
				t.Errorf("the server complains: %q", v)
			}
			if n := web.Sessions(); n != 0 && !v.web.SSEOnly {
				t.Errorf("%d sessions are left", n)
			}
			locked = true
			if d, err := tr.probe(t.Context()); err != nil || d.scope != "read" {
				t.Errorf("%+v, %v", d, err)
			}
		})
	}
}
