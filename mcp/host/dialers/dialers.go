// Package dialers contains the dialers for all types of servers. It links
// net/http and crypto/tls, and [All] links authorization.
//
//	h := host.New(&host.Options{Dialers: dialers.All(nil)})
//
// A program whose servers do not need OAuth is smaller with [HTTP] instead of
// All.
//
// # Authorization
//
// The dialers send a token from a server's settings in the header that the
// settings name. For other servers, package oauth obtains a token as
// Options.OAuth specifies. Without Options.OAuth, a server that requires the
// user's authorization enters the state host.NeedsAuth.
//
// # Concurrency
//
// Dialers may be called by multiple goroutines at once.
package dialers

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/webprogram"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/oauth"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// Options configure the dialers. Nil and the zero value are valid.
type Options struct {
	// Client sends the requests, as in the options of the transports.
	Client *http.Client

	// HTTP and SSE are the settings of the transports, and may be nil.
	// Options.Client is the default of their Client. The headers in a server's
	// settings take precedence over their Header.
	HTTP *streamhttp.Options
	SSE  *sse.Options

	// OAuth configures the authorization for servers whose settings ask for
	// OAuth, or have neither an authorization type nor an Authorization header.
	// The settings of a server take precedence over its Client, Scopes and
	// redirect URI. If nil, a server that requires the user's authorization
	// enters the state host.NeedsAuth.
	OAuth *oauth.Options

	// InProcess holds the servers of type config.SDK; see host.InProcess.
	InProcess map[string]mcp.Transport
}

// All returns the dialers for all types. o may be nil.
func All(o *Options) host.Dialers {
	d := newDialers(o)
	return host.Dialers{
		config.Stdio:         host.Stdio,
		config.HTTP:          checked(d.http),
		config.SSE:           checked(d.sse),
		config.SDK:           host.InProcess(d.InProcess),
		config.ClaudeAIProxy: checked(d.proxy),
	}
}

func newDialers(o *Options) *dialers {
	d := &dialers{}
	if o != nil {
		d.Options = *o
	}
	if d.OAuth != nil {
		d.auth = *d.OAuth
	}
	if d.auth.Store == nil {
		d.auth.Store = oauth.NewMemory() // shared by successive connections
	}
	if d.auth.Base == nil && d.Client != nil {
		d.auth.Base = d.Client.Transport
	}
	if d.auth.Base == nil {
		d.auth.Base = httpx.NewTransport() // shared by successive connections
	}
	return d
}

// HTTP returns a Dialer for Streamable HTTP, for programs that choose their Dialers
// themselves. A program that uses only this function of the package links neither
// HTTP+SSE nor OAuth; a server that requires the user's authorization enters the
// state host.NeedsAuth. o may be nil.
func HTTP(o *streamhttp.Options) host.Dialer {
	return checked(func(ctx context.Context, to *host.DialParams) (mcp.Transport, error) {
		t := streamhttp.New(to.URL, o)
		addHeaders(to, &t.Header)
		to.Classify = classifyHTTP
		to.SetUnreachable(httpx.Unreachable)
		return started(ctx, to, t, nil)
	})
}

// SSE returns a Dialer for HTTP+SSE, as [HTTP] does for Streamable HTTP. o may be nil.
func SSE(o *sse.Options) host.Dialer {
	return checked(func(ctx context.Context, to *host.DialParams) (mcp.Transport, error) {
		t := sse.New(to.URL, o)
		addHeaders(to, &t.Header)
		to.Classify = classifyHTTP
		to.SetUnreachable(httpx.Unreachable)
		return started(ctx, to, t, nil)
	})
}

// withProgram returns a Transport that starts the program of to before it
// connects to the URL.
func withProgram(ctx context.Context, to *host.DialParams, web mcp.Transport) (mcp.Transport, error) {
	command, err := host.Stdio(ctx, to)
	if err != nil {
		return nil, err
	}
	p, err := webprogram.New(command, web, to.URL)
	if err != nil {
		return nil, err
	}
	to.SetUnreachable(nil) // the host starts a process that has ended again
	to.Cleanup = p.End
	return p, nil
}

