package faulttest

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/oauth"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// protected starts an MCP server and an authorization server, which has a token
// for every grant. Without registration, AskClient is called.
func protected(t *testing.T, registers bool) *httptest.Server {
	t.Helper()
	server := testserver.New(nil)
	engine := testserver.NewHandler(server, nil)
	s := httptest.NewUnstartedServer(nil)
	base := "http://" + s.Listener.Addr().String()
	document := func(v map[string]any) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(v)
		}
	}
	metadata := map[string]any{"issuer": base, "authorization_endpoint": base + "/authorize", "token_endpoint": base + "/token",
		"code_challenge_methods_supported": []string{"S256"}}
	metadata["device_authorization_endpoint"] = base + "/device"
	if registers {
		metadata["registration_endpoint"] = base + "/register"
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", document(map[string]any{"resource": base + "/mcp", "authorization_servers": []string{base}}))
	mux.HandleFunc("/.well-known/oauth-authorization-server", document(metadata))
	mux.HandleFunc("/register", document(map[string]any{"client_id": "the program"}))
	mux.HandleFunc("/device", document(map[string]any{"device_code": "d", "user_code": "u", "verification_uri": base + "/enter", "expires_in": 60, "interval": 1}))
	mux.HandleFunc("/token", document(map[string]any{"access_token": "valid", "token_type": "Bearer"}))
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		http.Redirect(w, r, q.Get("redirect_uri")+"?code=123&state="+q.Get("state"), http.StatusFound)
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer valid" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		r.Header.Del("Authorization")
		engine.ServeHTTP(w, r)
	})
	s.Config.Handler = mux
	s.Start()
	t.Cleanup(func() { engine.Close(); s.Close() })
	return s
}

// authorizing has getting a token panic: connecting fails, or the panic passes to
// the caller; without the panic, the same options work afterwards.
func authorizing(set func(o *oauth.Options, panics *bool)) panicCase {
	return func(t *testing.T, p *panicLog) {
		panics := true
		o := &oauth.Options{Authorizer: browser(nil, &panics), AskClient: func(context.Context, string) (oauth.Client, error) { return oauth.Client{ID: "x"}, nil }}
		set(o, &panics)
		s := protected(t, o.AskClient == nil)
		o.Issuer = s.URL
		a := oauth.New(s.URL+"/mcp", o)
		defer a.CloseIdleConnections()
		connect := func() (*mcp.Client, error) {
			return mcp.Connect(t.Context(), streamhttp.New(s.URL+"/mcp", &streamhttp.Options{Client: a.Client()}), &mcp.Options{Trace: p.trace()})
		}
		outcome(t, "connecting", p, func() error {
			c, err := connect()
			if err == nil { // an earlier request has failed
				err = c.Close()
			}
			return err
		})
		panics = false
		c, err := connect()
		testutil.Must(t, err)
		p.alive(c)
		testutil.Check(t, c.Close())
	}
}

// A tokens is a TokenAuthorizer that panics.
type tokens struct {
	oauth.Authorizer
	panics *bool
}

func (a tokens) Token(context.Context, string, string, []string) (string, time.Time, error) {
	if *a.panics {
		panicNow()
	}
	return "", time.Time{}, nil
}

// A browser is an Authorizer and a Receiver whose methods panic.
func browser(in func(method string), panics *bool) oauth.Authorizer {
	return &authorizer{Authorizer: &oauth.Loopback{Open: func(ctx context.Context, page string) error {
		resp, err := http.Get(page)
		if err == nil {
			_ = resp.Body.Close()
			http.DefaultClient.CloseIdleConnections()
		}
		return err
	}}, in: in, panics: panics}
}

type authorizer struct {
	oauth.Authorizer
	oauth.Receiver
	in     func(string)
	panics *bool
}

func (a *authorizer) call(method string) {
	if a.in != nil && *a.panics {
		a.in(method)
	}
}

