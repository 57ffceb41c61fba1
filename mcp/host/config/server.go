package config

import (
	"slices"
	"strconv"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/internal/glob"
	"github.com/stdmcp/stdmcp/mcp"
)

// Values of Server.Type.
const (
	Stdio         = "stdio"          // a child process
	HTTP          = "http"           // Streamable HTTP
	SSE           = "sse"            // the HTTP+SSE transport of 2024-11-05
	SDK           = "sdk"            // a server in this process
	ClaudeAIProxy = "claudeai-proxy" // HTTP through a proxy that finds the server by its ID
)

// Values of Auth.Type. Empty means not configured: the dialer may start OAuth if
// the server requires authorization.
const (
	AuthNone   = "none"
	AuthBearer = "bearer"
	AuthAPIKey = "apikey"
	AuthOAuth  = "oauth"
)

// A Server holds the settings of one server. Strings may contain variables
// until [Server.Expand] replaces them, unless Literal is set. A zero field means what
// the host does by default, and a negative number turns the limit or the feature off.
type Server struct {
	Name   string
	Source string // the file that defines the server; empty if the program does
	Scope  string // "user", "project" or "local" from [Load]; a program may use any value

	// Type is one of the constants [Stdio], [HTTP], [SSE], [SDK] and
	// [ClaudeAIProxy]. The host starts the Command of a server of type HTTP or SSE,
	// waits until the URL accepts connections, and connects to it. If Type is
	// empty, a server with both is of type HTTP, a server with a Command is a child
	// process, and a server with a URL is tried as HTTP, then as SSE.
	Type string

	Command    string
	Args       []string
	Dir        string   // the working directory
	Env        []string // "KEY=value", or "KEY" to pass a variable on
	EnvFiles   []string // files with lines of KEY=value; Env takes precedence
	InheritEnv bool     // pass on all variables

	URL     string
	Headers map[string]string
	Auth    Auth
	ID      string // identifies the server to a ClaudeAIProxy, or among the SDK servers (default: Name)

	// Literal means that the strings contain no variables, for programs with
	// settings of their own. Server.Expand then replaces only a leading ~ and
	// reads EnvFiles.
	Literal bool

	Disabled bool // do not connect
	Required bool // Diff.Err of package host reports its failure
	Lazy     bool // connect when the server is first used
	Serial   bool // make one call at a time, of tools and of everything else; others wait, as long as their contexts permit

	Timeout        time.Duration // for calls; 0 means the host's, negative no limit
	ConnectTimeout time.Duration // 0 means the host's, negative no limit
	MaxRetries     int           // of connecting; 0 means the host's, negative no retries
	MaxResultText  int           // bytes of a result for a model, in a host with Options.Limits; 0 means the host's, negative no limit

	// Deferred reports whether a model must search for the tools. If it is nil,
	// the number of tools decides; see ToolSearch of package host.
	Deferred *bool

	Tools       Filter
	AutoApprove []string // globs of tools to call without asking; see host.Listed

	Overrides map[string]*Override // by the names of tools in the server

	// Invalid is why the entry of a file cannot be used; see [Config.All]. A host
	// reports it and does not start the server.
	Invalid error

	Title, Description string                    // for users
	Extra              map[string]mcp.RawMessage // unknown fields, unmodified

	base    string   // the folder for relative paths; empty means the process's
	folder  string   // of the project that the file is for; empty in the user's own files
	project string   // the working directory if Dir is empty; empty means the process's
	inputs  []inputs // of its file
	secrets []string // see Hide
	hidden  *display.Cache

	raw       mcp.RawMessage // an entry without a server that can be used; see Servers
	problems  []*Problem     // see Servers.Problems
	files     *fileEnv       // what the user saw of EnvFiles; nil if there was no question
	untrusted bool           // an entry of a project's file, before Trust
}

// An Auth configures the authorization at one server.
type Auth struct {
	Type   string
	Token  string // for AuthBearer and AuthAPIKey
	Header string // for AuthAPIKey; the default is X-API-Key
	OAuth  OAuth
}