// checked returns a Dialer with an error for nil.
func checked(d host.Dialer) host.Dialer {
	return func(ctx context.Context, to *host.DialParams) (mcp.Transport, error) {
		if to == nil || to.Server == nil {
			return nil, errNoServer
		}
		return d(ctx, to)
	}
}

var errNoServer = errors.New("the Server is nil")

type dialers struct {
	Options
	auth oauth.Options
}

func (d *dialers) http(ctx context.Context, to *host.DialParams) (mcp.Transport, error) {
	return d.stream(ctx, to, to.URL)
}

func (d *dialers) stream(ctx context.Context, to *host.DialParams, url string) (mcp.Transport, error) {
	t := streamhttp.New(url, d.HTTP)
	return started(ctx, to, t, d.settings(to, url, &t.Client, &t.Header))
}

func (d *dialers) sse(ctx context.Context, to *host.DialParams) (mcp.Transport, error) {
	t := sse.New(to.URL, d.SSE)
	return started(ctx, to, t, d.settings(to, to.URL, &t.Client, &t.Header))
}

// started returns t, which starts the program of the entry first if it has one,
// or err if there is one.
func started(ctx context.Context, to *host.DialParams, t mcp.Transport, err error) (mcp.Transport, error) {
	if err != nil {
		return nil, err
	}
	if to.Command == "" {
		return t, nil
	}
	return withProgram(ctx, to, t)
}

// proxy connects through a proxy.
func (d *dialers) proxy(ctx context.Context, to *host.DialParams) (mcp.Transport, error) {
	at, err := address(to.Server)
	if err != nil {
		return nil, err
	}
	return d.stream(ctx, to, at)
}

// address returns the URL of a server. In that of a proxy, the server's ID replaces
// {id} or {server_id}, or else is appended to the path.
func address(s *host.Server) (string, error) {
	if s.Type != config.ClaudeAIProxy {
		return s.URL, nil
	}
	id := url.PathEscape(s.ID)
	at := strings.NewReplacer("{id}", id, "{server_id}", id).Replace(s.URL)
	if at != s.URL {
		return at, nil
	}
	u, err := httpx.Parse(at)
	if err != nil {
		return "", err
	}
	return u.JoinPath(id).String(), nil
}

// settings adds the settings of a server to those of its transport.
func (d *dialers) settings(to *host.DialParams, server string, client **http.Client, header *http.Header) (err error) {
	to.Classify = classify
	to.SetUnreachable(httpx.Unreachable)
	addHeaders(to, header)
	if *client == nil {
		*client = d.Client
	}
	switch to.Auth.Type {
	case config.AuthOAuth:
	case "":
		if d.OAuth == nil || header.Get("Authorization") != "" {
			return nil
		}
	default:
		return nil
	}
	*client, err = d.authorized(to, server, *client)
	return err
}

// addHeaders adds the headers of a server to those of its transport.
func addHeaders(to *host.DialParams, header *http.Header) {
	if *header == nil {
		*header = make(http.Header)
	}
	for name, value := range to.Headers {
		header.Set(name, value)
	}
}

// authorized returns a copy of base, which may be nil, that authorizes its
// requests.
func (d *dialers) authorized(to *host.DialParams, server string, base *http.Client) (*http.Client, error) {
	client := http.Client{Jar: httpx.OwnCookies}
	if base != nil {
		client = *base
	}
	if base == d.Client || d.OAuth != nil && d.OAuth.Base != nil {
		client.Transport = nil // it is that of d.auth
	}
	t, err := d.authorization(to.Server, server, client.Transport)
	client.Transport = t
	return &client, err
}

// A redirected is an [oauth.Loopback]. Its name would link it into programs that have
// none: 60 KB of an agent.
type redirected interface {
	WithRedirectURI(uri string) oauth.Authorizer
}