func (a *authorizer) Listen(ctx context.Context, last string) (oauth.Receiver, error) {
	a.call("Listen")
	r, err := a.Authorizer.Listen(ctx, last)
	return &authorizer{Receiver: r, in: a.in, panics: a.panics}, err
}

func (a *authorizer) RedirectURI() string { a.call("RedirectURI"); return a.Receiver.RedirectURI() }

func (a *authorizer) Authorize(ctx context.Context, page string) (string, error) {
	a.call("Authorize")
	return a.Receiver.Authorize(ctx, page)
}

func (a *authorizer) Close() error { err := a.Receiver.Close(); a.call("Close"); return err }

// A panickingStore panics in one of its methods.
type panickingStore struct {
	oauth.Store
	method string
	panics *bool
}

func (s panickingStore) in(method string) {
	if *s.panics {
		panicIn(s.method, method)
	}
}

func (s panickingStore) Load(ctx context.Context, key oauth.StoreKey) ([]byte, error) {
	s.in("Load")
	return s.Store.Load(ctx, key)
}

func (s panickingStore) Save(ctx context.Context, key oauth.StoreKey, data []byte) error {
	s.in("Save")
	return s.Store.Save(ctx, key, data)
}

func (s panickingStore) Lock(ctx context.Context, key oauth.StoreKey) (func(), error) {
	s.in("Lock")
	unlock, err := s.Store.Lock(ctx, key)
	return func() { unlock(); s.in("unlock") }, err
}

// source panics, and then returns a token.
func source(panics *bool) oauth.Source {
	return func(context.Context) (string, error) {
		if *panics {
			panic(oh())
		}
		return "valid", nil
	}
}

type panickingSigner struct {
	crypto.Signer
	panics *bool
}

func (s panickingSigner) Sign(r io.Reader, digest []byte, o crypto.SignerOpts) ([]byte, error) {
	if *s.panics {
		panic(oh())
	}
	return s.Signer.Sign(r, digest, o)
}

type panickingReader struct{}

func (panickingReader) Read([]byte) (int, error) { panic(oh()) }

