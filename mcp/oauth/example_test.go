package oauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/oauth"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// startServer starts a server that welcomes those who have the token "valid",
// which it gives to who says what it knows.
func startServer() *httptest.Server {
	return protect(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "welcome") }))
}

// protect starts a server that has h for those at /mcp.
func protect(h http.Handler) *httptest.Server {
	s := httptest.NewUnstartedServer(nil)
	base := "http://" + s.Listener.Addr().String()
	document := func(v map[string]any) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(v)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", document(map[string]any{
		"resource": base + "/mcp", "authorization_servers": []string{base},
	}))
	mux.HandleFunc("/.well-known/oauth-authorization-server", document(map[string]any{
		"issuer": base, "authorization_endpoint": base + "/authorize", "token_endpoint": base + "/token",
		"registration_endpoint": base + "/register", "code_challenge_methods_supported": []string{"S256"},
	}))
	mux.HandleFunc("/register", document(map[string]any{"client_id": "the program"}))
	mux.HandleFunc("/token", document(map[string]any{"access_token": "valid", "token_type": "Bearer"}))
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		http.Redirect(w, r, q.Get("redirect_uri")+"?code=123&state="+q.Get("state"), http.StatusFound)
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer valid" && r.Header.Get("X-Api-Key") != "valid" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
	s.Config.Handler = mux
	s.Start()
	return s
}

func get(rt http.RoundTripper, url string) {
	resp, err := (&http.Client{Transport: rt}).Get(url)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	fmt.Println(resp.StatusCode, string(body))
}

// openPage stands for a browser, and for a person who agrees.
func openPage(ctx context.Context, url string) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer http.DefaultClient.CloseIdleConnections()
	return resp.Body.Close()
}

func Example() {
	server := startServer()
	defer server.Close()

	auth := oauth.New(server.URL+"/mcp", &oauth.Options{
		Authorizer: &oauth.Loopback{Open: openPage}, // nil opens the browser
		ClientName: "Example",
	})
	defer auth.CloseIdleConnections()
	// streamhttp.New(url, &streamhttp.Options{Client: auth.Client()})
	get(auth, server.URL+"/mcp")
	// Output: 200 welcome
}

