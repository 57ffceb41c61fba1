// Package dialers has the dialers of all types of servers that package host
// knows, and all that they link: net/http, crypto/tls, authorization.
//
//	h := host.New(&host.Options{Dialers: dialers.All(nil)})
//
// # Authorization
//
// A token of the settings is sent in the header that they say. Servers that
// want more are authorized by package oauth, as Options.OAuth says; without a
// way to ask somebody they come to the state host.NeedsAuth.
//
// # Concurrency
//
// Dialers may be used by any number of goroutines at once.
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

// Options are what all servers have in common. The zero value and nil work.
type Options struct {
	// Client says how requests are sent, as the options of the transports do.
	Client *http.Client

	// OAuth says how servers are authorized whose settings ask for that, or say
	// nothing about it. Its Client, Scopes and redirection are taken from the
	// settings of the server if they are there. Nil means that nobody can be
	// asked.
	OAuth *oauth.Options

	// InProcess are the servers of type sdk; see host.InProcess.
	InProcess map[string]mcp.Transport
}

// All returns the dialers of all types.
func All(o *Options) host.Dialers {
	d := &dialers{}
	if o != nil {
		d.Options = *o
	}
	if d.OAuth != nil {
		d.auth = *d.OAuth
	}
	if d.auth.Store == nil {
		d.auth.Store = oauth.NewMemory() // for all connections, one after another
	}
	if d.auth.Base == nil && d.Client != nil {
		d.auth.Base = d.Client.Transport
	}
	if d.auth.Base == nil {
		d.auth.Base = httpx.NewTransport() // likewise
	}
	return host.Dialers{
		config.Stdio:         host.Stdio,
		config.HTTP:          d.http,
		config.SSE:           d.sse,
		config.SDK:           host.InProcess(d.InProcess),
		config.ClaudeAIProxy: d.proxy,
	}
}

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

// proxy is for servers that a proxy knows by an id, which takes the place of
// {id} or {server_id} in the URL, or else is added to its path.
func (d *dialers) proxy(to *host.DialParams) (mcp.Transport, error) {
	id := url.PathEscape(to.ID)
	at := strings.NewReplacer("{id}", id, "{server_id}", id).Replace(to.URL)
	if at == to.URL {
		u, err := url.Parse(at)
		if err != nil {
			return nil, errors.New("the URL cannot be used") // the error would show it
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

// client returns what sends the requests to a server.
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
		return nil, errors.New("the URL cannot be used")
	}
	client.Transport = oauth.New(server, &o)
	return &client, nil
}

// classify tells what kind of errors those of HTTP are.
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
			return host.Connection // such as one that is refused
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
