package httpx

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/pause"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

const (
	// maxRedirects is the number of redirects that a request follows.
	maxRedirects = 5

	// maxHeader is the limit of the header of a response, in bytes.
	maxHeader = 1 << 20

	// pingAfter is the time without data after which an HTTP/2 connection is
	// checked with a ping.
	pingAfter = 30 * time.Second

	// idlePerHost is the number of idle connections that are kept.
	idlePerHost = 32
)

// BeginTimeout returns how long the server may take to accept the notification that
// begins a session. A server that received it and does not respond works nevertheless.
// limit is that of other messages.
func BeginTimeout(limit time.Duration) time.Duration {
	const most = 2 * time.Second
	if limit <= 0 || limit > most {
		return most
	}
	return limit
}

// A Client sends the requests of one connection to a server. Its methods may
// be used concurrently.
type Client struct {
	rt     http.RoundTripper
	jar    http.CookieJar // the caller's, if it is not nil
	own    *pool          // of rt, when it is not the caller's
	header http.Header
	closed atomic.Bool
	login  login

	keeps   bool // cookies of its own; see OwnCookies
	cookies atomic.Pointer[cookies]
}

// NewTransport returns the default RoundTripper for the requests to one server:
// a copy of [http.DefaultTransport] that keeps more idle connections or, if the
// program has replaced that with another type, http.DefaultTransport itself.
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

// An Observer is a RoundTripper of a program that also sees the requests that another one
// sends for it, such as those of a login.
type Observer interface {
	http.RoundTripper
	Observe(http.RoundTripper) http.RoundTripper
}

// New returns a Client that sends header, which it copies, with every request. It
// uses the Transport and the Jar of c. Without c, and with the Jar OwnCookies, it keeps
// cookies of its own unless header has some. If c or its Transport is nil, it uses one
// from [NewTransport], which it shares with the other open Clients of the same
// origin, such as https://example.com. It shares none if origin is empty.
//
// The error names the field of header that cannot be sent.
func New(origin string, c *http.Client, header http.Header) (*Client, error) {
	if err := CheckHeader(header); err != nil {
		return nil, err
	}
	if c == nil {
		c = &http.Client{Jar: OwnCookies}
	}
	n := &Client{rt: c.Transport, jar: c.Jar, header: canonical(header)}
	if n.jar == OwnCookies {
		n.jar, n.keeps = nil, n.header["Cookie"] == nil
	}
	if n.rt == nil {
		n.rt, n.own = openPool(origin)
	}
	return n, nil
}

// Open returns what a transport opens a connection with, unless ctx has ended:
// the URL raw and a Client for it, as [Parse] and [New] return them.
func Open(ctx context.Context, raw string, c *http.Client, header http.Header) (*url.URL, *Client, error) {
	if ctx.Err() != nil {
		return nil, nil, retry.Cause(ctx)
	}
	u, err := Parse(raw)
	if err != nil {
		return nil, nil, err
	}
	client, err := New(u.Scheme+"://"+u.Host, c, header)
	return u, client, err
}

// Close ends the use of the Client, which then sends no more requests. Without a
// transport of the caller, the last Client of an origin closes all connections; the
// requests of others end with their contexts. It leaves a transport of the caller
// alone, which may have other users.
func (c *Client) Close() {
	if !c.closed.Swap(true) && c.own != nil {
		c.own.release()
	}
}

// KeepsContexts reports whether the RoundTripper may be the caller's, which may wait
// for the end of a request's context after its response.
func (c *Client) KeepsContexts() bool { return c.own == nil }

// A Request is an HTTP request to be sent. It must not be changed.
type Request struct {
	Method string
	URL    *url.URL
	Header http.Header // replaces fields of the Client's header
	Body   []byte

	// CallHeader holds the fields that the caller of a call has set. They replace
	// others, and all are secret in errors. CheckCallHeader has checked them.
	CallHeader map[string][]string

	// HeaderTimeout limits the time until the header of the response, including
	// redirects. Zero means no limit but the context.
	HeaderTimeout time.Duration

	// IdleTimeout limits the time of each Read of the body. Zero means no limit
	// but the context.
	IdleTimeout time.Duration

	// Ends means that the caller ends the context after reading the response, and
	// asks the context for the cause of read errors. Without timeouts and limits,
	// Do then needs no context of its own.
	Ends bool

	// MaxBody limits the decompressed body, in bytes. Zero means no limit, as for
	// an event stream.
	MaxBody int64
}

