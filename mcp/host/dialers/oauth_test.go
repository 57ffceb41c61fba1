package dialers_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/oauth"
)

// A connection in the background asks no user. The program logs the user in with the
// settings of the server, and the host connects with that token.
func TestLoginAtServerOfHost(t *testing.T) {
	server, as := mcptest.New(t), mcptest.NewAuthServer(t, "")
	web := httptest.NewServer(as.Protect(server.Handler(nil)))
	t.Cleanup(web.Close)
	store := oauth.NewMemory()
	h := newHost(t, &dialers.Options{OAuth: &oauth.Options{Store: store}})
	s := &host.Server{Name: "x", URL: web.URL + "/mcp", Auth: config.Auth{Type: config.AuthOAuth, OAuth: config.OAuth{ClientID: as.ClientID, ClientSecret: as.ClientSecret}}}
	var e *host.Error
	if err := h.AddServer(t.Context(), s); !errors.As(err, &e) || e.Category != host.CategoryAuthentication || h.Status()[0].State != host.NeedsAuth {
		t.Fatalf("before the login: %v", err)
	}
	auth, err := dialers.OAuth(&dialers.Options{OAuth: &oauth.Options{Store: store, Authorizer: &oauth.Loopback{Open: as.Browser}}}, s)
	if err != nil {
		t.Fatal(err)
	}
	defer auth.CloseIdleConnections()
	if err := auth.Login(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.Reconnect(t.Context(), "x"); err != nil || as.Requests("authorize") != 1 {
		t.Errorf("after the login: %v; the user was asked %d times", err, as.Requests("authorize"))
	}
	if err := auth.Logout(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.Reconnect(t.Context(), "x"); !errors.As(err, &e) || e.Category != host.CategoryAuthentication || as.Requests("authorize") != 1 {
		t.Errorf("after the logout: %v; the user was asked %d times", err, as.Requests("authorize"))
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
	oauth.Authorizer
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
