package mcptest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/oauth"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func TestLoginOfAgent(t *testing.T) {
	as := mcptest.NewAuthServer(t, "keycloak")
	web := httptest.NewServer(as.Protect(mcptest.New(t).Handler(nil)))
	t.Cleanup(web.Close)
	auth := oauth.New(web.URL+"/mcp", &oauth.Options{Authorizer: &oauth.Loopback{Open: as.Browser}})
	t.Cleanup(auth.CloseIdleConnections)
	client, err := mcp.Connect(t.Context(), streamhttp.New(web.URL+"/mcp", &streamhttp.Options{Client: auth.Client()}), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
}

// providers are the settings that the guide names for each profile.
var providers = map[string]func(as *mcptest.AuthServer, o *oauth.Options){
	"":              func(*mcptest.AuthServer, *oauth.Options) {},
	"atlassian":     func(*mcptest.AuthServer, *oauth.Options) {},
	"mcpAuthRouter": func(*mcptest.AuthServer, *oauth.Options) {},
	"keycloak":      registered,
	"github":        registered,
	"slack":         registered,
	"okta": func(as *mcptest.AuthServer, o *oauth.Options) {
		registered(as, o)
		o.Scopes = append(o.Scopes, "offline_access")
	},
	"google": func(as *mcptest.AuthServer, o *oauth.Options) {
		registered(as, o)
		o.Parameters = map[string]string{"access_type": "offline", "prompt": "consent"}
	},
	"cognito": func(as *mcptest.AuthServer, o *oauth.Options) {
		registered(as, o)
		o.Issuer, o.AssumePKCE = as.Issuer, true
	},
	"auth0": func(as *mcptest.AuthServer, o *oauth.Options) {
		registered(as, o)
		o.Parameters = map[string]string{"audience": "https://api.example.com"}
		o.Scopes = append(o.Scopes, "offline_access")
	},
	"entra": func(as *mcptest.AuthServer, o *oauth.Options) {
		registered(as, o)
		o.Issuer, o.IssuerInMetadata = as.Issuer, strings.Replace(as.Issuer, "common", "{tenantid}", 1)
		o.RequestResource, o.AssumePKCE = oauth.NoResource, true
		o.Scopes = append(o.Scopes, "api://app/access", "offline_access")
		if l, ok := o.Authorizer.(*oauth.Loopback); ok {
			l.RedirectURI = "http://localhost/callback"
		}
	},
}

func registered(as *mcptest.AuthServer, o *oauth.Options) {
	o.Client = oauth.Client{ID: as.ClientID, Secret: as.ClientSecret, Issuer: as.Issuer}
}

// A logins is a protected server of a profile, with the settings for it.
type logins struct {
	*testing.T
	as      *mcptest.AuthServer
	profile string
	url     string
	store   oauth.Store
	pages   int
}

func newLogins(t *testing.T, profile string) *logins {
	l := &logins{T: t, as: mcptest.NewAuthServer(t, profile), profile: profile, store: oauth.NewFile(filepath.Join(t.TempDir(), "tokens.json"))}
	web := httptest.NewServer(l.as.Protect(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, l.as.Account(r))
	})))
	t.Cleanup(web.Close)
	l.url = web.URL + "/mcp"
	return l
}

// transport returns a new Transport, as another process would.
func (l *logins) transport(change func(o *oauth.Options)) *oauth.Transport {
	o := &oauth.Options{Store: l.store, Authorizer: &oauth.Loopback{Timeout: 10 * time.Second, Open: func(ctx context.Context, page string) error {
		l.pages++
		return l.as.Browser(ctx, page)
	}}}
	providers[l.profile](l.as, o)
	if change != nil {
		change(o)
	}
	tr := oauth.New(l.url, o)
	l.Cleanup(tr.CloseIdleConnections)
	return tr
}

// want sends a request, which must reach the server as an account.
func (l *logins) want(tr *oauth.Transport, account int) {
	l.Helper()
	resp, err := tr.Client().Post(l.url, "text/plain", strings.NewReader("x"))
	if err != nil {
		l.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); err != nil || string(got) != fmt.Sprint(account) {
		l.Fatalf("reached the server as %s (%s), want %d; %v", got, resp.Status, account, err)
	}
}

// login logs in.
func (l *logins) login(tr *oauth.Transport) {
	l.Helper()
	if err := tr.Login(l.Context()); err != nil {
		l.Fatal(err)
	}
}

// device uses a code in place of a browser.
func (l *logins) device(o *oauth.Options) {
	o.Authorizer = &oauth.Device{Show: func(_ context.Context, c *oauth.DeviceCode) error { return l.as.EnterCode(c.Code) }}
	if o.Issuer == "" && o.Client.Issuer == "" {
		o.Issuer = l.as.Issuer
	}
}

