package oauth

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestLoginForgetsScopesOfAnotherServer: scopes of a token that another
// authorization server issued, or for another resource, are not requested again.
func TestLoginForgetsScopesOfAnotherServer(t *testing.T) {
	for name, move := range map[string]func(e, other *env){
		"authorization server": func(e, other *env) { e.prm["authorization_servers"] = []string{other.as.URL} },
		"resource":             func(e, other *env) { e.prm["resource"] = e.rs.URL },
	} {
		e, other := newEnv(t), newEnv(t)
		scope := "read"
		e.challenge = func(*http.Request) string {
			return `Bearer resource_metadata="` + e.rs.URL + resourcePath + `/mcp", scope="` + scope + `"`
		}
		tr := e.transport(nil)
		if err := tr.Login(t.Context()); err != nil {
			t.Fatal(err)
		}
		move(e, other)
		scope = "write"
		if err := tr.Login(t.Context()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		form := e.lastForm()
		if name == "authorization server" {
			form = other.lastForm()
		}
		for _, key := range []string{"scope"} {
			if got := form.Get(key); strings.Contains(got, "read") {
				t.Errorf("%s: the request has the %s %q", name, key, got)
			}
		}
		for _, f := range append(e.forms[2:], other.forms...) {
			if strings.Contains(f.Get("scope"), "read") {
				t.Errorf("%s: requested %q", name, f.Get("scope"))
			}
		}
	}
}

// TestLogoutSendsTokensToTheirIssuer checks that no token goes to an authorization
// server that the MCP server has named since, and that no empty one is sent.
func TestLogoutSendsTokensToTheirIssuer(t *testing.T) {
	e, other := newEnv(t), newEnv(t)
	e.meta["client_id_metadata_document_supported"], other.meta["client_id_metadata_document_supported"] = true, true
	tr := e.transport(func(o *Options) { o.ClientURL = "https://client.example/id" })
	e.mustGet(tr)
	e.prm["authorization_servers"] = []string{other.as.URL}
	_ = tr.Logout(t.Context())
	if n := other.count("/revoke"); n != 0 || len(other.revoked) != 0 {
		t.Errorf("the other server received %d tokens", n)
	}

	e = newEnv(t)
	e.tokenAnswer = func(_ url.Values, m map[string]any) { delete(m, "refresh_token") }
	tr = e.transport(nil)
	e.mustGet(tr)
	if err := tr.Logout(t.Context()); err != nil || len(e.revoked) != 1 || e.revoked[0] == "" {
		t.Errorf("revoked %q, %v", e.revoked, err)
	}
}

// TestRefreshTokenStaysWithItsIssuer: a server that moves to another authorization
// server, or becomes another resource, gets a new authorization.
func TestRefreshTokenStaysWithItsIssuer(t *testing.T) {
	for name, move := range map[string]func(e, other *env){
		"authorization server": func(e, other *env) { e.prm["authorization_servers"] = []string{other.as.URL} },
		"resource":             func(e, other *env) { e.prm["resource"] = e.rs.URL },
	} {
		e, other := newEnv(t), newEnv(t)
		e.meta["client_id_metadata_document_supported"], other.meta["client_id_metadata_document_supported"] = true, true
		tr := e.transport(func(o *Options) { o.ClientURL = "https://client.example/id" }) // the same client everywhere
		e.mustGet(tr)
		e.forgetAccess()
		move(e, other)
		_, _ = e.get(tr) // the token of the other server is not valid here
		if n := e.count("refresh_token") + other.count("refresh_token"); n != 0 {
			t.Errorf("%s: the refresh token was sent %d times", name, n)
		}
		if n := e.count("authorization_code") + other.count("authorization_code"); n != 2 {
			t.Errorf("%s: %d authorizations", name, n)
		}
	}
}

func TestZoneOfAnswer(t *testing.T) {
	const proxy = "10.0.0.1:8080"
	for _, tt := range []struct {
		url   string
		asked string // instead of the host of the URL
		used  string
		want  zone
	}{
		{"https://example.com/mcp", "", "10.0.0.1", private},
		{"https://example.com/mcp", "", "127.0.0.1", loopback},
		{"https://example.com/mcp", proxy, "127.0.0.1", public},
		{"https://8.8.8.8/mcp", proxy, "127.0.0.1", public},
		{"https://192.168.0.1/mcp", proxy, "127.0.0.1", private},
		{"https://localhost/mcp", proxy, "10.0.0.1", loopback},
	} {
		var d demand
		var used usedAddress
		addr := netip.MustParseAddr(tt.used)
		used.addr.Store(&addr)
		tr := New(tt.url, nil)
		asked := cmp.Or(tt.asked, strings.ToUpper(tr.url.Hostname())+":443")
		used.asked.Store(&asked)
		tr.from(&d, &used)
		if d.zone != tt.want || !d.zoneKnown {
			t.Errorf("%s at %s: %v, want %v", tt.url, tt.used, d.zone, tt.want)
		}
	}
}

// TestTraceOfProgram: the address of a connection is recorded, and a program's own trace is called.
func TestTraceOfProgram(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	var called []string
	own := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		GetConn:      func(string) { called = append(called, "GetConn") },
		GotConn:      func(httptrace.GotConnInfo) { called = append(called, "GotConn") },
		WroteHeaders: func() { called = append(called, "WroteHeaders") },
	})
	for _, ctx := range []context.Context{t.Context(), own} {
		var used usedAddress
		req, err := http.NewRequestWithContext(used.traced(ctx), "GET", server.URL, nil)
		testutil.Must(t, err)
		resp, err := server.Client().Do(req)
		testutil.Must(t, err)
		resp.Body.Close()
		addr, asked := used.addr.Load(), used.asked.Load()
		if addr == nil || zoneOf(*addr) != loopback || asked == nil || "http://"+*asked != server.URL {
			t.Errorf("%v %v", addr, asked)
		}
	}
	if want := []string{"GetConn", "GotConn", "WroteHeaders"}; !slices.Equal(called, want) {
		t.Errorf("%q", called)
	}
}
