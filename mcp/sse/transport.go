package sse

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/eventstream"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/retry"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// defaultHeaderTimeout is the default of Options.HeaderTimeout.
const defaultHeaderTimeout = 30 * time.Second

// eventStream is the media type of event streams.
const eventStream = "text/event-stream"

// Options are the settings of a [Transport]. The zero value and nil are valid.
type Options struct {
	// Client provides the RoundTripper, which may add authorization, and the
	// cookie jar for requests. Its Timeout and CheckRedirect are not used. Nil
	// means a copy of [http.DefaultTransport]. The open clients of one origin
	// share the copy, and the last of them closes its connections. Without
	// Client, and without a Cookie in Header, each connection keeps up to 50
	// cookies of the server, 16 KiB in total, in memory. If Client is set, the caller closes its idle connections.
	Client *http.Client

	// Header is sent with every request, to the origin of the URL and nowhere
	// else.
	Header http.Header

	// Endpoint replaces the path or URL that the server announces for messages,
	// for servers behind a proxy that announce an unreachable one. It is relative
	// to the URL of the stream and must have the same origin. Unless it has a
	// query, the query of the announced URL is added.
	Endpoint string

	// HeaderTimeout limits the wait for the response to the request for the
	// stream, then for the announcement of the endpoint, and for the acceptance
	// of a notification or a response. The default is 30 s; negative means no limit.
	HeaderTimeout time.Duration

	// IdleTimeout limits the time without any data on the stream, after which
	// the connection ends. The default is no limit; negative means the same. Many
	// servers send a comment every 15 s; some send nothing without a reason.
	IdleTimeout time.Duration

	// MaxMessage is the maximum length in bytes of a message of the server.
	// The default is 64 MiB; negative means the same, as there is always a limit.
	MaxMessage int
}

// A Transport connects to the server whose event stream is at a URL, over
// HTTP+SSE. Open reads the fields and changes none of them.
type Transport struct {
	URL string // of the event stream
	Options
}

// New returns a Transport with a copy of opts, which may be nil.
func New(url string, opts *Options) *Transport {
	t := &Transport{URL: url}
	if opts != nil {
		t.Options = *opts
		t.Header = opts.Header.Clone()
	}
	return t
}

// Features names the server as String does, and the transport "HTTP+SSE".
func (t *Transport) Features() jsonrpc.TransportFeatures {
	return jsonrpc.TransportFeatures{Name: t.String(), Kind: "HTTP+SSE"}
}

// String returns the URL without its user and password, and with "..." for a query.
func (t *Transport) String() string { return httpx.Display(t.URL) }

// headerTimeout returns the limit of HeaderTimeout, or 0 for no limit.
func (t *Transport) headerTimeout() time.Duration {
	if t.HeaderTimeout == 0 {
		return defaultHeaderTimeout
	}
	return max(t.HeaderTimeout, 0)
}

// Open requests the event stream and waits until the server has announced its
// endpoint for messages. ctx bounds the opening; the connection keeps its values.
//
// Open fails if the URL or a header is invalid. Otherwise errors.As finds a
// [*StatusError] if the URL does not have this transport, and an [*OriginError]
// or [*RedirectError] if it leads to another origin. The error matches
// context.DeadlineExceeded if the server does not respond, and jsonrpc.ErrClosed
// if the stream ends before the endpoint event. Other errors wrap the error of
// net/http.
func (t *Transport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	u, client, err := httpx.Open(ctx, t.URL, t.Client, t.Header)
	if err != nil {
		return nil, err
	}
	c := &conn{Dispatcher: jsonrpc.Dispatcher{Handler: h}, http: client, done: make(chan struct{})}
	*c.Features() = jsonrpc.Features{MaxMessage: t.MaxMessage, Legacy: true, AcceptBatches: c.AcceptBatches, Explain: client.Explain}
	c.life, c.stop = context.WithCancelCause(c.withPause(context.WithoutCancel(ctx), jsonrpc.ID{}))
	stop := context.AfterFunc(ctx, func() { c.stop(context.Cause(ctx)) })
	err = t.open(c, u)
	if !stop() {
		err = retry.Cause(ctx)
		if explained := client.Explain(err); explained != nil {
			err = explained
		}
	}
	if err != nil {
		c.release(err)
		return nil, err
	}
	c.timeout = t.headerTimeout()
	c.run()
	return c, nil
}

// open opens the stream of c at u and finds its endpoint.
func (t *Transport) open(c *conn, u *url.URL) error {
	resp, err := c.http.Do(c.life, &httpx.Request{
		Method: "GET",
		URL:    u,
		Header: http.Header{
			"Accept":        {eventStream},
			"Cache-Control": {"no-store"},
			// Compression often delays events.
			"Accept-Encoding": {"identity"},
		},
		HeaderTimeout: t.headerTimeout(),
		IdleTimeout:   t.IdleTimeout,
	})
	if err != nil {
		return err
	}
	if err := httpx.Check(resp, eventStream); err != nil {
		return err
	}
	c.stream = resp.Body
	c.events = eventstream.NewReader(resp.Body, t.MaxMessage)
	op := "GET " + httpx.Clean(resp.Request.URL)
	ref, err := t.announced(c)
	if err == nil {
		c.endpoint, err = t.endpoint(resp.Request.URL, ref)
	}
	if err != nil {
		return diag.Op(op, err)
	}
	return nil
}

// announced returns the endpoint that the server announces.
func (t *Transport) announced(c *conn) (string, error) {
	if d := t.headerTimeout(); d > 0 {
		timer := time.AfterFunc(d, func() { c.stop(&httperr.TimeoutError{What: "no endpoint event", After: d}) })
		defer timer.Stop()
	}
	for {
		ev, err := c.events.Next()
		switch {
		case err == io.EOF:
			return "", jsonrpc.Closed(errNoEndpoint)
		case err != nil:
			return "", jsonrpc.Closed(err)
		case ev.Type == "endpoint":
			return strings.TrimSpace(string(ev.Data)), nil
		case ev.Type == "message":
			c.dropped(errEarly, ev.Data)
		}
	}
}

var (
	errNoEndpoint = errors.New("the stream ended before its endpoint event")
	errEarly      = errors.New("a message before the endpoint event")
)

// endpoint returns the URL for messages: ref or Options.Endpoint, resolved against
// base.
func (t *Transport) endpoint(base *url.URL, ref string) (*url.URL, error) {
	u, err := httpx.Resolve(base, ref)
	if t.Endpoint == "" {
		if err != nil {
			return nil, diag.Op("endpoint event", err)
		}
		return u, nil
	}
	own, err := httpx.Resolve(base, t.Endpoint)
	if err != nil {
		return nil, diag.Op("Options.Endpoint", err)
	}
	if _, query, _ := strings.Cut(ref, "?"); own.RawQuery == "" {
		own.RawQuery, _, _ = strings.Cut(query, "#")
	}
	return own, nil
}

// The errors of both HTTP transports, which package httperr describes.
type (
	// A StatusError is an invalid response.
	StatusError = httperr.StatusError

	// An OriginError is an endpoint with another scheme, host or port, to which
	// no credentials are sent.
	OriginError = httperr.OriginError

	// A RedirectError is a redirect that was not followed.
	RedirectError = httperr.RedirectError

	// A TimeoutError is the error for a server that did not respond in time.
	TimeoutError = httperr.TimeoutError
)
