package oauth

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"time"

	"github.com/stdmcp/stdmcp/internal/display"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/mcp/httperr"
)

// Options configure a Transport. The zero value and nil are valid: then the
// Transport can send stored tokens, but not get a first one. An Options may be
// used for any number of Transports. Printing it shows no secrets.
type Options struct {
	// Base sends the requests to the server. Nil means a new http.Transport
	// configured like http.DefaultTransport. If Base is an *http.Transport, the
	// requests to authorization servers use its proxy and its TLS configuration,
	// except for settings of a single server, such as ServerName.
	Base http.RoundTripper

	// Store holds tokens and registrations. Nil means a new Memory.
	Store Store

	// Authorizer has the user authorize the program. If it and Grant are nil,
	// requests that need a new token fail with ErrLoginRequired.
	Authorizer Authorizer

	// Grant gets tokens without a user. If it is set, Authorizer is not used.
	Grant Grant

	// Client identifies the program if it is already registered.
	Client Client

	// ClientURL is the https URL of the program's client ID metadata document.
	// It is used if Client.ID is empty and the authorization server supports
	// such documents. If Client.Key is set, the client authenticates with it.
	ClientURL string

	// ClientName is the name for dynamic registration, which is used if neither
	// Client nor ClientURL is. Empty means "stdmcp".
	ClientName string

	// AskClient returns a client for the authorization server with this issuer.
	// It is called if no other registration is possible. The client must have an
	// ID and may have a Secret, but no Key. Nil means that the request fails.
	AskClient func(ctx context.Context, issuer string) (Client, error)

	// Scopes are requested in addition to those that the server demands. Empty
	// means the scopes in the server's metadata if the server demands none.
	Scopes []string

	// Parameters are added to authorization and token requests, such as "audience"
	// or "prompt". They cannot replace parameters of the protocol, which have
	// options of their own, nor change how the response is returned.
	Parameters map[string]string

	// Account tells apart logins at one URL: each has a token of its own in the
	// Store. Empty means the login that programs without accounts share.
	Account string

	// Name is the program's name for the server, for Trace.
	Name string

	// Trace observes the Transport.
	Trace *Trace

	// Issuer is the only authorization server to use, whichever ones the server
	// names. Empty means the one that the server names. The five options that
	// follow need it, because they weaken checks that protect the user from an
	// authorization server that the MCP server chooses.
	Issuer string

	// IssuerInMetadata is the issuer that the metadata of Issuer states, if it is
	// not Issuer itself. "{tenantid}" in it stands for any tenant, as in the
	// metadata of Entra ID's common and organizations endpoints.
	IssuerInMetadata string

	// RequestResource is sent as the parameter "resource" in place of the resource
	// that the server's metadata states. NoResource omits the parameter. Then the
	// token may be valid at other servers than this one, which receives it.
	RequestResource string

	// AssumePKCE permits metadata without code_challenge_methods_supported. The
	// Transport uses PKCE with S256 in any case, but such an authorization server
	// may ignore it.
	AssumePKCE bool

	// AuthorizationURL and TokenURL are the endpoints of Issuer. If TokenURL is
	// set, its metadata is not read.
	AuthorizationURL, TokenURL string

	// TrustDiscoveredIssuer permits ClientCredentials to send the client's secret
	// to whichever authorization server the server names, and device authorization
	// with it. Set it only for servers that you trust that far.
	TrustDiscoveredIssuer bool

	// Resource is the resource that the server's metadata must state. Empty
	// means the server's URL or a parent of it.
	Resource string

	// DPoP selects when tokens are bound to a key.
	DPoP DPoP

	// AllowHTTP permits tokens and metadata over http, for networks that are
	// protected by other means than TLS.
	AllowHTTP bool
}

// A Transport is an http.RoundTripper that authorizes the requests to one
// server.
type Transport struct {
	url           *url.URL
	err           error    // why url is invalid
	insecureError error    // why no token may be sent to url, such as http
	opts          *Options // a pointer, so that printing a copy shows no secret
	base          http.RoundTripper
	fetch         *fetcher
	store         Store
	hidden        display.Cache // see Hide

	mu               lock.Mutex // guards what follows
	loaded           bool       // tok and binding were read from the store
	tok              *token
	dropped          *token // refused and deleted; see secrets
	binding          binding
	nonces           nonces
	loading          *singleflight
	renewing         *singleflight
	renewingSilently *singleflight // renewals without the user, whose errors are ignored
	failed           failure
	denied           failure        // of the last question, which holds for any demand: a server could demand another scope each time
	refused          failure        // of the last refresh token that was not discarded
	stepUps          map[string]int // by operation
	accepted         accepted       // the client of the last login
}

// A failure is the error of an attempt to satisfy a demand. It is returned
// without a new attempt for holdTime: clients probe a server with several
// requests, and a user who denied access should not be asked for each of them.
type failure struct {
	demand demand
	token  *token // whose refresh was refused
	err    error
	until  time.Time
}

const holdTime = time.Minute

// NoResource as Options.RequestResource omits the parameter "resource".
const NoResource = "none"

