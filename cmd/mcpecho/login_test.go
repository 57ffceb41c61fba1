package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/webserver"
)

// authorizing runs the echo server behind an authorization server that agrees
// to everything. It is one that has just what a login needs.
func authorizing(t *testing.T) (base string) {
	t.Helper()
	echo := webserver.New(testserver.New(nil), nil)
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	t.Cleanup(func() { web.Close(); echo.Close() })
	reply := func(v map[string]any) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(v)
		}
	}
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer hunter2hunter2" {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+web.URL+`/resource"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		echo.ServeHTTP(w, r)
	})
	mux.HandleFunc("/resource", reply(map[string]any{"resource": web.URL + "/mcp", "authorization_servers": []string{web.URL}}))
	mux.HandleFunc("/.well-known/oauth-authorization-server", reply(map[string]any{
		"issuer": web.URL, "authorization_endpoint": web.URL + "/authorize", "token_endpoint": web.URL + "/token",
		"registration_endpoint": web.URL + "/register", "response_types_supported": []string{"code"},
		"code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
	}))
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		var asked map[string]any
		_ = json.NewDecoder(r.Body).Decode(&asked)
		asked["client_id"] = "one"
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(asked)
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("client_id") == "refused" {
			http.Redirect(w, r, q.Get("redirect_uri")+"?error=access_denied&state="+url.QueryEscape(q.Get("state")), http.StatusFound)
			return
		}
		http.Redirect(w, r, q.Get("redirect_uri")+"?code=c&state="+url.QueryEscape(q.Get("state")), http.StatusFound)
	})
	mux.HandleFunc("/token", reply(map[string]any{"access_token": "hunter2hunter2", "token_type": "Bearer", "expires_in": 3600}))
	return web.URL
}

// logIn runs login as a user does who opens the page that it prints.
func logIn(t *testing.T, args ...string) outcome {
	t.Helper()
	stdout, stderr, status := newTranscript(), newTranscript(), make(chan int, 1)
	w := &world{stdin: strings.NewReader(""), stdout: stdout, stderr: stderr, self: self(t), name: "mcpecho",
		getenv: func(key string) string { return map[string]string{"BROWSER": filepath.Join(t.TempDir(), "none")}[key] }}
	go func() { status <- run(t.Context(), append([]string{"login"}, args...), w) }() // ends with the page
	stderr.until(t, "\n")
	if _, page, ok := strings.Cut(strings.TrimSpace(stderr.String()), "To log in, open "); ok {
		resp, err := http.Get(page)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	return outcome{<-status, stdout.String(), stderr.String()}
}

func TestLoginAndLogout(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "AppData", "XDG_CONFIG_HOME"} {
		t.Setenv(name, home)
	}
	url := authorizing(t) + "/mcp"
	try(t, "ping", url).want(t, statusForbidden, "", "mcpecho login "+url+" asks for authorization")
	try(t, "logout", url).want(t, 0, "Logged out of "+url+".\n", "")
	if path, exists := tokenFile(); exists {
		t.Errorf("%s is there before the login", path)
	}
	logIn(t, url).want(t, 0, "Logged in to "+url+".\n", "To log in, open ")
	path, _ := tokenFile()
	if info, err := os.Stat(path); err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	try(t, "call", url, "echo", "message=hi").want(t, 0, "hi\n", "")
	try(t, "call", url, "echo", "message=hi", "-t", "http", "--protocol", "2025-11-25").want(t, 0, "hi\n", "")
	try(t, "logout", url).want(t, 0, "Logged out of "+url+".\n", "")
	try(t, "ping", url).want(t, statusForbidden, "", "mcpecho login "+url)
}

func TestLoginIsRefused(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "AppData", "XDG_CONFIG_HOME"} {
		t.Setenv(name, home)
	}
	base := authorizing(t)
	text := `{"web":{"url":"` + base + `/mcp","oauth":{"clientId":"refused"}}}`
	file := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := logIn(t, file+":web"); o.status != statusForbidden || !strings.Contains(o.stderr, "access_denied") {
		t.Errorf("%+v", o)
	}
	web := httptest.NewServer(webserver.New(testserver.New(nil), nil))
	defer web.Close()
	if o := try(t, "login", web.URL+"/mcp"); o.status != statusForbidden || o.stdout != "" {
		t.Errorf("%+v", o)
	}
	try(t, "login", closedURL(t)).want(t, statusUnreachable, "", "refused")
}
