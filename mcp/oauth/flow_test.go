package oauth

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestFirstRequest(t *testing.T) {
	e := newEnv(t)
	store := NewMemory()
	tr := e.transport(func(o *Options) { o.Store = store })
	e.mustGet(tr)
	want := []string{resourcePath + "/mcp", serverPath, "/register", "/authorize", "/token"}
	if !slices.Equal(e.paths, want) {
		t.Errorf("asked %q, want %q", e.paths, want)
	}
	for _, form := range e.forms {
		if form.Get("resource") != e.url() {
			t.Errorf("resource %q", form.Get("resource"))
		}
	}
	e.mustGet(tr)
	// Another process with the same store needs nothing.
	e.mustGet(e.transport(func(o *Options) { o.Store, o.Authorizer = store, nil }))
	if len(e.paths) != len(want) {
		t.Errorf("asked again: %q", e.paths[len(want):])
	}
}

func TestServerWithoutChallenge(t *testing.T) {
	e := newEnv(t)
	e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		_, _ = rw.Write([]byte("POST hello"))
		return true
	}
	tr := e.transport(nil)
	e.mustGet(tr)
	if len(e.paths) != 0 {
		t.Errorf("asked %q", e.paths)
	}
}

func TestUnrelatedChallenges(t *testing.T) {
	for _, c := range []string{`Basic realm="x"`, `Negotiate`, `ApiKey realm="x"`} {
		e := newEnv(t)
		e.challenge = func(*http.Request) string { return c }
		if _, err := e.get(e.transport(nil)); err == nil || err.Error() != "status 401" || len(e.paths) != 0 {
			t.Errorf("%s: %v, asked %q", c, err, e.paths)
		}
	}
}

func TestDiscovery(t *testing.T) {
	for _, v := range []struct {
		name              string
		prmPath, metaPath string
		issuerPath        string
		challenge         bool
		want              string // the paths that are asked for
	}{
		{"challenge", "/custom.json", "", "", true, "/custom.json " + serverPath},
		{"path", "", "", "", false, resourcePath + "/mcp " + serverPath},
		{"root", resourcePath, "", "", false, resourcePath + "/mcp " + resourcePath + " " + serverPath},
		{"openid", "", openIDPath, "", false, resourcePath + "/mcp " + serverPath + " " + openIDPath},
		{"tenant", "", serverPath + "/t", "/t", false, resourcePath + "/mcp " + serverPath + "/t"},
		{"tenant openid", "", openIDPath + "/t", "/t", false, resourcePath + "/mcp " + serverPath + "/t " + openIDPath + "/t"},
		{"tenant openid after", "", "/t" + openIDPath, "/t", false,
			resourcePath + "/mcp " + serverPath + "/t " + openIDPath + "/t /t" + openIDPath},
		{"escaped tenant", "", serverPath + "/a%2Fb", "/a%2Fb", false, resourcePath + "/mcp " + serverPath + "/a%2Fb"},
	} {
		t.Run(v.name, func(t *testing.T) {
			e := newEnv(t)
			e.prmPath, e.metaPath = v.prmPath, v.metaPath
			issuer := e.as.URL + v.issuerPath
			e.meta["issuer"], e.prm["authorization_servers"] = issuer, []string{issuer}
			e.response = func(q url.Values) { q["iss"] = []string{issuer} }
			e.challenge = func(*http.Request) string {
				if v.challenge {
					return `Bearer resource_metadata="` + e.rs.URL + v.prmPath + `"`
				}
				return ""
			}
			e.mustGet(e.transport(nil))
			want := append(strings.Fields(v.want), "/register", "/authorize", "/token")
			if !slices.Equal(e.paths, want) {
				t.Errorf("asked %q, want %q", e.paths, want)
			}
		})
	}
}

// Servers of 2025-03-26 are their own authorization servers.
func TestServer20250326(t *testing.T) {
	for _, announced := range []bool{true, false} {
		e := newEnv(t)
		e.prm = nil
		e.challenge = func(*http.Request) string { return "" }
		e.response = func(q url.Values) { delete(q, "iss") }
		if announced {
			e.meta = map[string]any{"issuer": e.rs.URL, "authorization_endpoint": e.rs.URL + "/authorize", "token_endpoint": e.rs.URL + "/token",
				"registration_endpoint": e.rs.URL + "/register", "code_challenge_methods_supported": []string{"S256"}}
		} else {
			e.meta = nil
		}
		version := ""
		e.handle = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == serverPath {
				version = r.Header.Get("MCP-Protocol-Version")
			}
			return false
		}
		e.mustGet(e.transport(nil))
		if version != "2025-03-26" {
			t.Errorf("MCP-Protocol-Version %q", version)
		}
	}
}

func TestServerWithoutAnyAuthorization(t *testing.T) {
	e := newEnv(t)
	e.prm, e.meta = nil, nil
	e.challenge = func(*http.Request) string { return "" }
	e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/mcp" {
			http.NotFound(rw, r)
		}
		return r.URL.Path != "/mcp"
	}
	e.mustFail(e.transport(nil), e.rs.URL, "has neither metadata nor client registration")
}

func TestSeveralAuthorizationServers(t *testing.T) {
	e := newEnv(t)
	e.prm["authorization_servers"] = []string{"https://other.example.com", e.as.URL}
	e.mustGet(e.transport(func(o *Options) { o.Issuer = e.as.URL }))
	e = newEnv(t)
	e.prm["authorization_servers"] = []string{"https://other.example.com", e.as.URL}
	e.clients["given"] = map[string]any{}
	e.mustGet(e.transport(func(o *Options) { o.Client = Client{ID: "given", Issuer: e.as.URL} }))
}

func TestIssuerAndResourceOptions(t *testing.T) {
	// The server lists another name than that which the issuer has. Names that differ by
	// the last slash have one document.
	e := newEnv(t)
	e.prm["authorization_servers"] = []string{e.as.URL + "/"}
	odd := 0
	e.mustGet(e.transport(func(o *Options) { o.Trace = &Trace{Odd: func(string, *Error) { odd++ }} }))
	if odd != 1 {
		t.Errorf("reported %d times", odd)
	}
	other := strings.Replace(e.as.URL, "127.0.0.1", "localhost", 1)
	e.prm["authorization_servers"] = []string{other}
	e.mustFail(e.transport(nil), other, "RFC 8414, section 3.3", "Options.Issuer")
	e.mustGet(e.transport(func(o *Options) { o.Issuer = e.as.URL }))
	// It says nothing at all.
	e.challenge = func(*http.Request) string { return "" }
	for _, change := range []func(){func() { e.prm["authorization_servers"] = nil }, func() { e.prm = nil }} {
		change()
		e.mustGet(e.transport(func(o *Options) { o.Issuer = e.as.URL }))
	}

	e = newEnv(t)
	e.prm["resource"] = "https://public.example.com/mcp"
	e.mustFail(e.transport(nil), "https://public.example.com/mcp", "RFC 9728")
	e.mustGet(e.transport(func(o *Options) { o.Resource = "https://public.example.com/mcp" }))
	if got := e.lastForm().Get("resource"); got != "https://public.example.com/mcp" {
		t.Errorf("resource %q", got)
	}
}
