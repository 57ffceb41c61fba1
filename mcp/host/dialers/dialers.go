// Package dialers contains the dialers for all types of servers. It links
// net/http, crypto/tls and authorization.
//
//	h := host.New(&host.Options{Dialers: dialers.All(nil)})
//
// # Authorization
//
// A token in a server's settings is sent in the header that they name. Package
// oauth authorizes the program at other servers, as Options.OAuth configures.
// Without Options.OAuth, a server that requires the user's authorization enters
// the state host.NeedsAuth.
//
// # Concurrency
//
// Dialers may be called by multiple goroutines at once.
package dialers

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/httpx"
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

	// OAuth configures the authorization at servers whose settings ask for
	// OAuth or have neither an authorization type nor an Authorization header.
	// The settings of a server take precedence over its Client, Scopes and
	// redirect URI. With nil, the user cannot be asked.
	OAuth *oauth.Options

	// InProcess holds the servers of type config.SDK; see host.InProcess.
	InProcess map[string]mcp.Transport
}

// All returns the dialers for all types. o may be nil.
func All(o *Options) host.Dialers {
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
	return host.Dialers{
		config.Stdio:         host.Stdio,
		config.HTTP:          d.http,
		config.SSE:           d.sse,
		config.SDK:           host.InProcess(d.InProcess),
		config.ClaudeAIProxy: d.proxy,
	}
}

// errInvalidURL stands for an error that would contain the URL.
var errInvalidURL = errors.New("the URL is invalid")

type dialers struct {
	Options
	auth oauth.Options
}

func (d *dialers) http(to *host.DialParams) (mcp.Transport, error) { return d.stream(to, to.URL) }

func (d *dialers) stream(to *host.DialParams, url string) (mcp.Transport, error) {
	client, err := d.client(to, url)
	if err != nil {
		return nil, err
	}
	return streamhttp.New(url, &streamhttp.Options{Client: client, Header: header(to)}), nil
}

func (d *dialers) sse(to *host.DialParams) (mcp.Transport, error) {
	client, err := d.client(to, to.URL)
	if err != nil {
		return nil, err
	}
	return sse.New(to.URL, &sse.Options{Client: client, Header: header(to)}), nil
}

// proxy connects through a proxy. The server's ID replaces {id} or {server_id}
// in the URL, or else is appended to its path.
func (d *dialers) proxy(to *host.DialParams) (mcp.Transport, error) {
	id := url.PathEscape(to.ID)
	at := strings.NewReplacer("{id}", id, "{server_id}", id).Replace(to.URL)
	if at == to.URL {
		u, err := url.Parse(at)
		if err != nil {
			return nil, errInvalidURL
		}
		at = u.JoinPath(id).String()
	}
	return d.stream(to, at)
}

func header(to *host.DialParams) http.Header {
	h := make(http.Header)
	for name, value := range to.Headers {
		h.Set(name, value)
	}
	return h
}

// client returns the HTTP client for a server.
func (d *dialers) client(to *host.DialParams, server string) (*http.Client, error) {
	to.Classify = classify
	switch to.Auth.Type {
	case config.AuthOAuth:
	case "":
		if d.OAuth == nil || header(to).Get("Authorization") != "" {
			return d.Client, nil
		}
	default:
		return d.Client, nil
	}
	o := d.auth
	client := http.Client{}
	if d.Client != nil {
		client = *d.Client
	}
	if s := &to.Auth.OAuth; s.ClientID != "" {
		o.Client = oauth.Client{ID: s.ClientID, Secret: s.ClientSecret}
	}
	if len(to.Auth.OAuth.Scopes) > 0 {
		o.Scopes = to.Auth.OAuth.Scopes
	}
	if l, ok := o.Authorizer.(*oauth.Loopback); ok {
		own := *l
		switch s := &to.Auth.OAuth; {
		case s.RedirectURI != "":
			own.RedirectURI = s.RedirectURI
		case s.CallbackPort != 0:
			own.RedirectURI = "http://127.0.0.1:" + strconv.Itoa(s.CallbackPort) + "/callback"
		}
		o.Authorizer = &own
	}
	if _, err := url.Parse(server); err != nil {
		return nil, errInvalidURL
	}
	client.Transport = oauth.New(server, &o)
	return &client, nil
}

// classify returns the category of an error of HTTP or OAuth.
func classify(err error) host.Category {
	if errors.Is(err, oauth.ErrLoginRequired) || is[*oauth.Error](err) || is[*oauth.ServerError](err) {
		return host.Authentication
	}
	if is[*streamhttp.RedirectError](err) || is[*sse.OriginError](err) {
		return host.Configuration
	}
	var status *streamhttp.StatusError
	if !errors.As(err, &status) {
		if is[*url.Error](err) || is[net.Error](err) {
			return host.Connection // such as a refused connection
		}
		return ""
	}
	switch {
	case status.Status == http.StatusUnauthorized || status.Status == http.StatusForbidden:
		return host.Authentication
	case status.Temporary():
		return host.Connection
	case status.Status/100 == 4:
		return host.Configuration
	}
	return host.Protocol
}

func is[T error](err error) bool {
	var e T
	return errors.As(err, &e)
}
