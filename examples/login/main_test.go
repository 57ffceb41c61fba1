package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/oauth"
)

// protect returns a server that requires the token of its authorization server.
func protect(t *testing.T, h http.Handler) string {
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	document := func(path string, v map[string]any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(v)
		})
	}
	document("/.well-known/oauth-protected-resource/mcp", map[string]any{
		"resource": s.URL + "/mcp", "authorization_servers": []string{s.URL}})
	document("/.well-known/oauth-authorization-server", map[string]any{
		"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token",
		"registration_endpoint": s.URL + "/register", "code_challenge_methods_supported": []string{"S256"}})
	document("/register", map[string]any{"client_id": "the program"})
	document("/token", map[string]any{"access_token": "valid", "token_type": "Bearer"})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		http.Redirect(w, r, q.Get("redirect_uri")+"?code=123&state="+q.Get("state"), http.StatusFound)
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer valid" {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+s.URL+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
	return s.URL + "/mcp"
}

// TestUserLogsInOnce: the second run finds the token of the first.
func TestUserLogsInOnce(t *testing.T) {
	server := mcptest.New(t)
	server.Tool("add", nil, func(c *mcptest.Call) (any, error) { return c.Number("a") + c.Number("b"), nil })
	url := protect(t, server.Handler(nil))
	logins := 0
	browser := &oauth.Loopback{Open: func(_ context.Context, page string) error {
		logins++
		resp, err := http.Get(page) // a user who agrees
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}}
	store := oauth.NewFile(filepath.Join(t.TempDir(), "tokens.json"))
	for range 2 {
		var out bytes.Buffer
		if err := run(t.Context(), &out, url, store, browser); err != nil {
			t.Fatal(err)
		}
		if want := "mcptest says 42\n"; out.String() != want {
			t.Errorf("prints %q, want %q", out.String(), want)
		}
	}
	if logins != 1 {
		t.Errorf("the user logged in %d times, want once", logins)
	}
}
