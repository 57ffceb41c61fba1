package config_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// The settings for a provider are read, written, and shown before the user trusts them.
func TestSettingsForProviders(t *testing.T) {
	const entry = `{"mcpServers": {"x": {"url": "https://example.com/mcp", "oauth": {"clientId": "app", "issuer": "https://login.example/common",
		"issuerInMetadata": "https://login.example/{tenantid}", "resource": "none", "assumePKCE": true, "authorizationUrl": "https://login.example/a",
		"tokenUrl": "https://login.example/t", "account": "work", "scopes": ["a"], "parameters": {"audience": "api"}}}}}`
	c := config.Parse([]byte(entry), "mcp.json", "user")
	s := c.Server("x")
	if len(c.Problems) > 0 || s == nil {
		t.Fatal(c.Problems)
	}
	o := s.Auth.OAuth
	if o.Issuer != "https://login.example/common" || o.IssuerInMetadata != "https://login.example/{tenantid}" || o.Resource != "none" || !o.AssumePKCE ||
		o.AuthorizationURL != "https://login.example/a" || o.TokenURL != "https://login.example/t" || o.Account != "work" || o.Parameters["audience"] != "api" || len(o.Extra) > 0 {
		t.Errorf("%#v", o)
	}
	effects := strings.Join(s.Effects(), "\n")
	for _, want := range []string{"login.example/common", "login.example/{tenantid}", "resource none", "login.example/a", "login.example/t", "scopes a", "audience=api", "PKCE"} {
		if !strings.Contains(effects, want) {
			t.Errorf("the question of trust does not show %q: %s", want, effects)
		}
	}
	text, err := json.Marshal(s)
	again := config.Parse([]byte(`{"mcpServers": {"x": `+string(text)+`}}`), "mcp.json", "user").Server("x")
	if err != nil || again == nil || !again.Equal(s) {
		t.Errorf("written as %s, %v", text, err)
	}
}

// Entries that share a URL and a client have tokens of their own.
func TestEntriesOfOneServer(t *testing.T) {
	c := config.Parse([]byte(`{"mcpServers": {"ann": {"url": "https://example.com/mcp"}, "bob": {"url": "https://example.com/mcp", "oauth": {}},
		"other": {"url": "https://example.com/mcp", "oauth": {"clientId": "x"}}, "key": {"url": "https://example.com/mcp", "auth": {"type": "bearer", "token": "t"}}}}`), "mcp.json", "user")
	var got []string
	for _, s := range c.Servers {
		got = append(got, s.Name+"="+s.Auth.OAuth.Account)
	}
	if want := []string{"ann=ann", "bob=bob", "key=", "other="}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Other agents have other names for the settings, and other values.
func TestOAuthOfOtherAgents(t *testing.T) {
	c := config.Parse([]byte(`{"mcpServers": {"off": {"url": "https://example.com/1", "oauth": false}, "on": {"url": "https://example.com/2", "oauth": true},
		"cursor": {"url": "https://example.com/3", "oauth": {"CLIENT_ID": "app", "CLIENT_SECRET": "s"}},
		"copilot": {"url": "https://example.com/7", "oauthClientId": "app"},
		"claude": {"url": "https://example.com/4", "oauth": {"authServerMetadataUrl": "https://a.example/.well-known/oauth-authorization-server/t"}},
		"codex": {"url": "https://example.com/8", "oauth_resource": "api://app", "oauth": {"issuer": "https://a.example"}},
		"gemini": {"httpUrl": "https://example.com/9", "oauth": {"enabled": true, "audiences": ["a", "b"], "parameters": {"x": "y"}}},
		"new": {"url": "https://example.com/6", "oauth": {"pkceMode": "x"}},
		"weak": {"url": "https://example.com/5", "oauth": {"resource": "none"}}}}`), "mcp.json", "user")
	if s := c.Server("off"); s == nil || s.Auth.Type != config.AuthNone {
		t.Errorf("%v", s)
	}
	if s := c.Server("on"); s == nil || s.Auth.Type != config.AuthOAuth && s.Auth.Type != "" {
		t.Errorf("%v", s)
	}
	if s := c.Server("cursor"); s == nil || s.Auth.OAuth.ClientID != "app" || s.Auth.OAuth.ClientSecret != "s" {
		t.Errorf("%v", s)
	}
	if s := c.Server("copilot"); s == nil || s.Auth.Type != config.AuthOAuth || s.Auth.OAuth.ClientID != "app" {
		t.Errorf("%v", s)
	}
	if s := c.Server("claude"); s == nil || s.Auth.OAuth.Issuer != "https://a.example/t" {
		t.Errorf("%v", s)
	}
	if s := c.Server("codex"); s == nil || s.Auth.OAuth.Resource != "api://app" {
		t.Errorf("%v", s)
	}
	if s := c.Server("gemini"); s == nil || s.Auth.OAuth.Parameters["audience"] != "a b" || s.Auth.OAuth.Parameters["x"] != "y" {
		t.Errorf("%v", s)
	}
	problems := ""
	for _, p := range c.Problems {
		problems += p.Error() + "\n"
	}
	if c.Server("weak") != nil || c.Server("new") == nil || len(c.Problems) != 2 || !strings.Contains(problems, "needs issuer") || !strings.Contains(problems, "pkceMode") {
		t.Error(problems)
	}
}