var oauthPanics = map[string]panicCase{
	"oauth.Authorizer oauth.Options.Authorizer oauth.Receiver": func(t *testing.T, p *panicLog) {
		for _, method := range []string{"Listen", "RedirectURI", "Authorize", "Close"} {
			authorizing(func(o *oauth.Options, panics *bool) {
				o.Authorizer = browser(func(now string) { panicIn(method, now) }, panics)
			})(t, p)
		}
	},
	"oauth.TokenAuthorizer": authorizing(func(o *oauth.Options, panics *bool) { o.Authorizer = tokens{o.Authorizer, panics} }),
	"oauth.Loopback.Open": authorizing(func(o *oauth.Options, panics *bool) {
		loopback := browser(nil, panics).(*authorizer).Authorizer.(*oauth.Loopback)
		open := loopback.Open
		loopback.Open = func(ctx context.Context, page string) error {
			if *panics {
				panic(oh())
			}
			return open(ctx, page)
		}
		o.Authorizer = loopback
	}),
	"oauth.Device.Show oauth.Loopback.Device": authorizing(func(o *oauth.Options, panics *bool) {
		loopback := browser(nil, panics).(*authorizer).Authorizer.(*oauth.Loopback)
		loopback.Open = func(context.Context, string) error { return io.EOF }
		loopback.Device = &oauth.Device{Show: func(context.Context, *oauth.DeviceCode) error {
			if *panics {
				panic(oh())
			}
			return nil
		}}
		o.Authorizer = loopback
	}),
	"oauth.Device.Out": func(t *testing.T, p *panicLog) {
		s := protected(t, true)
		o := oauth.New(s.URL+"/mcp", &oauth.Options{Authorizer: &oauth.Device{Out: panickingWriter{}}})
		outcome(t, "Device", p, func() error { return o.Login(t.Context()) })
		o.CloseIdleConnections()
	},
	"oauth.Loopback.Page": authorizing(func(o *oauth.Options, panics *bool) {
		loopback := browser(nil, panics).(*authorizer).Authorizer.(*oauth.Loopback)
		loopback.Page = func(*oauth.ServerError) string {
			if *panics {
				panic(oh())
			}
			return "<p>Done"
		}
		o.Authorizer = loopback
	}),
	"oauth.Store oauth.Options.Store": func(t *testing.T, p *panicLog) {
		for _, method := range []string{"Load", "Save", "Lock", "unlock"} {
			authorizing(func(o *oauth.Options, panics *bool) { o.Store = panickingStore{oauth.NewMemory(), method, panics} })(t, p)
		}
	},
	"oauth.File.Report": func(t *testing.T, p *panicLog) {
		path := filepath.Join(t.TempDir(), "tokens")
		testutil.Must(t, os.WriteFile(path, []byte("{"), 0o600))
		authorizing(func(o *oauth.Options, _ *bool) {
			store := oauth.NewFile(path)
			store.Report = func(error) { panic(oh()) } // once
			o.Store = store
		})(t, p)
	},
	"oauth.Options.AskClient": authorizing(func(o *oauth.Options, panics *bool) {
		o.AskClient = func(context.Context, string) (oauth.Client, error) {
			if *panics {
				panic(oh())
			}
			return oauth.Client{ID: "x"}, nil
		}
	}),
	"oauth.Options.Base": authorizing(func(o *oauth.Options, panics *bool) {
		o.Base = panickingTripper{http.DefaultTransport, "RoundTrip", func(*http.Request) bool { return *panics }}
	}),
	"oauth.Assertion.Source oauth.Source": authorizing(func(o *oauth.Options, panics *bool) {
		o.Client.ID, o.Grant = "x", oauth.Assertion{Source: func(ctx context.Context) (string, error) {
			_, err := source(panics)(ctx)
			return "e30.e30.e30", err
		}}
	}),
	"oauth.Identity.Source": func(t *testing.T, p *panicLog) {
		panics, s := true, protected(t, true)
		a := oauth.New(s.URL+"/mcp", &oauth.Options{Issuer: s.URL, Client: oauth.Client{ID: "x"}, Grant: oauth.Identity{
			TokenURL: s.URL + "/none", Client: oauth.Client{ID: "x"}, Source: source(&panics)}})
		defer a.CloseIdleConnections()
		p.passes(func() { _ = a.Login(t.Context()) })
		panics = false
		if err := a.Login(t.Context()); err == nil || strings.Contains(err.Error(), oops) {
			t.Errorf("error %v", err)
		}
	},
	"oauth.NewKey(signer)": authorizing(func(o *oauth.Options, panics *bool) {
		private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			panic(err)
		}
		key, err := oauth.NewKey(panickingSigner{private, panics}, "k")
		if err != nil {
			panic(err)
		}
		o.Client, o.Grant = oauth.Client{ID: "x", Key: key}, oauth.ClientCredentials{}
	}),
	"oauth.Trace.LoggedIn": authorizing(func(o *oauth.Options, panics *bool) {
		o.Trace = &oauth.Trace{LoggedIn: func(string) {
			if *panics {
				panic(oh())
			}
		}}
	}),
	"oauth.Trace.TokenLoaded": func(t *testing.T, p *panicLog) {
		s, store, panics := protected(t, true), oauth.NewMemory(), true
		first := oauth.New(s.URL+"/mcp", &oauth.Options{Authorizer: browser(nil, &panics), Store: store})
		defer first.CloseIdleConnections()
		testutil.Must(t, first.Login(t.Context()))
		second := oauth.New(s.URL+"/mcp", &oauth.Options{Store: store, Trace: &oauth.Trace{TokenLoaded: func(string) {
			if panics {
				panic(oh())
			}
		}}})
		defer second.CloseIdleConnections()
		get := func() error {
			resp, err := second.Client().Get(s.URL + "/mcp")
			if err == nil {
				err = resp.Body.Close()
			}
			return err
		}
		outcome(t, "TokenLoaded", p, get)
		panics = false
		testutil.Check(t, get())
	},
	"oauth.Trace.Odd": func(t *testing.T, p *panicLog) {
		s := protected(t, true)
		a := oauth.New(s.URL+"/none?a=b", &oauth.Options{Authorizer: browser(nil, nil), Trace: &oauth.Trace{Odd: func(string, *oauth.Error) { panic(oh()) }}})
		defer a.CloseIdleConnections()
		outcome(t, "Odd", p, func() error { return a.Login(t.Context()) })
	},
	"mcptest.AuthServer.Metadata mcptest.AuthServer.Scope mcptest.AuthServer.Protect(h)": func(t *testing.T, p *panicLog) {
		for _, what := range []string{"Metadata", "Scope", "Protect"} { // net/http recovers it, and closes the connection
			s := mcptest.NewAuthServer(t, "")
			s.Metadata = func(map[string]any) { panicIn(what, "Metadata") }
			s.Scope = func(*http.Request) string { panicIn(what, "Scope"); return "" }
			web := httptest.NewServer(s.Protect(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panicIn(what, "Protect") })))
			defer web.Close()
			a := oauth.New(web.URL+"/mcp", &oauth.Options{Authorizer: browser(nil, nil)})
			defer a.CloseIdleConnections()
			before := panicked.Load()
			if resp, err := a.Client().Get(web.URL + "/mcp"); err == nil {
				_ = resp.Body.Close()
				t.Errorf("%s: status %d", what, resp.StatusCode)
			}
			if panicked.Load() == before {
				t.Errorf("the server does not call %s", what)
			}
		}
	},
	"oauth.Paste.In oauth.Paste.Out": func(t *testing.T, p *panicLog) {
		for _, paste := range []*oauth.Paste{{In: panickingReader{}, Out: io.Discard}, {In: emptyReader{}, Out: panickingWriter{}}} {
			s := protected(t, true)
			o := oauth.New(s.URL+"/mcp", &oauth.Options{Authorizer: paste})
			outcome(t, "Paste", p, func() error { return o.Login(t.Context()) })
			o.CloseIdleConnections()
		}
		// The browser may still bring the response.
		loopback := browser(nil, nil).(*authorizer).Authorizer.(*oauth.Loopback)
		loopback.Paste = &oauth.Paste{In: panickingReader{}, Out: io.Discard}
		s := protected(t, true)
		o := oauth.New(s.URL+"/mcp", &oauth.Options{Authorizer: loopback})
		testutil.Check(t, o.Login(t.Context()))
		o.CloseIdleConnections()
	},
	"oauth.Bearer(src) oauth.Bearer(base) oauth.StaticHeader(src) oauth.StaticHeader(base)": func(t *testing.T, p *panicLog) {
		s := protected(t, true)
		panics := true
		base := panickingTripper{s.Client().Transport, "RoundTrip", func(*http.Request) bool { return panics }}
		for _, rt := range []http.RoundTripper{
			oauth.Bearer(s.URL, source(&panics), s.Client().Transport), oauth.Bearer(s.URL, oauth.Static("valid"), base),
			oauth.StaticHeader(s.URL, "X-Key", source(&panics), s.Client().Transport), oauth.StaticHeader(s.URL, "X-Key", oauth.Static("valid"), base),
		} {
			panics = true
			p.passes(func() { _, _ = (&http.Client{Transport: rt}).Get(s.URL + "/mcp") })
			panics = false
			resp, err := (&http.Client{Transport: rt}).Get(s.URL + "/mcp")
			testutil.Must(t, err)
			_ = resp.Body.Close()
		}
		s.Client().CloseIdleConnections()
	},
}

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, io.EOF }