// New returns a Transport for the server at url. It sends requests to other
// origins unchanged. If url is invalid, every request fails. New copies opts,
// which may be nil.
func New(url string, opts *Options) *Transport {
	t := &Transport{opts: &Options{}}
	if opts != nil {
		*t.opts = *opts
	}
	t.url, t.err = httpx.Parse(url)
	t.base, t.store = t.opts.Base, t.opts.Store
	if t.base == nil {
		t.base = httpx.NewTransport()
	}
	if t.store == nil {
		t.store = NewMemory()
	}
	t.fetch = newFetcher(t.base, t.url, t.opts.AllowHTTP)
	t.fetch.trust(t.opts.Issuer, t.opts.Client.Issuer, t.opts.AuthorizationURL, t.opts.TokenURL)
	if g, ok := t.opts.Grant.(Identity); ok {
		t.fetch.trust(g.TokenURL)
	}
	if t.err == nil {
		t.err = t.opts.check()
	}
	if t.err == nil {
		t.insecureError = t.fetch.check(t.url)
	}
	return t
}

// Client returns an http.Client that uses t.
func (t *Transport) Client() *http.Client { return &http.Client{Transport: t, Jar: httpx.OwnCookies} }

// CloseIdleConnections closes the idle connections of Options.Base. Closing an
// mcp.Client does not close them.
func (t *Transport) CloseIdleConnections() { closeIdle(t.base) }

// closeIdle closes the idle connections of rt, if it can.
func closeIdle(rt http.RoundTripper) {
	if c, ok := rt.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// maxSends limits how often one request is sent.
const maxSends = 8

// RoundTrip sends the request with a token, and gets a token when the server
// demands one. It repeats only requests without a body or with GetBody, which
// http.NewRequest sets for a body in memory. It sends a request that already
// has an Authorization header unchanged.
//
// If RoundTrip cannot get a token, the error matches streamhttp.StatusError,
// because the server refused the request, and one of [Error], [ServerError],
// [ErrLoginRequired], or the error of the Authorizer, the Grant or the Store.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := checkRequest(req); err != nil {
		return nil, err
	}
	if t.err != nil {
		closeBody(req)
		return nil, t.err
	}
	if !httpx.SameOrigin(req.URL, t.url) || req.Header.Get("Authorization") != "" {
		return t.base.RoundTrip(req)
	}
	k := t.current(req.Context())
	bestEffort := httpx.IsBestEffort(req.Context())
	o := operation{t: t, req: req}
	for sends := 1; ; sends++ {
		var used usedAddress
		resp, nonce, err := t.send(req, k, sends > 1, &used)
		if err != nil {
			return nil, err
		}
		isNew := k != nil && k.dpop && t.keepNonce(req.URL, resp.Header, nonce)
		d, ok := demandOf(resp)
		t.from(&d, &used)
		if !ok {
			if k != nil {
				k.proven.Store(true)
			}
			o.succeeded(resp)
			return resp, nil
		}
		nonceOnly := d.nonce && isNew
		if sends == maxSends || !canReplay(req) || bestEffort && !nonceOnly {
			return resp, nil
		}
		status := readRefusal(resp)
		if nonceOnly {
			continue
		}
		next, err := o.satisfyDemand(req.Context(), k, d)
		if err != nil {
			return nil, &refusedError{status, err}
		}
		k = next
	}
}

// readRefusal reads and closes a refusal within a second, so that it does not
// stay open while the user logs in.
func readRefusal(resp *http.Response) *httperr.StatusError {
	const wait = time.Second
	late := time.AfterFunc(wait, func() { _ = resp.Body.Close() })
	defer late.Stop()
	return httpx.NewStatusError(resp, "")
}

// send sends a copy of req with the token, and returns the nonce of its proof.
func (t *Transport) send(req *http.Request, k *token, again bool, used *usedAddress) (*http.Response, string, error) {
	r := req.WithContext(used.traced(req.Context()))
	if k == nil && !again {
		resp, err := t.base.RoundTrip(r)
		return resp, "", err
	}
	r.Header = maps.Clone(req.Header)
	if again && req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, "", err
		}
		r.Body = body
	}
	nonce := ""
	if k != nil {
		if k.dpop {
			nonce = t.nonceFor(r.URL)
		}
		if err := k.attach(r, nonce); err != nil {
			closeBody(r)
			return nil, "", err
		}
	}
	resp, err := t.base.RoundTrip(r)
	if err != nil {
		err = httpx.Redact(err, r)
	}
	return resp, nonce, err
}

// attach adds the token and its proof to a request.
func (k *token) attach(r *http.Request, nonce string) error {
	if r.Header == nil {
		r.Header = http.Header{}
	}
	if !k.dpop {
		r.Header["Authorization"] = []string{"Bearer " + k.access}
		return nil
	}
	proof, err := k.key.proof(r.Method, r.URL, k.access, nonce)
	if err != nil {
		return err
	}
	r.Header["Authorization"] = []string{"DPoP " + k.access}
	r.Header["Dpop"] = []string{proof}
	return nil
}

// checkRequest returns an error for a request that http.Client would not send.
func checkRequest(req *http.Request) error {
	if req == nil || req.URL == nil {
		return errRequest
	}
	return nil
}

var errRequest = errors.New("oauth: RoundTrip: the request or its URL is nil")

func canReplay(req *http.Request) bool {
	return req.Body == nil || req.Body == http.NoBody || req.GetBody != nil
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}
