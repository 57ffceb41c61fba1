package httpx

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	// maxRedirects is how often a request is sent somewhere else.
	maxRedirects = 5

	// maxHeader is how long the header of a response may be.
	maxHeader = 1 << 20

	// pingAfter is how long a connection of HTTP/2 may be silent before the
	// server is asked whether it is still there.
	pingAfter = 30 * time.Second

	// idlePerHost is how many connections are kept for later requests.
	idlePerHost = 32
)

// A Client sends the requests of one connection to a server. Its methods may
// be used concurrently.
type Client struct {
	rt     http.RoundTripper
	jar    http.CookieJar
	header http.Header
	own    *http.Transport // rt, when it is not the caller's
	conns  *sockets        // of own
}

// NewTransport returns what sends the requests to one server if the caller does
// not say: a copy of [http.DefaultTransport] that is prepared for many of them,
// or what somebody has put in the place of that.
func NewTransport() http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	t = t.Clone()
	t.MaxResponseHeaderBytes = maxHeader
	t.MaxIdleConnsPerHost = idlePerHost
	if t.HTTP2 == nil {
		t.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter}
	}
	return t
}

// New returns a Client that sends header with every request. Of c it uses the
// Transport and the Jar. Without a Transport, or when c is nil, it has one of
// its own, of [NewTransport].
//
// The error says which field of header cannot be sent. New copies header.
func New(c *http.Client, header http.Header) (*Client, error) {
	if err := CheckHeader(header); err != nil {
		return nil, err
	}
	if c == nil {
		c = &http.Client{}
	}
	n := &Client{rt: c.Transport, jar: c.Jar, header: make(http.Header, len(header))}
	for name, values := range header {
		name = http.CanonicalHeaderKey(name)
		n.header[name] = append(n.header[name], values...)
	}
	if n.rt == nil {
		n.rt = NewTransport()
		if t, ok := n.rt.(*http.Transport); ok {
			n.setOwn(t)
		}
	}
	return n, nil
}

// setOwn notes the connections of t, which is nobody else's.
func (c *Client) setOwn(t *http.Transport) {
	c.conns = &sockets{base: t.DialContext}
	if t.DialContext == nil {
		c.conns.base = new(net.Dialer).DialContext
	}
	t.DialContext = c.conns.dial
	c.own = t
}

// Close closes all connections of a transport of its own; no request can be sent
// any more then. Those of a caller's transport are left to the caller, who may
// use them for something else.
func (c *Client) Close() {
	if c.own != nil {
		c.conns.close()
		c.own.CloseIdleConnections()
	}
}

// A Request is an HTTP request to be sent. Nothing in it is changed, and
// nothing may be changed any more.
type Request struct {
	Method string
	URL    *url.URL
	Header http.Header // beside that of the Client, or in its place
	Body   []byte

	// HeaderTimeout is how long the response may take to begin, in all. Zero
	// means as long as the context allows.
	HeaderTimeout time.Duration

	// IdleTimeout is how long the body of the response may bring nothing while
	// it is read. Zero means as long as the context allows.
	IdleTimeout time.Duration

	// Ends says that the context is ended by the caller when the response was
	// read, and that the caller asks it for the cause of errors in reading. It
	// spares Do a context of its own, unless there are time-outs or a limit.
	Ends bool

	// MaxBody is how many bytes of the body, decompressed, are read. Zero
	// means no limit: an event stream has no end.
	MaxBody int64
}

// Do sends r and returns the response, whatever its status. Its Request holds
// the URL that answered. Its Body must be closed, and ends with ctx.
//
// The error says method and URL and wraps the cause: a [*RedirectError], a
// [*TimeoutError], the cause of the end of ctx, or what package net reports.
// Reading from the Body fails with those, or with an error that matches
// jsonrpc.ErrTooLarge.
func (c *Client) Do(ctx context.Context, r *Request) (*http.Response, error) {
	if r.Ends && r.HeaderTimeout == 0 && r.IdleTimeout == 0 && r.MaxBody == 0 {
		return c.do(ctx, r)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	if wait := r.HeaderTimeout; wait > 0 {
		t := time.AfterFunc(wait, func() { cancel(&TimeoutError{"no response", wait}) })
		defer t.Stop()
	}
	resp, err := c.do(ctx, r)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	resp.Body = &body{rc: resp.Body, ctx: ctx, cancel: cancel, idle: r.IdleTimeout, max: r.MaxBody}
	return resp, nil
}

// do is Do without time-outs and limits.
func (c *Client) do(ctx context.Context, r *Request) (*http.Response, error) {
	resp, err := c.follow(ctx, r)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, &requestError{r.Method, Clean(r.URL), err}
	}
	return resp, nil
}

// follow sends r to its URL and to where that redirects to.
func (c *Client) follow(ctx context.Context, r *Request) (*http.Response, error) {
	u := r.URL
	for hops := 0; ; hops++ {
		resp, err := c.send(ctx, r, u)
		if err != nil {
			return nil, err
		}
		next, err := redirect(resp, u)
		if next == nil && err == nil {
			return resp, nil
		}
		_ = resp.Body.Close()
		if err != nil {
			return nil, err
		}
		if hops == maxRedirects {
			return nil, &RedirectError{resp.StatusCode, Clean(u), Clean(next), "too many redirects"}
		}
		u = next
	}
}

// send sends r to u.
func (c *Client) send(ctx context.Context, r *Request, u *url.URL) (*http.Response, error) {
	// As http.NewRequest does it, which would parse the URL.
	q := http.Request{Method: r.Method, URL: u, Host: u.Host, Header: r.Header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	if body := r.Body; len(body) > 0 {
		q.ContentLength = int64(len(body))
		q.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		q.Body, _ = q.GetBody()
	}
	// The caller's RoundTripper might change it, which it must not.
	if c.own == nil || len(c.header) > 0 || u.User != nil || c.jar != nil || q.Header == nil {
		q.Header = make(http.Header, len(c.header)+len(r.Header)+1)
		maps.Copy(q.Header, c.header)
		maps.Copy(q.Header, r.Header)
	}
	req := q.WithContext(ctx)
	if host := req.Header["Host"]; len(host) > 0 {
		req.Host = host[0]
	}
	if u.User != nil && req.Header["Authorization"] == nil {
		password, _ := u.User.Password()
		req.SetBasicAuth(u.User.Username(), password)
	}
	if c.jar != nil {
		for _, cookie := range c.jar.Cookies(u) {
			req.AddCookie(cookie)
		}
	}
	resp, err := c.rt.RoundTrip(req)
	if err != nil {
		return nil, Redact(err, req)
	}
	if c.jar != nil {
		c.jar.SetCookies(u, resp.Cookies())
	}
	if sent := resp.Request; sent != nil && sent != req {
		// NewStatusError needs the secrets that the RoundTripper has added.
		req = req.WithContext(context.WithValue(ctx, sentKey{}, sent.Header))
	}
	resp.Request = req
	return resp, nil
}

// sentKey is the context key of the header that a RoundTripper sent, if that is
// another one than the request's.
type sentKey struct{}

// requestError says which request failed.
type requestError struct {
	method, url string
	err         error
}

func (e *requestError) Error() string { return e.method + " " + e.url + ": " + e.err.Error() }
func (e *requestError) Unwrap() error { return e.err }
