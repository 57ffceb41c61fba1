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
	w := newWorld(t)
	w.prmPath = "/custom.json" // only the challenge says so
	w.challenge = func(*http.Request) string {
		return `Bearer resource_metadata="` + w.rs.URL + `/custom.json", scope="read"`
	}
	who := &robot{w: w}
	store := NewMemory()
	tr := w.transport(func(o *Options) { o.Authorizer, o.Store = who, store })
	for range 2 { // a token that there is does not matter
		if err := tr.Login(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if who.times != 2 || w.forms[0].Get("scope") != "read" {
		t.Errorf("asked %d times, for %q", who.times, w.forms[0].Get("scope"))
	}
	other := w.transport(func(o *Options) { o.Authorizer, o.Store = nil, store })
	w.mustGet(other)

	if err := tr.Logout(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(w.revoked) != 2 || !strings.HasPrefix(w.revoked[0], "refresh-") || !strings.HasPrefix(w.revoked[1], "access-") {
		t.Errorf("revoked %d", len(w.revoked))
	}
	for key := range store.data {
		if key.Resource != "" || key.Issuer != w.as.URL {
			t.Errorf("left in the store: %+v", key)
		}
	}
	err := w.mustFail(w.transport(func(o *Options) { o.Authorizer, o.Store = nil, store }))
	if !errors.Is(err, ErrLoginRequired) {
		t.Error(err)
	}
	if err := tr.Logout(t.Context()); err != nil {
		t.Error(err) // there is nothing to do
	}
	w.mustGet(tr)
	if w.count("/register") != 1 {
		t.Error("registered again")
	}
}

// A person who said no can say yes when the program asks explicitly.
func TestLoginAfterNo(t *testing.T) {
	w := newWorld(t)
	no := errors.New("no")
	who := &robot{w: w, stop: func(context.Context) error { return no }}
	tr := w.transport(func(o *Options) { o.Authorizer = who })
	for range 3 {
		if err := w.mustFail(tr); !errors.Is(err, no) {
			t.Error(err)
		}
	}
	if who.times != 1 {
		t.Errorf("asked %d times", who.times)
	}
	who.stop = nil
	if err := tr.Login(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.mustGet(tr)
}

// A server that wants no authorization now has nobody to ask.
func TestLoginWhereThereIsNone(t *testing.T) {
	w := newWorld(t)
	w.prm, w.meta = nil, nil
	w.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/mcp" {
			http.NotFound(rw, r)
		}
		return true
	}
	if err := w.transport(nil).Login(t.Context()); err == nil || !strings.Contains(err.Error(), "neither has metadata") {
		t.Error(err)
	}
}

func TestLogoutForgetsInAnyCase(t *testing.T) {
	for _, v := range []struct {
		path   string
		status int
		code   string
		want   string
	}{
		{"/revoke", 503, "", "503"},
		{"/revoke", 400, "invalid_token", "invalid_token"},
		{"/revoke", 400, "unsupported_token_type", ""},
		{serverPath, 404, "", "no metadata"},
	} {
		w := newWorld(t)
		store := NewMemory()
		tr := w.transport(func(o *Options) { o.Store = store })
		w.mustGet(tr)
		w.handle = func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == v.path {
				reply(rw, v.status, map[string]string{"error": v.code})
			}
			return r.URL.Path == v.path
		}
		err := tr.Logout(t.Context())
		if (err == nil) != (v.want == "") || err != nil && (!strings.Contains(err.Error(), v.want) || strings.Contains(err.Error(), mark)) {
			t.Errorf("%s %d: %v", v.path, v.status, err)
		}
		if len(store.data) != 2 {
			t.Errorf("%s %d: %d left in the store", v.path, v.status, len(store.data))
		}
	}
}