// An OAuth holds the settings of a client that is already registered for OAuth.
type OAuth struct {
	ClientID, ClientSecret string
	Scopes                 []string
	CallbackPort           int
	RedirectURI            string

	// Account tells apart entries that share a URL and a client, each of which logs
	// in to an account of its own.
	Account string

	// Issuer is the only authorization server to use. The settings after it are
	// those of package oauth, and need it; Resource is Options.RequestResource.
	Issuer, IssuerInMetadata   string
	Resource                   string
	AssumePKCE                 bool
	AuthorizationURL, TokenURL string
	Parameters                 map[string]string // added to authorization and token requests

	Extra map[string]mcp.RawMessage // unknown fields, unmodified
}

// A Filter selects tools by globs of their names, in which * stands for any text, ?
// for any byte, [gs] for one of these bytes, [a-z] and [!a-z] for one within or
// outside of a range, and {a,b} for one of these globs.
type Filter struct {
	Allow []string // nil allows all tools, an empty list none
	Deny  []string // takes precedence
}

// Allows reports whether the filter selects a tool.
func (f *Filter) Allows(tool string) bool {
	return (f.Allow == nil || glob.Any(f.Allow, tool)) && !glob.Any(f.Deny, tool)
}

// copy returns a copy whose Args, Env and Headers may be modified.
//
//go:noinline
func (s *Server) copy() *Server {
	c := *s
	c.Args, c.Env = slices.Clone(s.Args), slices.Clone(s.Env)
	c.Headers, c.secrets, c.hidden = make(map[string]string), nil, nil
	for name, value := range s.Headers {
		c.Headers[name] = value
	}
	return &c
}

// Unmatched returns an error for each glob and each override of the settings that names none
// of the server's tools.
func (s *Server) Unmatched(tools []string) (errs []error) {
	check := func(field string, globs []string) {
		for _, g := range globs {
			used := g == "*"
			for _, tool := range tools {
				used = used || glob.Match(g, tool)
			}
			if !used {
				errs = append(errs, invalidField(field, "names "+quoteCut(g)+", which matches none of the server's tools"))
			}
		}
	}
	check("includeTools", s.Tools.Allow)
	check("excludeTools", s.Tools.Deny)
	check("autoApprove", s.AutoApprove)
	var changed []string
	for tool := range s.Overrides {
		changed = append(changed, tool)
	}
	slices.Sort(changed)
	for _, tool := range changed {
		if !slices.Contains(tools, tool) {
			errs = append(errs, invalidField("overrides", "names "+quoteCut(tool)+", which is not a tool of the server"))
		}
	}
	return errs
}

// Validate returns an error if the settings cannot be used, as for an entry of a file: without
// a command and a URL, with both and the type stdio, with a line break in a header, with a
// masked secret. It starts nothing and reads neither variables nor files, which
// [Server.Expand] does. A Type that is not one of the constants is left to the host.
func (s *Server) Validate() error {
	if s.Invalid != nil {
		return s.Invalid
	}
	e := &entry{Server: *s.copy(), on: true}
	switch s.Type {
	case "", Stdio, HTTP, SSE, SDK, ClaudeAIProxy:
	default:
		return checkName(s.Name)
	}
	err := checkName(s.Name)
	if err == nil && !e.isOff() {
		err = e.validate()
	}
	if err == nil {
		err = inField("headers", checkHeaders(s.Headers))
	}
	for _, v := range s.Env {
		if name, _, _ := cut(v, "="); err == nil && !isName(name) {
			err = invalidField("env", "must have KEY=value or the name of a variable, not "+quoteName(name))
		}
	}
	if err == nil {
		err = s.checkMasked()
	}
	return err
}

// checkName returns an error for a name that no server may have.
func checkName(name string) error {
	if name == "" {
		return diag.Message("a server must have a name")
	}
	if len(name) > maxName {
		return diag.Message("the name is longer than " + strconv.Itoa(maxName) + " bytes")
	}
	return nil
}
