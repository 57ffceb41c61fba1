package oauth

import (
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
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestOIDCProvider authorizes at oidc-provider, from the npm registry, which
// testdata/oidc-provider.mjs runs and STDMCP_OIDC has the URL of.
func TestOIDCProvider(t *testing.T) {
	issuer := os.Getenv("STDMCP_OIDC")
	if issuer == "" {
		t.Skip("STDMCP_OIDC does not say where an authorization server is")
	}
	for _, v := range []struct {
		challenge string
		bound     bool
	}{{"Bearer", false}, {`DPoP algs="ES256"`, true}} {
		t.Run(v.challenge, func(t *testing.T) {
			r := newProtectedServer(t, issuer, v.challenge)
			store := NewMemory()
			person := &Loopback{Open: func(ctx context.Context, page string) error { return agreeByForms(ctx, page) }}
			tr := New(r.url, &Options{Authorizer: person, Store: store, Base: r.base})
			call := func() error {
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
			r.needs = "read"
			for range 2 {
				if err := call(); err != nil {
					t.Fatal(err)
				}
			}
			first := tr.tok
			if (first.key != nil) != v.bound || first.refresh == "" {
				t.Fatalf("bound: %v, refresh token: %v", first.key != nil, first.refresh != "")
			}
			// The server refuses the token: it is refreshed, and the refresh
			// token is another one.
			r.refused[first.access] = true
			if err := call(); err != nil {
				t.Fatal(err)
			}
			second := tr.tok
			if second.access == first.access || second.refresh == first.refresh || !second.refreshed {
				t.Error("not refreshed, or not rotated")
			}
			// More scopes.
			r.needs = "write"
			if err := call(); err != nil {
				t.Fatal(err)
			}
			if !containsAll([]string{"read", "write"}, tr.tok.granted) {
				t.Errorf("granted %q", tr.tok.granted)
			}
			// In another process, and then never again.
			tr = New(r.url, &Options{Store: store, Base: r.base})
			if err := call(); err != nil {
				t.Fatal(err)
			}
			last := tr.tok.access
			if err := tr.Logout(t.Context()); err != nil {
				t.Fatal(err)
			}
			if active := r.introspect(last)["active"]; active != false {
				t.Errorf("after revocation, active: %v", active)
			}
			if err := call(); !errors.Is(err, ErrLoginRequired) {
				t.Errorf("after logout: %v", err)
			}
		})
	}
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

func newProtectedServer(t *testing.T, issuer, challenge string) *protectedServer {
	r := &protectedServer{t: t, issuer: issuer, refused: map[string]bool{}, jtis: map[string]bool{}, base: &http.Transport{}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == resourcePath+"/mcp" {
			reply(w, 200, map[string]any{"resource": r.url, "authorization_servers": []string{issuer}})
			return
		}
		scheme, access, _ := strings.Cut(req.Header.Get("Authorization"), " ")
		info := r.introspect(access)
		fields := strings.Fields(fmt.Sprint(info["scope"]))
		switch {
		case info["active"] != true || r.refused[access] || info["aud"] != r.url || !r.proven(req, scheme, access, info["cnf"]):
			w.Header().Set("WWW-Authenticate", challenge+", "+`Bearer scope="read"`)
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
	return r
}

// introspect returns what the authorization server says of a token (RFC 7662).
func (r *protectedServer) introspect(access string) map[string]any {
	form := url.Values{"token": {access}}
	req, err := http.NewRequest("POST", r.issuer+"/token/introspection", strings.NewReader(form.Encode()))
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
	kind := regexp.MustCompile(`name="prompt" value="([a-z]+)"`)
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
		to, what := action.FindSubmatch(text), kind.FindSubmatch(text)
		if to == nil || what == nil {
			return nil // the last page
		}
		u, err := resp.Request.URL.Parse(string(to[1]))
		if err != nil {
			return err
		}
		page, form = u.String(), url.Values{"prompt": {string(what[1])}, "login": {"someone"}, "password": {"something"}}
	}
	return errors.New("too many pages")
}
