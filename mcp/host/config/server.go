package config

import (
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
)

// The kinds of servers, in Server.Type. Empty stands for a URL that is tried
// as HTTP, then as SSE.
const (
	Stdio         = "stdio"          // a program that is started
	HTTP          = "http"           // Streamable HTTP
	SSE           = "sse"            // the transport of 2024-11-05
	SDK           = "sdk"            // in this process
	ClaudeAIProxy = "claudeai-proxy" // HTTP through a proxy that knows the server by an id
)

// The kinds of authorization, in Auth.Type. Empty stands for none that is
// configured, which leaves it to the dialer to ask when the server wants some.
const (
	AuthNone   = "none"
	AuthBearer = "bearer"
	AuthAPIKey = "apikey"
	AuthOAuth  = "oauth"
)

// A Server says how one server is reached and how it is used. Strings may hold
// variables until [Server.Expand] has replaced them.
type Server struct {
	Name   string
	Source string // the file that says so; empty for a program
	Scope  string // "user", "project" or "local", as [Load] says; anything in a program

	Type string

	Command    string
	Args       []string
	Dir        string   // the working directory
	Env        []string // "KEY=value", or "KEY" to pass a variable on
	EnvFiles   []string // lines of KEY=value, for which Env has the last word
	InheritEnv bool     // pass on all variables

	URL     string
	Headers map[string]string
	Auth    Auth
	ID      string // of the server, for ClaudeAIProxy; of the in-process server, for SDK, if not Name

	Disabled bool // not connected
	Required bool // its failure is one of the start
	Lazy     bool // connected when it is used for the first time

	Timeout        time.Duration // of a call; 0 means the host's
	ConnectTimeout time.Duration // 0 means the host's
	MaxRetries     int           // of connecting; 0 means the host's, less than 0 none

	Tools       Filter
	AutoApprove []string // globs of tools that the file would have run unasked

	Title, Description string                    // for people
	Extra              map[string]mcp.RawMessage // what has no field, as it is written

	secrets []string // see Hide
}

// An Auth says how a client shows who it is.
type Auth struct {
	Type   string
	Token  string // for AuthBearer and AuthAPIKey
	Header string // for AuthAPIKey, X-API-Key when empty
	OAuth  OAuth
}

// An OAuth is what a client may know beforehand about authorization.
type OAuth struct {
	ClientID, ClientSecret string
	Scopes                 []string
	CallbackPort           int
	RedirectURI            string
	Extra                  map[string]mcp.RawMessage // what has no field, as it is written
}

// A Filter chooses tools by globs of their names; see [Match].
type Filter struct {
	Allow []string // nil allows all, and an empty list none
	Deny  []string // has precedence
}

// Allows reports whether the tool is chosen.
func (f *Filter) Allows(tool string) bool {
	return (f.Allow == nil || MatchAny(f.Allow, tool)) && !MatchAny(f.Deny, tool)
}

// MatchAny reports whether one of the globs matches.
func MatchAny(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool { return Match(glob, name) })
}

// Match reports whether all of name is what the glob describes, in which *
// stands for any text and ? for any byte.
func Match(glob, name string) bool {
	star, mark := -1, 0 // where to go on when the text after the last * doesn't fit
	g, n := 0, 0
	for n < len(name) {
		switch {
		case g < len(glob) && glob[g] == '*':
			star, mark = g, n
			g++
		case g < len(glob) && (glob[g] == '?' || glob[g] == name[n]):
			g++
			n++
		case star >= 0:
			mark++
			g, n = star+1, mark
		default:
			return false
		}
	}
	for g < len(glob) && glob[g] == '*' {
		g++
	}
	return g == len(glob)
}

// copy returns a copy in which Args, Env and Headers can be changed.
func (s *Server) copy() *Server {
	c := *s
	c.Args, c.Env = slices.Clone(s.Args), slices.Clone(s.Env)
	c.Headers, c.secrets = make(map[string]string), nil
	for name, value := range s.Headers {
		c.Headers[name] = value
	}
	return &c
}

// SameConnection reports whether a connection made for one of them will do for
// the other.
func (s *Server) SameConnection(o *Server) bool {
	if o == nil {
		return false
	}
	a, b := &s.Auth, &o.Auth
	return s.Type == o.Type && s.Command == o.Command && same(s.Args, o.Args) && s.Dir == o.Dir &&
		same(s.Env, o.Env) && same(s.EnvFiles, o.EnvFiles) && s.InheritEnv == o.InheritEnv &&
		s.URL == o.URL && sameMap(s.Headers, o.Headers) && s.ID == o.ID &&
		a.Type == b.Type && a.Token == b.Token && a.Header == b.Header &&
		a.OAuth.ClientID == b.OAuth.ClientID && a.OAuth.ClientSecret == b.OAuth.ClientSecret &&
		same(a.OAuth.Scopes, b.OAuth.Scopes) && a.OAuth.CallbackPort == b.OAuth.CallbackPort &&
		a.OAuth.RedirectURI == b.OAuth.RedirectURI && sameMap(a.OAuth.Extra, b.OAuth.Extra) &&
		s.Timeout == o.Timeout && s.ConnectTimeout == o.ConnectTimeout
}

// Equal reports whether both say the same, wherever they are from.
func (s *Server) Equal(o *Server) bool {
	return s.SameConnection(o) && s.Name == o.Name && s.Scope == o.Scope && s.Disabled == o.Disabled &&
		s.Required == o.Required && s.Lazy == o.Lazy && s.MaxRetries == o.MaxRetries &&
		(s.Tools.Allow == nil) == (o.Tools.Allow == nil) && same(s.Tools.Allow, o.Tools.Allow) &&
		same(s.Tools.Deny, o.Tools.Deny) && same(s.AutoApprove, o.AutoApprove) &&
		s.Title == o.Title && s.Description == o.Description && sameMap(s.Extra, o.Extra)
}

//go:noinline
func same(a, b []string) bool { return slices.Equal(a, b) }

func sameMap[T ~string | ~[]byte](a, b map[string]T) bool {
	for key, value := range a {
		if other, ok := b[key]; !ok || string(other) != string(value) {
			return false
		}
	}
	return len(a) == len(b)
}
