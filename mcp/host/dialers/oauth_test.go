package dialers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
	"github.com/stdmcp/stdmcp/mcp/oauth"
)

// protected returns the URL of a server that requires a token for the registered
// client "known", and of which the authorization server is a part.
func protected(t *testing.T) string {
	t.Helper()
	to, err := url.Parse(web(t, nil).URL)
	if err != nil {
		t.Fatal(err)
	}
	to.Path = ""
	proxy := httputil.NewSingleHostReverseProxy(to)
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	reply := func(pattern string, values map[string]any) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/token" && (r.FormValue("client_id") != "known" || r.FormValue("code") != "c0de") {
				http.Error(w, `{"error":"invalid_client"}`, http.StatusUnauthorized)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(values)
		})
	}
	reply("/.well-known/oauth-protected-resource/", map[string]any{"resource": s.URL, "authorization_servers": []string{s.URL}})
	reply("/.well-known/oauth-authorization-server", map[string]any{
		"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token",
		"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"none"},
	})
	reply("/token", map[string]any{"access_token": "t0ken", "token_type": "Bearer", "expires_in": 3600})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t0ken" {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+s.URL+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		proxy.ServeHTTP(w, r)
	})
	return s.URL + "/mcp"
}

// A user is an Authorizer who agrees at once.
type user struct{ asked int }

func (u *user) Listen(context.Context, string) (oauth.Receiver, error) { return u, nil }
func (u *user) RedirectURI() string                                    { return "http://127.0.0.1:1/callback" }
func (u *user) Close() error                                           { return nil }

func (u *user) Authorize(_ context.Context, page string) (string, error) {
	u.asked++
	p, err := url.Parse(page)
	return u.RedirectURI() + "?code=c0de&state=" + url.QueryEscape(p.Query().Get("state")), err
}

// A connection in the background asks no user. The program logs the user in with the
// settings of the server, and the host connects with that token.
func TestLoginAtServerOfHost(t *testing.T) {
	store, someone := oauth.NewMemory(), &user{}
	h := newHost(t, &dialers.Options{OAuth: &oauth.Options{Store: store}})
	s := &host.Server{Name: "x", URL: protected(t), Auth: config.Auth{Type: config.AuthOAuth, OAuth: config.OAuth{ClientID: "known"}}}
	var e *host.Error
	if err := h.AddServer(t.Context(), s); !errors.As(err, &e) || e.Category != host.CategoryAuthentication || h.Status()[0].State != host.NeedsAuth {
		t.Fatalf("before the login: %v", err)
	}
	auth, err := dialers.OAuth(&dialers.Options{OAuth: &oauth.Options{Store: store, Authorizer: someone}}, s)
	if err != nil {
		t.Fatal(err)
	}
	defer auth.CloseIdleConnections()
	if err := auth.Login(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.Reconnect(t.Context(), "x"); err != nil || someone.asked != 1 {
		t.Errorf("after the login: %v; the user was asked %d times", err, someone.asked)
	}
	if err := auth.Logout(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.Reconnect(t.Context(), "x"); !errors.As(err, &e) || e.Category != host.CategoryAuthentication || someone.asked != 1 {
		t.Errorf("after the logout: %v; the user was asked %d times", err, someone.asked)
	}
}

// The settings of a server have the redirect URI for an Authorizer that can use it, such as
// an oauth.Loopback.
func TestRedirectURIOfServer(t *testing.T) {
	for want, settings := range map[string]config.OAuth{
		"http://localhost:8123/callback": {CallbackPort: 8123}, // what Claude Code registers
		"http://localhost:1/cb":          {RedirectURI: "http://localhost:1/cb", CallbackPort: 8123},
		"":                               {},
	} {
		var got string
		o := &dialers.Options{OAuth: &oauth.Options{Authorizer: &movable{uri: &got}}}
		if _, err := dialers.OAuth(o, &host.Server{Name: "x", Type: config.HTTP, URL: "https://example.com", Auth: config.Auth{OAuth: settings}}); err != nil || got != want {
			t.Errorf("%+v: %q, %v", settings, got, err)
		}
	}
	if a := (&oauth.Loopback{}).WithRedirectURI("http://localhost:1/cb"); a.(*oauth.Loopback).RedirectURI != "http://localhost:1/cb" {
		t.Errorf("%+v", a)
	}
}

// A movable is an Authorizer that records its redirect URI.
type movable struct {
	user
	uri *string
}

func (m *movable) WithRedirectURI(uri string) oauth.Authorizer {
	*m.uri = uri
	return m
}

func TestLoginNeedsURL(t *testing.T) {
	for _, s := range []*host.Server{nil, program(), {Name: "x", Type: config.ClaudeAIProxy, URL: "://"}} {
		if auth, err := dialers.OAuth(nil, s); err == nil || auth != nil {
			t.Errorf("%v: %v, %v", s, auth, err)
		}
	}
}

func ExampleConfigure() {
	c := config.Parse([]byte(`{"mcpServers": {"files": {"url": "https://example.com/mcp", "oauth": {"clientId": "app", "callbackPort": 8123}}}}`), "mcp.json", "user")
	o := &oauth.Options{Store: oauth.NewFile("tokens.json")}
	uri := dialers.Configure(o, c.Server("files"))
	o.Authorizer = &oauth.Loopback{RedirectURI: uri}
	fmt.Println(o.Client.ID, uri)
	// Output: app http://localhost:8123/callback
}

func ExampleOAuth() {
	tokens := oauth.NewMemory() // or oauth.NewFile
	opts := &dialers.Options{OAuth: &oauth.Options{Store: tokens, ClientName: "My agent"}}
	h := host.New(&host.Options{Dialers: dialers.All(opts)})
	defer h.Shutdown(context.Background())

	// For a server in the state host.NeedsAuth, when the user asks for it:
	login := func(ctx context.Context, s *host.Server) error {
		auth, err := dialers.OAuth(&dialers.Options{OAuth: &oauth.Options{
			Store: tokens, ClientName: "My agent", Authorizer: &oauth.Loopback{},
		}}, s)
		if err != nil {
			return err
		}
		defer auth.CloseIdleConnections()
		if err := auth.Login(ctx); err != nil {
			return err
		}
		return h.Reconnect(ctx, s.Name)
	}
	fmt.Println(login(context.Background(), &host.Server{Name: "files", Command: "no-such-program"}))
	// Output: invalid URL: it does not begin with http:// or https://
}
