package oauth

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestFirstRequest(t *testing.T) {
	w := newWorld(t)
	store := NewMemory()
	tr := w.transport(func(o *Options) { o.Store = store })
	w.mustGet(tr)
	want := []string{resourcePath + "/mcp", serverPath, "/register", "/authorize", "/token"}
	if !slices.Equal(w.paths, want) {
		t.Errorf("asked %q, want %q", w.paths, want)
	}
	for _, form := range w.forms {
		if form.Get("resource") != w.url() {
			t.Errorf("resource %q", form.Get("resource"))
		}
	}
	w.mustGet(tr)
	// Another process with the same store needs nothing.
	w.mustGet(w.transport(func(o *Options) { o.Store, o.Authorizer = store, nil }))
	if len(w.paths) != len(want) {
		t.Errorf("asked again: %q", w.paths[len(want):])
	}
}

func TestNothingToDo(t *testing.T) {
	w := newWorld(t)
	w.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		_, _ = rw.Write([]byte("POST hello"))
		return true
	}
	tr := w.transport(nil)
	w.mustGet(tr)
	if len(w.paths) != 0 {
		t.Errorf("asked %q", w.paths)
	}
}

func TestChallengesThatAreNotMeant(t *testing.T) {
	for _, c := range []string{`Basic realm="x"`, `Negotiate`, `ApiKey realm="x"`} {
		w := newWorld(t)
		w.challenge = func(*http.Request) string { return c }
		if _, err := w.get(w.transport(nil)); err == nil || err.Error() != "status 401" || len(w.paths) != 0 {
			t.Errorf("%s: %v, asked %q", c, err, w.paths)
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
			w := newWorld(t)
			w.prmPath, w.metaPath = v.prmPath, v.metaPath
			issuer := w.as.URL + v.issuerPath
			w.meta["issuer"], w.prm["authorization_servers"] = issuer, []string{issuer}
			w.answer = func(q url.Values) { q["iss"] = []string{issuer} }
			w.challenge = func(*http.Request) string {
				if v.challenge {
					return `Bearer resource_metadata="` + w.rs.URL + v.prmPath + `"`
				}
				return ""
			}
			w.mustGet(w.transport(nil))
			want := append(strings.Fields(v.want), "/register", "/authorize", "/token")
			if !slices.Equal(w.paths, want) {
				t.Errorf("asked %q, want %q", w.paths, want)
			}
		})
	}
}

// Servers of 2025-03-26 are their own authorization servers.
func TestServersOf20250326(t *testing.T) {
	for _, announced := range []bool{true, false} {
		w := newWorld(t)
		w.prm = nil
		w.challenge = func(*http.Request) string { return "" }
		w.answer = func(q url.Values) { delete(q, "iss") }
		if announced {
			w.meta = map[string]any{"issuer": w.rs.URL, "authorization_endpoint": w.rs.URL + "/authorize", "token_endpoint": w.rs.URL + "/token",
				"registration_endpoint": w.rs.URL + "/register", "code_challenge_methods_supported": []string{"S256"}}
		} else {
			w.meta = nil
		}
		version := ""
		w.handle = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == serverPath {
				version = r.Header.Get("MCP-Protocol-Version")
			}
			return false
		}
		w.mustGet(w.transport(nil))
		if version != "2025-03-26" {
			t.Errorf("MCP-Protocol-Version %q", version)
		}
	}
}

func TestServerWithoutAnyAuthorization(t *testing.T) {
	w := newWorld(t)
	w.prm, w.meta = nil, nil
	w.challenge = func(*http.Request) string { return "" }
	w.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/mcp" {
			http.NotFound(rw, r)
		}
		return r.URL.Path != "/mcp"
	}
	w.mustFail(w.transport(nil), w.rs.URL, "neither has metadata nor registers clients")
}

func TestSeveralAuthorizationServers(t *testing.T) {
	w := newWorld(t)
	w.prm["authorization_servers"] = []string{"https://other.example.com", w.as.URL}
	w.mustGet(w.transport(func(o *Options) { o.Issuer = w.as.URL }))
	w = newWorld(t)
	w.prm["authorization_servers"] = []string{"https://other.example.com", w.as.URL}
	w.clients["given"] = map[string]any{}
	w.mustGet(w.transport(func(o *Options) { o.Client = Client{ID: "given", Issuer: w.as.URL} }))
}

func TestOverrides(t *testing.T) {
	// The server lists another name than that which the issuer has.
	w := newWorld(t)
	w.prm["authorization_servers"] = []string{w.as.URL + "/"}
	w.mustFail(w.transport(nil), w.as.URL+"/", "RFC 8414, section 3.3", "Options.Issuer")
	w.mustGet(w.transport(func(o *Options) { o.Issuer = w.as.URL }))
	// It says nothing at all.
	w.challenge = func(*http.Request) string { return "" }
	for _, change := range []func(){func() { w.prm["authorization_servers"] = nil }, func() { w.prm = nil }} {
		change()
		w.mustGet(w.transport(func(o *Options) { o.Issuer = w.as.URL }))
	}

	w = newWorld(t)
	w.prm["resource"] = "https://public.example.com/mcp"
	w.mustFail(w.transport(nil), "https://public.example.com/mcp", "RFC 9728")
	w.mustGet(w.transport(func(o *Options) { o.Resource = "https://public.example.com/mcp" }))
	if got := w.lastForm().Get("resource"); got != "https://public.example.com/mcp" {
		t.Errorf("resource %q", got)
	}
}
