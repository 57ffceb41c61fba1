package main

import (
	"bytes"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/oauth"
)

// TestUserLogsInOnce: the second run finds the token of the first.
func TestUserLogsInOnce(t *testing.T) {
	server := mcptest.New(t)
	server.Tool("add", nil, func(c *mcptest.Call) (any, error) { return c.Number("a") + c.Number("b"), nil })
	auth := mcptest.NewAuthServer(t, "")
	web := httptest.NewServer(auth.Protect(server.Handler(nil)))
	defer web.Close()
	browser := &oauth.Loopback{Open: auth.Browser} // a user who agrees
	store := oauth.NewFile(filepath.Join(t.TempDir(), "tokens.json"))
	for range 2 {
		var out bytes.Buffer
		if err := run(t.Context(), &out, web.URL+"/mcp", store, browser); err != nil {
			t.Fatal(err)
		}
		if want := "mcptest says 42\n"; out.String() != want {
			t.Errorf("prints %q, want %q", out.String(), want)
		}
	}
	if n := auth.Requests("authorize"); n != 1 {
		t.Errorf("the user logged in %d times, want once", n)
	}
}