// A client of a server that demands authorization. The tokens stay in a file.
func ExampleNew() {
	const url = "https://example.com/mcp"
	auth := oauth.New(url, &oauth.Options{Authorizer: &oauth.Loopback{}, Store: oauth.NewFile("tokens.json")})
	defer auth.CloseIdleConnections()
	client, err := mcp.Connect(context.Background(), streamhttp.New(url, &streamhttp.Options{Client: auth.Client()}), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
}

func ExampleNew_loginRequired() {
	server := startServer()
	defer server.Close()
	auth := oauth.New(server.URL+"/mcp", nil)
	defer auth.CloseIdleConnections()
	_, err := auth.Client().Get(server.URL + "/mcp")
	fmt.Println(errors.Is(err, oauth.ErrLoginRequired))
	// Output: true
}

func ExampleTransport_Login() {
	server := startServer()
	defer server.Close()
	auth := oauth.New(server.URL+"/mcp", &oauth.Options{Authorizer: &oauth.Loopback{Open: openPage}})
	defer auth.CloseIdleConnections()
	ctx := context.Background()
	fmt.Println(auth.Login(ctx), auth.Logout(ctx))
	// Output: <nil> <nil>
}

func ExampleTransport_Hide() {
	auth := oauth.New("https://example.com/mcp", &oauth.Options{Client: oauth.Client{ID: "nightly", Secret: "correct horse"}})
	fmt.Println(auth.Hide("nobody is called nightly with the secret correct horse"))
	// Output: nobody is called nightly with the secret ***
}

// A person at a remote shell pastes what a browser elsewhere ends at.
func ExampleLoopback() {
	opts := &oauth.Options{Authorizer: &oauth.Loopback{Paste: &oauth.Paste{In: os.Stdin, Out: os.Stderr}}}
	fmt.Println(opts)
	// Output: oauth.Options
}

func ExampleClientCredentials() {
	server := startServer()
	defer server.Close()
	auth := oauth.New(server.URL+"/mcp", &oauth.Options{
		Client: oauth.Client{ID: "nightly", Secret: os.Getenv("SECRET") + "secret", Issuer: server.URL},
		Grant:  oauth.ClientCredentials{},
	})
	defer auth.CloseIdleConnections()
	get(auth, server.URL+"/mcp")
	// Output: 200 welcome
}

func ExampleAssertion() {
	opts := &oauth.Options{
		Client: oauth.Client{ID: "build"},
		Grant:  oauth.Assertion{Source: oauth.SourceFile("/var/run/secrets/tokens/mcp")},
	}
	fmt.Println(opts.Client)
	// Output: oauth.Client(build)
}

func ExampleIdentity() {
	grant := oauth.Identity{
		TokenURL: "https://idp.example.com/token",
		Client:   oauth.Client{ID: "agent", Secret: "secret"},
		Source:   oauth.Static("the ID token of the login"),
	}
	fmt.Println(grant) // shows no secret
	// Output: oauth.Identity(https://idp.example.com/token)
}

func ExampleBearer() {
	server := startServer()
	defer server.Close()
	rt := oauth.Bearer(server.URL, oauth.Static("valid"), server.Client().Transport)
	get(rt, server.URL+"/mcp")
	// Output: 200 welcome
}

func ExampleStaticHeader() {
	server := startServer()
	defer server.Close()
	rt := oauth.StaticHeader(server.URL, "X-Api-Key", oauth.Static("valid"), server.Client().Transport)
	get(rt, server.URL+"/mcp")
	// Output: 200 welcome
}

func ExampleNewFile() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	server := startServer()
	defer server.Close()
	store := oauth.NewFile(filepath.Join(dir, "tokens.json"))
	first := oauth.New(server.URL+"/mcp", &oauth.Options{Store: store, Authorizer: &oauth.Loopback{Open: openPage}})
	defer first.CloseIdleConnections()
	get(first, server.URL+"/mcp")
	// The next process has the token, and asks no user.
	second := oauth.New(server.URL+"/mcp", &oauth.Options{Store: store})
	defer second.CloseIdleConnections()
	get(second, server.URL+"/mcp")
	// Output:
	// 200 welcome
	// 200 welcome
}

func ExamplePaste() {
	p := &oauth.Paste{In: strings.NewReader("http://127.0.0.1/callback?code=123&state=abc\n"), Out: os.Stdout}
	in, err := p.Listen(context.Background(), "")
	if err != nil {
		fmt.Println(err)
		return
	}
	response, err := in.Authorize(context.Background(), "https://as.example.com/authorize?state=abc")
	fmt.Println(response, err)
	// Output:
	// Open this page in a browser:
	//
	// https://as.example.com/authorize?state=abc
	//
	// After you log in, paste the address that the browser shows, even if the page does not load:
	// http://127.0.0.1/callback?code=123&state=abc <nil>
}

// The user enters a code on another device. Without Show, it is written to Out.
func ExampleDevice() {
	opts := &oauth.Options{
		Authorizer: &oauth.Device{Show: func(_ context.Context, c *oauth.DeviceCode) error {
			fmt.Println("Open", c.URL, "and enter", c.Code, "before", c.Expires.Format(time.Kitchen))
			return nil
		}},
		Issuer: "https://login.example.com",
	}
	fmt.Println(opts)
	// Output: oauth.Options
}

func ExampleDeviceOffered() {
	opts := &oauth.Options{Authorizer: &oauth.Loopback{
		Open: func(ctx context.Context, page string) error {
			err := oauth.OpenBrowser(ctx, page)
			if err != nil && !oauth.DeviceOffered(ctx) {
				fmt.Println("To log in, open", page)
				return nil
			}
			return err // after which Device shows a code
		},
		Device: &oauth.Device{Out: os.Stderr},
	}}
	fmt.Println(opts)
	// Output: oauth.Options
}

func ExampleParseKey() {
	key, err := oauth.ParseKey([]byte(`-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----`), "2026-07")
	fmt.Println(key, err)
	// Output: oauth.Key(EdDSA) <nil>
}

func ExampleOpenBrowser() {
	fmt.Println(oauth.OpenBrowser(context.Background(), "javascript:alert(1)"))
	// Output: oauth: javascript:...: cannot open this in a browser: only http and https URLs are allowed
}
