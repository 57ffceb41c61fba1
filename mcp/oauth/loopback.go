package oauth

import (
	"context"
	"io"
	"net"
	"net/url"
	"strings"
	"time"
)

// A Loopback is an Authorizer that opens a browser and receives the answer on
// this machine (RFC 8252, section 7.3).
type Loopback struct {
	// Open shows a page to the person. Nil means OpenBrowser.
	Open func(ctx context.Context, url string) error

	// RedirectURI is where to listen: a URL of http at 127.0.0.1, [::1] or
	// localhost, for a client that is registered with it. Empty means some
	// free port of 127.0.0.1.
	RedirectURI string

	// Timeout is how long a person may take. Zero means five minutes.
	Timeout time.Duration

	// Paste takes the answer as well, unless it is nil: a person at a remote
	// shell has a browser from which nothing arrives here. Its RedirectURI is
	// not used. With it, a browser that cannot be opened is no error.
	Paste *Paste
}

const (
	defaultRedirect = "http://127.0.0.1/callback"
	userTimeout     = 5 * time.Minute
)

// Listen implements [Authorizer].
func (l *Loopback) Listen(ctx context.Context, last string) (Receiver, error) {
	fixed := l.RedirectURI
	if fixed == "" {
		fixed = defaultRedirect
	}
	u, err := url.Parse(fixed)
	if err != nil || u.Scheme != "http" || !isLoopback(u) || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, &Error{URL: clean(fixed), Rule: "a redirect URI that is received here must be of http on this machine, without a query"}
	}
	var config net.ListenConfig
	port := u.Port()
	if v, err := url.Parse(last); err == nil && l.RedirectURI == "" && v.Hostname() == u.Hostname() {
		port = v.Port()
	}
	host := u.Hostname()
	if host == "localhost" {
		host = "127.0.0.1"
	}
	ln, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, orZero(port)))
	if err != nil && u.Port() == "" {
		ln, err = config.Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return nil, &Error{URL: clean(fixed), Rule: "the answer cannot be received there", Err: err}
	}
	_, port, err = net.SplitHostPort(ln.Addr().String())
	if err != nil {
		_ = ln.Close()
		return nil, err
	}
	u.Host = net.JoinHostPort(u.Hostname(), port)
	return &receiver{l: l, ln: ln, uri: u}, nil
}

func orZero(port string) string {
	if port == "" {
		return "0"
	}
	return port
}

// A receiver listens for one answer.
type receiver struct {
	l   *Loopback
	ln  net.Listener
	uri *url.URL
}

func (r *receiver) RedirectURI() string { return r.uri.String() }
func (r *receiver) Close() error        { return r.ln.Close() }

// Authorize implements [Receiver].
func (r *receiver) Authorize(ctx context.Context, page string) (string, error) {
	wait := r.l.Timeout
	if wait == 0 {
		wait = userTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	u, err := url.Parse(page)
	if err != nil {
		return "", err
	}
	response := make(chan string, 2) // one from the browser, one that is pasted
	served := make(chan struct{})
	go func() { // ends when the listener and ctx do
		r.serve(ctx, u.Query().Get("state"), response)
		close(served)
	}()
	defer func() {
		_ = r.ln.Close()
		cancel()
		<-served
	}()
	open := r.l.Open
	if open == nil {
		open = OpenBrowser
	}
	if err := open(ctx, page); err != nil && r.l.Paste == nil {
		return "", err
	}
	if r.l.Paste != nil {
		if err := r.l.Paste.show(page, "If it ends at a page that cannot be shown, paste the address of that here:"); err != nil {
			return "", err
		}
		go r.takePaste(ctx, response) // ends with ctx
	}
	select {
	case a := <-response:
		return a, nil
	case <-ctx.Done():
		return "", &Error{URL: httpURL(u), Rule: "nobody authorized the program in time", Err: context.Cause(ctx)}
	}
}

// takePaste hands on the answer that is pasted, if there ever is one.
func (r *receiver) takePaste(ctx context.Context, response chan<- string) {
	for {
		a, err := r.l.Paste.line(ctx)
		if err != nil {
			return // there is still the browser
		}
		if strings.HasPrefix(a, r.RedirectURI()+"?") {
			response <- a
			return
		}
		_, _ = io.WriteString(r.l.Paste.Out, "That is not it; the address begins with "+r.RedirectURI()+"?\n")
	}
}

func httpURL(u *url.URL) string { return u.Scheme + "://" + u.Host + u.EscapedPath() }
