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
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// defaultHeaderTimeout is how long a server may take to respond unless set.
const defaultHeaderTimeout = 30 * time.Second

// eventStream is the media type of event streams.
const eventStream = "text/event-stream"

// Options are what can be set for a [Transport]. The zero value of every field
// works.
type Options struct {
	// Client says how requests are sent: with its Transport, which is where
	// authorization is added, and its Jar. Its Timeout and CheckRedirect are
	// not used. By default requests are sent as [http.DefaultTransport] does,
	// over connections that end with the connection to the server; to close
	// those of the Client's Transport is up to who made it.
	Client *http.Client

	// Header is sent with every request.
	Header http.Header

	// Endpoint replaces the path to which messages are sent, or the whole URL,
	// for servers behind a proxy that know no better than to announce one that
	// leads nowhere. It is taken relative to the URL of the stream and must be
	// of the same origin. Unless it has a query, it gets the announced one.
	Endpoint string

	// HeaderTimeout is how long the server may take to respond to the request
	// for the stream, then to announce its endpoint, and to accept a message
	// that is no call. Zero means 30 seconds; less than that, no limit.
	HeaderTimeout time.Duration

	// IdleTimeout is how long the stream may be silent before the connection
	// ends. Zero means no limit. Many servers send a comment every 15 seconds;
	// some send nothing unless they have something to say.
	IdleTimeout time.Duration

	// MaxMessage is the length in bytes of the longest message that is taken.
	// Zero means 64 MiB.
	MaxMessage int
}

// A Transport connects to the server at a URL.
type Transport struct {
	url  *url.URL
	err  error // why there is no url
	opts Options
}

// New returns a Transport for the server whose event stream is at rawURL. opts
// may be nil; it is copied. If the URL is of no use, Open says so.
func New(rawURL string, opts *Options) *Transport {
	t := &Transport{}
	if opts != nil {
		t.opts = *opts
		t.opts.Header = opts.Header.Clone()
	}
	if t.opts.HeaderTimeout == 0 {
		t.opts.HeaderTimeout = defaultHeaderTimeout
	}
	t.url, t.err = httpx.Parse(rawURL)
	return t
}

// Kind returns what messages call this kind of transport.
func (t *Transport) Kind() string { return "HTTP+SSE" }

// String returns the server's URL, without what may be a secret in it.
func (t *Transport) String() string {
	if t.err != nil {
		return "an invalid URL"
	}
	return httpx.Clean(t.url)
}

// Open asks for the event stream and waits until the server has said where
// messages go to. ctx bounds that, and is not used any more afterwards except
// for its values.
//
// The error is, as errors.As finds it, a [*StatusError] when the URL is not
// one of this transport, and an [*OriginError] or a [*RedirectError] when it
// leads to somebody else. It matches context.DeadlineExceeded when the server
// keeps silent, and jsonrpc.ErrClosed when the stream ends before its endpoint
// event. Any other wraps what net/http says of the request.
func (t *Transport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	if t.err != nil {
		return nil, t.err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	client, err := httpx.New(t.opts.Client, t.opts.Header)
	if err != nil {
		return nil, err
	}
	c := newConn(ctx, client, h)
	stop := context.AfterFunc(ctx, func() { c.stop(context.Cause(ctx)) })
	err = t.open(c)
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		c.release(err)
		return nil, err
	}
	c.timeout = max(t.opts.HeaderTimeout, 0)
	c.run()
	return c, nil
}

// open opens the stream of c and finds its endpoint.
func (t *Transport) open(c *conn) error {
	resp, err := c.http.Do(c.life, &httpx.Request{
		Method: "GET",
		URL:    t.url,
		Header: http.Header{
			"Accept":        {eventStream},
			"Cache-Control": {"no-store"},
			// What compresses a stream often holds it back.
			"Accept-Encoding": {"identity"},
		},
		HeaderTimeout: max(t.opts.HeaderTimeout, 0),
		IdleTimeout:   t.opts.IdleTimeout,
	})
	if err != nil {
		return err
	}
	if err := httpx.Check(resp, eventStream); err != nil {
		return err
	}
	c.stream = resp.Body
	c.events = eventstream.NewReader(resp.Body, t.opts.MaxMessage)
	what := "GET " + httpx.Clean(resp.Request.URL)
	ref, err := t.announced(c)
	if err == nil {
		c.endpoint, err = t.endpoint(resp.Request.URL, ref)
	}
	if err != nil {
		return diag.Op(what, err)
	}
	return nil
}

// announced returns what the server says to be its endpoint.
func (t *Transport) announced(c *conn) (string, error) {
	if d := t.opts.HeaderTimeout; d > 0 {
		timer := time.AfterFunc(d, func() { c.stop(&httpx.TimeoutError{What: "no endpoint event", After: d}) })
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
		}
		c.dropped(errEarly, ev.Data)
	}
}

var (
	errNoEndpoint = errors.New("the stream ended before its endpoint event")
	errEarly      = errors.New("an event before the endpoint event")
)

// endpoint returns where messages go to: to the URL that ref, or
// Options.Endpoint, means in a document at base.
func (t *Transport) endpoint(base *url.URL, ref string) (*url.URL, error) {
	u, err := httpx.Resolve(base, ref)
	if t.opts.Endpoint == "" {
		if err != nil {
			return nil, diag.Op("endpoint event", err)
		}
		return u, nil
	}
	own, ownErr := httpx.Resolve(base, t.opts.Endpoint)
	if ownErr != nil {
		return nil, diag.Op("Options.Endpoint", ownErr)
	}
	if _, query, _ := strings.Cut(ref, "?"); own.RawQuery == "" {
		own.RawQuery, _, _ = strings.Cut(query, "#")
	}
	return own, nil
}

// Errors of the HTTP exchange. None of them repeats a credential.
type (
	// A StatusError is a response that cannot be used, because of its Status or
	// its ContentType. RetryAfter, WWWAuthenticate and a piece of the Body say
	// more. One with a status of success matches jsonrpc.ErrMalformed.
	StatusError = httpx.StatusError

	// An OriginError is an endpoint event that leads to another scheme, host or
	// port, where credentials must not go.
	OriginError = httpx.OriginError

	// A RedirectError is a redirect that was not followed: only 307 and 308 to
	// the same origin are.
	RedirectError = httpx.RedirectError

	// A TimeoutError is a server that kept silent. It matches
	// context.DeadlineExceeded and os.ErrDeadlineExceeded.
	TimeoutError = httpx.TimeoutError
)