// Do sends r and returns the response, whatever its status. The response's Request
// contains the URL after redirects. The caller closes the Body, which ctx ends.
//
// The error contains the method and the URL, and wraps a [*httperr.RedirectError], a
// [*httperr.TimeoutError], the cause of ctx, or an error of package net. Errors of the
// Body are the same, or match jsonrpc.ErrTooLarge.
func (c *Client) Do(ctx context.Context, r *Request) (*http.Response, error) {
	if r.Ends && r.HeaderTimeout == 0 && r.IdleTimeout == 0 && r.MaxBody == 0 {
		return c.do(ctx, r)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	if wait := r.HeaderTimeout; wait > 0 {
		t := pause.AfterFunc(ctx, wait, func() { cancel(&httperr.TimeoutError{What: "no response", After: wait}) })
		defer t.Stop()
		ctx = t
	}
	resp, err := c.do(ctx, r)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	resp.Body = &body{rc: resp.Body, ctx: ctx, cancel: cancel, idle: r.IdleTimeout, max: r.MaxBody}
	return resp, nil
}

// do is Do without timeouts and limits.
func (c *Client) do(ctx context.Context, r *Request) (*http.Response, error) {
	resp, err := c.follow(ctx, r)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, RequestError(r.Method, r.URL, err)
	}
	c.noteResponse()
	return resp, nil
}

// follow sends r and follows redirects.
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
			return nil, &httperr.RedirectError{Status: resp.StatusCode, From: Clean(u), To: Clean(next), Reason: "too many redirects"}
		}
		u = next
	}
}

func (c *Client) send(ctx context.Context, r *Request, u *url.URL) (*http.Response, error) {
	// http.NewRequest would parse the URL again.
	jar := c.jar
	if own := c.cookies.Load(); own != nil {
		jar = own
	}
	q := http.Request{Method: r.Method, URL: u, Host: u.Host, Header: r.Header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	if body := r.Body; len(body) > 0 {
		q.ContentLength = int64(len(body))
		q.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		q.Body, _ = q.GetBody()
	}
	// Requests share r.Header, so it is copied before anything is set in it, or if the
	// caller's RoundTripper could change it.
	if !c.mayUnzip() || len(c.header)+len(r.CallHeader) > 0 || u.User != nil || jar != nil || q.Header == nil {
		q.Header = make(http.Header, len(c.header)+len(r.Header)+1)
		for _, h := range [...]http.Header{c.header, r.Header} {
			maps.Copy(q.Header, h)
		}
		c.setEncoding(q.Header)
	}
	if len(r.CallHeader) > 0 {
		own := canonical(r.CallHeader)
		maps.Copy(q.Header, own)
		ctx = context.WithValue(ctx, callKey{}, own)
	}
	req := q.WithContext(ctx)
	if host := req.Header["Host"]; len(host) > 0 {
		req.Host = host[0]
	}
	if u.User != nil && req.Header["Authorization"] == nil {
		password, _ := u.User.Password()
		req.SetBasicAuth(u.User.Username(), password)
	}
	if jar != nil {
		for _, cookie := range jar.Cookies(u) {
			req.AddCookie(cookie)
		}
	}
	if c.closed.Load() {
		return nil, net.ErrClosed
	}
	resp, err := c.rt.RoundTrip(req)
	if err != nil && ctx.Err() == nil && isForeign(err) {
		resp, err = c.repeat(req)
	}
	if err != nil {
		return nil, Redact(err, req)
	}
	if c.keeps && jar == nil && resp.Header["Set-Cookie"] != nil {
		c.cookies.CompareAndSwap(nil, new(cookies))
		jar = c.cookies.Load()
	}
	if jar != nil {
		jar.SetCookies(u, resp.Cookies())
	}
	if acceptsGzip(r.Header) && c.mayUnzip() {
		unzip(resp)
	}
	if sent := resp.Request; sent != nil && sent != req {
		// NewStatusError needs the secrets that the RoundTripper has added.
		req = req.WithContext(context.WithValue(ctx, sentKey{}, sent.Header))
	}
	resp.Request = req
	return resp, nil
}

// isForeign reports whether err is the cause that ended the context of a request.
// net/http fails another request with it if that got the connection of the first
// one at the moment at which the first one ended, after a response without a body.
func isForeign(err error) bool {
	_, timeout := err.(*httperr.TimeoutError)
	return timeout || err == context.Canceled || err == context.DeadlineExceeded || errors.Is(err, jsonrpc.ErrClosed)
}

// repeat sends a request again, if the server may receive it twice, that has failed
// with the cause of another one.
func (c *Client) repeat(req *http.Request) (*http.Response, error) {
	if _, ok := req.Header["Idempotency-Key"]; ok || req.Method == http.MethodGet {
		req = req.WithContext(req.Context())
		if req.GetBody != nil {
			req.Body, _ = req.GetBody()
		}
		if resp, err := c.rt.RoundTrip(req); err == nil || !isForeign(err) {
			return resp, err
		}
	}
	return nil, errForeign
}

var errForeign = diag.Op("the connection ended with another request", io.ErrUnexpectedEOF)

// sentKey is the context key of the header that a RoundTripper sent, if that is
// another one than the request's.
type sentKey struct{}

// callKey is the context key of the header fields of a call.
type callKey struct{}

// RequestError returns the error of a request that got no response: with the method,
// the URL and what a user can do.
func RequestError(method string, u *url.URL, err error) error {
	return &requestError{method, Clean(u), err}
}

type requestError struct {
	method, url string
	err         error
}

func (e *requestError) Error() string {
	return e.method + " " + e.url + ": " + e.err.Error() + advice(e.err)
}
func (e *requestError) Unwrap() error { return e.err }