func TestPlain(t *testing.T) {
	w := newWorld(t)
	w.access[mark] = &issued{}
	w.mustGet(Bearer(w.url(), Static(mark), w.base))

	var seen []string
	answer := 200
	w.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		seen = append(seen, r.Header.Get("X-Api-Key"))
		rw.WriteHeader(answer)
		return true
	}
	rt := Header(w.url(), "x-api-key", Static(mark), w.base)
	if _, err := w.get(rt); err != nil || !slices.Equal(seen, []string{mark}) {
		t.Error(err, seen)
	}
	// A token that was refused is asked for once more.
	answer, seen = 401, nil
	n := 0
	rt = Header(w.url(), "X-Api-Key", func(context.Context) (string, error) { n++; return fmt.Sprint("key", n), nil }, w.base)
	if _, err := w.get(rt); err == nil || !slices.Equal(seen, []string{"key1", "key2"}) {
		t.Error(err, seen)
	}
	seen = nil
	if _, err := w.get(Header(w.url(), "X-Api-Key", Static("same"), w.base)); err == nil || len(seen) != 1 {
		t.Error(err, seen)
	}
	// Other origins, and what the program says itself.
	seen = nil
	if _, err := w.get(Header("https://other.example.com", "X-Api-Key", Static(mark), w.base)); err == nil || seen[0] != "" {
		t.Error(err, seen)
	}
	for _, v := range []struct {
		url, name string
		src       Source
	}{
		{"x", "X-Api-Key", Static(mark)}, {w.url(), "X Api Key", Static(mark)}, {w.url(), "X-Api-Key", Static("a\r\nb" + mark)},
		{w.url(), "X-Api-Key", nil}, {w.url(), "X-Api-Key", Static("")},
	} {
		if _, err := w.get(Header(v.url, v.name, v.src, w.base)); err == nil || strings.Contains(err.Error(), "status") {
			t.Errorf("%+v: %v", v, err)
		}
	}
}

// Nothing that is exported prints a secret, with any verb, at any depth.
func TestNothingPrintsSecrets(t *testing.T) {
	w := newWorld(t)
	w.meta["dpop_signing_alg_values_supported"] = []string{"ES256"}
	w.clients["c"] = map[string]any{"client_secret": mark}
	w.meta["token_endpoint_auth_methods_supported"] = []string{methodPost}
	client := Client{ID: "c", Secret: mark, Key: newKey(t, "ES256")}
	store := NewMemory()
	opts := Options{Base: w.base, Authorizer: &robot{w: w}, Store: store, Client: Client{ID: "c", Secret: mark}, DPoP: DPoPAlways}
	tr := New(w.url(), &opts)
	w.mustGet(tr)
	identity := Identity{TokenURL: "https://u:" + mark + "@idp.example.com/token?x=" + mark, Client: client, Source: Static(mark)}
	private := fmt.Sprintf("%d", tr.tok.der)
	values := map[string]any{
		"client": client, "key": *client.Key, "options": opts, "transport": tr, "memory": store, "identity": identity,
		"assertion": Assertion{Static(mark)}, "bearer": Bearer(w.url(), Static(mark), nil), "source": Static(mark),
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
	if s := tr.String(); s != w.url() {
		t.Error(s)
	}
	if s := New("x", nil).String(); s == "" {
		t.Error("nothing")
	}
}

// What a login asks the server breaks no rule of any revision, and finds out
// what each demands.
func TestProbe(t *testing.T) {
	for name, v := range map[string]struct {
		revisions []string
		web       testserver.HTTPOptions
	}{
		"both eras": {nil, testserver.HTTPOptions{}},
		"legacy":    {[]string{"2025-11-25"}, testserver.HTTPOptions{}},
		"modern":    {[]string{"2026-07-28"}, testserver.HTTPOptions{}},
		"HTTP+SSE":  {[]string{"2024-11-05"}, testserver.HTTPOptions{SSEOnly: true}},
	} {
		t.Run(name, func(t *testing.T) {
			server := testserver.New(&testserver.Options{ProtocolVersions: v.revisions})
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
			if d, err := tr.probe(t.Context()); err != nil || d != (demand{}) {
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
