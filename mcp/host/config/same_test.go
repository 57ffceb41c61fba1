package config

import (
	"errors"
	"slices"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
)

// TestSettingsThatMakeAnotherServer: the user is asked again when a setting changes.
func TestSettingsThatMakeAnotherServer(t *testing.T) {
	yes, no := true, false
	changes := map[string]func(*Server){
		"type": func(s *Server) { s.Type = "x" }, "command": func(s *Server) { s.Command = "x" }, "args": func(s *Server) { s.Args = []string{"x"} },
		"dir": func(s *Server) { s.Dir = "x" }, "env": func(s *Server) { s.Env = []string{"x"} }, "env files": func(s *Server) { s.EnvFiles = []string{"x"} },
		"inherit": func(s *Server) { s.InheritEnv = true }, "url": func(s *Server) { s.URL = "x" }, "id": func(s *Server) { s.ID = "x" },
		"headers": func(s *Server) { s.Headers = map[string]string{"X": "y"} }, "value of a header": func(s *Server) { s.Headers = map[string]string{"A": "c"} },
		"auth": func(s *Server) { s.Auth.Type = "x" }, "token": func(s *Server) { s.Auth.Token = "x" }, "header": func(s *Server) { s.Auth.Header = "x" },
		"client": func(s *Server) { s.Auth.OAuth.ClientID = "x" }, "secret": func(s *Server) { s.Auth.OAuth.ClientSecret = "x" },
		"scopes": func(s *Server) { s.Auth.OAuth.Scopes = []string{"x"} }, "port": func(s *Server) { s.Auth.OAuth.CallbackPort = 1 },
		"redirect": func(s *Server) { s.Auth.OAuth.RedirectURI = "x" }, "oauth": func(s *Server) { s.Auth.OAuth.Extra = map[string]mcp.RawMessage{"x": nil} },
		"literal": func(s *Server) { s.Literal = true }, "timeout": func(s *Server) { s.Timeout = 1 }, "connect timeout": func(s *Server) { s.ConnectTimeout = 1 },
		"trust": func(s *Server) { s.untrusted = true },
		"base":  func(s *Server) { s.base = "x" }, "project": func(s *Server) { s.project = "x" },
		"name": func(s *Server) { s.Name = "x" }, "scope": func(s *Server) { s.Scope = "x" }, "disabled": func(s *Server) { s.Disabled = true },
		"required": func(s *Server) { s.Required = true }, "lazy": func(s *Server) { s.Lazy = true }, "serial": func(s *Server) { s.Serial = true }, "retries": func(s *Server) { s.MaxRetries = 1 },
		"result": func(s *Server) { s.MaxResultText = 1 }, "deferred": func(s *Server) { s.Deferred = &yes }, "not deferred": func(s *Server) { s.Deferred = nil },
		"invalid": func(s *Server) { s.Invalid = errors.New("x") }, "overrides": func(s *Server) { s.Overrides = map[string]*Override{"x": {Name: "y"}} },
		"allow": func(s *Server) { s.Tools.Allow = []string{} }, "deny": func(s *Server) { s.Tools.Deny = []string{"x"} },
		"approve": func(s *Server) { s.AutoApprove = []string{"x"} }, "title": func(s *Server) { s.Title = "x" },
		"description": func(s *Server) { s.Description = "x" }, "extra": func(s *Server) { s.Extra = map[string]mcp.RawMessage{"x": nil} },
	}
	server := func() *Server { return &Server{Name: "s", Headers: map[string]string{"A": "b"}, Deferred: &no} }
	if s := server(); !s.Equal(server()) || s.Equal(nil) {
		t.Error("a server does not equal itself, or equals none")
	}
	for name, change := range changes {
		a, b := server(), server()
		if change(b); a.Equal(b) || b.Equal(a) {
			t.Errorf("%s: the same server", name)
		}
	}
}

// TestIdentityInEffects: a server that takes the identity of another one says so.
func TestIdentityInEffects(t *testing.T) {
	for id, want := range map[string][]string{
		"": {"runs a"}, "s": {"runs a"}, "other${X}": {"runs a", "identifies itself as other${X}", "uses the values of X"},
	} {
		if got := (&Server{Name: "s", ID: id, Command: "a"}).Effects(); !slices.Equal(got, want) {
			t.Errorf("%q: %q", id, got)
		}
	}
	s := Server{Name: "s", Command: "${X}", Args: []string{"${Y}", "${X}"}}
	if got := s.Effects(); !slices.Equal(got, []string{"runs ${X} ${Y} ${X}", "uses the values of X, Y"}) {
		t.Errorf("%q", got)
	}
}
