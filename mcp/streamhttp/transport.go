package streamhttp

import (
	"context"
	"net/http"
	"time"

	"github.com/stdmcp/stdmcp/internal/buffers"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// Options are the settings of a Transport. The zero value and nil are valid.
type Options struct {
	// Client provides the RoundTripper and the cookie jar for requests. Its
	// Timeout, which would cut streams, and its CheckRedirect are not used. Nil
	// means a copy of [http.DefaultTransport], with proxies from the environment.
	// The open clients of one origin share the copy, and the last of them closes
	// its connections. Without Client, and without a Cookie in Header, each
	// connection keeps up to 50 cookies of the server, 16 KiB in total, in memory.
	// If Client is set, the caller closes its idle connections.
	Client *http.Client

	// Header is sent with every request, to the origin of the URL and nowhere
	// else.
	Header http.Header

	// MaxMessage is the maximum length in bytes of a message of the server,
	// decompressed. The default is 64 MiB; negative means the same, as there is
	// always a limit.
	MaxMessage int

	// HeaderTimeout limits the wait for the header of the response to a message.
	// A server that responds with JSON may send the header only when the result
	// is ready. The error matches context.DeadlineExceeded. The default is no limit
	// other than that of the call; negative means the same.
	HeaderTimeout time.Duration

	// IdleTimeout limits the time without any data, comments included, within
	// the body of a response. The default is no limit other than that of the call;
	// negative means the same.
	IdleTimeout time.Duration

	// NoStream disables a session's stream for messages that belong to no call:
	// changes, log messages, the server's own requests.
	NoStream bool
}

// A Transport connects to the server at a URL over Streamable HTTP. Open reads
// the fields and changes none of them.
type Transport struct {
	URL string // to which each message is sent
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

// Features names the server as String does, and the transport "Streamable HTTP".
func (t *Transport) Features() jsonrpc.TransportFeatures {
	return jsonrpc.TransportFeatures{Name: t.String(), Kind: "Streamable HTTP"}
}

// String returns the URL without its user and password, and with "..." for a query.
func (t *Transport) String() string { return httpx.Display(t.URL) }

// Open returns a connection and sends nothing yet. It fails only if the URL or
// a header is invalid.
func (t *Transport) Open(ctx context.Context, h jsonrpc.Handler) (jsonrpc.Conn, error) {
	u, client, err := httpx.Open(ctx, t.URL, t.Client, t.Header)
	if err != nil {
		return nil, err
	}
	c := &conn{
		Dispatcher: jsonrpc.Dispatcher{Handler: h}, opts: t.Options, url: u, http: client,
		ctx:     context.WithoutCancel(ctx),
		headers: make(map[headerKey]http.Header), bindings: make(map[string]*toolBindings),
	}
	c.life, c.end = context.WithCancel(context.Background())
	c.opts.MaxMessage = buffers.MessageLimit(t.MaxMessage)
	c.bindingBudget.SetMax(c.opts.MaxMessage / 8)
	*c.Features() = jsonrpc.Features{
		MaxMessage: c.opts.MaxMessage, Stateless: true, Owner: c,
		AcceptBatches: c.AcceptBatches, BindArguments: c.bindArguments, ForgetArguments: c.forgetArguments, StreamLate: &c.late, Explain: c.http.Explain,
	}
	return c, nil
}

// The errors of both HTTP transports, which package httperr describes.
type (
	// A StatusError is an invalid response.
	StatusError = httperr.StatusError

	// A RedirectError is a redirect that was not followed.
	RedirectError = httperr.RedirectError

	// A TimeoutError is the error for a server that did not respond in time.
	TimeoutError = httperr.TimeoutError
)