// authorization returns the Transport for a server at url. base is nil for that of
// d.auth.
func (d *dialers) authorization(server *host.Server, url string, base http.RoundTripper) (*oauth.Transport, error) {
	o := d.auth
	if base != nil {
		o.Base = base
	}
	uri := Configure(&o, server)
	if r, ok := o.Authorizer.(redirected); ok && uri != "" {
		o.Authorizer = r.WithRedirectURI(uri)
	}
	if _, err := httpx.Parse(url); err != nil {
		return nil, err
	}
	return oauth.New(url, &o), nil
}

// Configure sets the options that the entry of a server in a configuration has, and
// returns its redirect URI, which is that of a Loopback or a Paste, or "". Options that
// the entry does not have keep their values. server must contain no variables.
func Configure(o *oauth.Options, server *host.Server) (redirectURI string) {
	if o == nil || server == nil {
		return ""
	}
	s := &server.Auth.OAuth
	if s.ClientID != "" {
		o.Client = oauth.Client{ID: s.ClientID, Secret: s.ClientSecret}
	}
	if len(s.Scopes) > 0 {
		o.Scopes = s.Scopes
	}
	if s.Issuer != "" {
		o.Issuer = s.Issuer
	}
	for _, m := range [...]struct {
		to   *string
		from string
	}{
		{&o.Name, server.Name}, {&o.Account, s.Account}, {&o.IssuerInMetadata, s.IssuerInMetadata}, {&o.RequestResource, s.Resource},
		{&o.AuthorizationURL, s.AuthorizationURL}, {&o.TokenURL, s.TokenURL},
	} {
		if m.from != "" {
			*m.to = m.from
		}
	}
	o.AssumePKCE = o.AssumePKCE || s.AssumePKCE
	if len(s.Parameters) > 0 {
		o.Parameters = s.Parameters
	}
	if s.RedirectURI == "" && s.CallbackPort != 0 {
		// As Claude Code does, whose setting this is.
		return "http://localhost:" + strconv.Itoa(s.CallbackPort) + "/callback"
	}
	return s.RedirectURI
}

// OAuth returns a Transport for Login and Logout, with the settings that the dialers
// of All(o) use for the server s. After a login, Host.Reconnect connects with the
// new token. Usually the Options of the host's own dialers have no Authorizer, so
// that a connection in the background opens no browser, while o has an Authorizer
// and the same Store. s must contain no variables; see Server.Expand. o may be nil.
// The caller closes the idle connections of the Transport.
func OAuth(o *Options, s *host.Server) (*oauth.Transport, error) {
	if s == nil {
		return nil, errNoServer
	}
	at, err := address(s)
	if err != nil {
		return nil, err
	}
	return newDialers(o).authorization(s, at, nil)
}

// classify returns the category of an error of HTTP or OAuth.
func classify(err error) host.Category {
	if errors.Is(err, oauth.ErrLoginRequired) || is[*oauth.Error](err) || is[*oauth.ServerError](err) {
		return host.CategoryAuthentication
	}
	if is[*sse.OriginError](err) {
		return host.CategoryConfiguration
	}
	return classifyHTTP(err)
}

func classifyHTTP(err error) host.Category {
	if is[*streamhttp.RedirectError](err) {
		return host.CategoryConfiguration
	}
	status := statusOf(err)
	if status == nil {
		if is[*url.Error](err) || is[net.Error](err) {
			return host.CategoryConnection // such as a refused connection
		}
		return ""
	}
	switch {
	case status.Status == http.StatusUnauthorized || status.Status == http.StatusForbidden:
		return host.CategoryAuthentication
	case status.Temporary():
		return host.CategoryConnection
	case status.Status/100 == 4:
		return host.CategoryConfiguration
	}
	return host.CategoryProtocol
}

// statusOf returns the HTTP status among the causes of err, or nil. A JSON-RPC
// error that came with a status has an As method for it.
func statusOf(err error) *streamhttp.StatusError {
	status, found := diag.Find[*streamhttp.StatusError](err)
	if e, ok := diag.Find[interface {
		error
		As(target any) bool
	}](err); ok && !found {
		e.As(&status)
	}
	return status
}

func is[T error](err error) bool {
	_, ok := diag.Find[T](err)
	return ok
}
