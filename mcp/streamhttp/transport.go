package streamhttp

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// defaultMaxMessage is the longest message that is taken unless set.
const defaultMaxMessage = 64 << 20

// Options are the settings of a Transport. The zero value and nil work.
type Options struct {
	// Client has the Transport and the Jar to use; its Timeout, which would cut
	// streams, and its CheckRedirect are not used. Nil means a transport of its
	// own like [http.DefaultTransport], with proxies from the environment, whose
	// connections end with the client; to close those of the Client's Transport
	// is up to who made it.
	Client *http.Client

	// Header is sent with every request, such as Authorization. It goes to the
	// origin of the URL and nowhere else.
	Header http.Header

	// MaxMessage is the length in bytes of the longest message that is taken,
	// decompressed. Zero means 64 MiB.
	MaxMessage int

	// HeaderTimeout is how long the server may take to begin the response to a
	// message. One that answers in JSON may begin when it is done, which takes
	// longer for some tools than for others. Zero means as long as the call may
	// take.
	HeaderTimeout time.Duration

	// IdleTimeout is how long a response that has begun may bring nothing, not
	// even a comment, before its call fails. Zero means as long as the call may
	// take.
	IdleTimeout time.Duration

	// NoStream leaves out the stream of a session on which the server sends
	// messages that belong to no call: changes, log messages, its own requests.
	NoStream bool
}

// A Transport reaches a server at a URL over Streamable HTTP.
type Transport struct {
	url  string
	opts Options
}

// New returns a Transport for the server at url. opts may be nil; it is copied.
func New(url string, opts *Options) *Transport {
	t := &Transport{url: url}
	if opts != nil {
		t.opts = *opts
		t.opts.Header = opts.Header.Clone()
	}
	if t.opts.MaxMessage <= 0 {
		t.opts.MaxMessage = defaultMaxMessage
	}
	return t
}

// Kind returns what messages call this kind of transport.
func (t *Transport) Kind() string { return "Streamable HTTP" }

// String returns the URL without secrets.
func (t *Transport) String() string {
	u, err := url.Parse(t.url)
	if err != nil {
		return "an invalid URL"
	}
	return httpx.Clean(u)
}

// Open returns a connection. Nothing is sent yet: that is up to the first call.
// The error says that the URL or a header cannot be used.
func (t *Transport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	u, err := httpx.Parse(t.url)
	if err != nil {
		return nil, err
	}
	client, err := httpx.New(t.opts.Client, t.opts.Header)
	if err != nil {
		return nil, err
	}
	return &conn{
		Dispatcher: jsonrpc.Dispatcher{Handler: h}, opts: &t.opts, url: u, http: client,
		ctx: context.WithoutCancel(ctx), done: make(chan struct{}), running: make(map[*exchange]struct{}),
		headers: make(map[headerKey]http.Header),
	}, nil
}

// A StatusError is a response that cannot be used: because of its status, or
// because it is something else than was asked for, such as a web page.
type StatusError = httpx.StatusError

// A RedirectError is a redirection that was not followed.
type RedirectError = httpx.RedirectError