// TestProviders logs in at each provider in each way that it has.
func TestProviders(t *testing.T) {
	ways := map[string]func(l *logins){
		"code": func(l *logins) {
			tr := l.transport(nil)
			l.want(tr, 1)
			l.want(tr, 1)
			if l.pages != 1 {
				l.Errorf("%d pages", l.pages)
			}
		},
		"device": func(l *logins) {
			if !strings.Contains(" entra auth0 okta google github keycloak ", " "+l.profile+" ") && l.profile != "" {
				l.Skip("the provider has none")
			}
			tr := l.transport(l.device)
			l.login(tr)
			l.want(tr, 1)
		},
		"client credentials": func(l *logins) {
			if l.as.ClientSecret == "" {
				l.Skip("the provider has none")
			}
			l.want(l.transport(func(o *oauth.Options) {
				registered(l.as, o)
				o.Grant = oauth.ClientCredentials{}
			}), 1)
		},
		"refresh": func(l *logins) {
			tr := l.transport(nil)
			l.want(tr, 1)
			l.as.ExpireTokens()
			account, pages := 1, 1
			if l.profile == "github" || l.profile == "slack" { // which have no refresh tokens
				account, pages = 2, 2
			}
			l.want(tr, account)
			if l.pages != pages {
				l.Errorf("%d pages, want %d", l.pages, pages)
			}
			l.want(tr, account)
			l.as.RevokeTokens()
			l.want(tr, account+1)
		},
		"step-up": func(l *logins) {
			l.as.Scope = func(r *http.Request) string { return r.Header.Get("Needs") }
			tr := l.transport(func(o *oauth.Options) { o.Scopes = append(o.Scopes, "read") })
			l.want(tr, 1)
			req, _ := http.NewRequestWithContext(l.Context(), "POST", l.url, strings.NewReader("x"))
			req.Header.Set("Needs", "write")
			resp, err := tr.RoundTrip(req)
			if err != nil {
				l.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != 200 || l.pages != 2 {
				l.Errorf("%s after %d pages", resp.Status, l.pages)
			}
		},
		"logout": func(l *logins) {
			tr := l.transport(nil)
			l.want(tr, 1)
			if err := tr.Logout(l.Context()); err != nil {
				l.Fatal(err)
			}
			if _, err := l.transport(func(o *oauth.Options) { o.Authorizer = nil }).Client().Post(l.url, "text/plain", strings.NewReader("x")); !errors.Is(err, oauth.ErrLoginRequired) {
				l.Errorf("after the logout: %v", err)
			}
			l.want(tr, 2)
		},
		"restart": func(l *logins) {
			tr := l.transport(nil)
			l.want(tr, 1)
			l.as.Restart()
			account := 1
			if l.profile == "mcpAuthRouter" {
				account = 2 // it has lost the token, too
			}
			l.want(tr, account)
			l.login(l.transport(nil))
			l.want(l.transport(nil), account+1)
		},
		"two accounts": func(l *logins) {
			ann := l.transport(func(o *oauth.Options) { o.Account = "ann" })
			bob := l.transport(func(o *oauth.Options) { o.Account = "bob" })
			l.login(ann)
			l.login(bob)
			l.want(ann, 1)
			l.want(bob, 2)
			if err := ann.Logout(l.Context()); err != nil {
				l.Fatal(err)
			}
			l.want(bob, 2)
		},
		"two processes": func(l *logins) {
			l.want(l.transport(nil), 1)
			l.want(l.transport(func(o *oauth.Options) { o.Authorizer = nil }), 1)
			l.as.ExpireTokens()
			if l.profile == "github" || l.profile == "slack" {
				return
			}
			l.want(l.transport(func(o *oauth.Options) { o.Authorizer = nil }), 1)
			l.want(l.transport(nil), 1)
			if l.as.Requests("refresh_token") != 1 || l.pages != 1 {
				l.Errorf("%d refreshes, %d pages", l.as.Requests("refresh_token"), l.pages)
			}
		},
	}
	for profile := range providers {
		for way, run := range ways {
			t.Run(profile+"/"+way, func(t *testing.T) {
				t.Parallel() // a device waits for a second
				run(newLogins(t, profile))
			})
		}
	}
}

// TestProvidersWithoutSettings checks that the error of a login without the settings of
// the guide names one of them.
func TestProvidersWithoutSettings(t *testing.T) {
	for profile, want := range map[string]string{
		"entra": "Options.Issuer", "cognito": "Options.Issuer", "google": "Options.Client", "github": "Options.Client", "slack": "Options.Client",
		"auth0": "Options.Client", "okta": "Options.Client",
	} {
		l := newLogins(t, profile)
		tr := l.transport(func(o *oauth.Options) { *o = oauth.Options{Authorizer: o.Authorizer} })
		if err := tr.Login(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", profile, err)
		}
	}
	// What Entra ID refuses, with the setting for it.
	l := newLogins(t, "entra")
	err := l.transport(func(o *oauth.Options) { o.RequestResource = "" }).Login(t.Context())
	if err == nil || !strings.Contains(err.Error(), "AADSTS9010010") || !strings.Contains(err.Error(), "Options.RequestResource") {
		t.Error(err)
	}
}

// TestFaultsOfAuthServer checks the faults that a test can inject.
func TestFaultsOfAuthServer(t *testing.T) {
	l := newLogins(t, "")
	fails := func(want string) {
		t.Helper()
		if err := l.transport(func(o *oauth.Options) { o.Store = nil }).Login(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for endpoint, want := range map[string]string{
		"authorize": "access_denied", "token": "access_denied", "register": "access_denied", "metadata": "500", "resource": "500",
	} {
		l.as.Refuse(endpoint, "access_denied", "not today")
		fails(want)
		l.as.Refuse(endpoint, "", "")
	}
	l.as.Metadata = func(m map[string]any) {
		if m["issuer"] != nil {
			m["issuer"] = "https://evil.example"
		}
	}
	fails("another issuer")
	l.as.Metadata = nil
	l.login(l.transport(nil))
	l.as.ForgetClients()
	l.login(l.transport(nil))
	if l.as.Requests("register") < 2 {
		t.Error("not registered again")
	}
	l.as.Lifetime = time.Nanosecond
	short := l.transport(nil)
	l.login(short)
	if resp, err := short.Client().Get(l.url); err == nil {
		_ = resp.Body.Close()
		t.Errorf("a token of a nanosecond is taken: %s", resp.Status)
	}
	l.as.Lifetime = 0
	l.as.Silence("token")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := l.transport(func(o *oauth.Options) { o.Store = nil }).Login(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if err := l.as.EnterCode("none"); err == nil {
		t.Error("a code that no device has is taken")
	}
}
