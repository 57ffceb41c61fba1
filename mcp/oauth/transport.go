package oauth

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/stdmcp/stdmcp/internal/httpx"
)

// Options are the settings of a Transport. The zero value and nil work, as
// long as nobody needs to be asked. Printing them shows no secret.
type Options struct {
	// Base sends the requests to the server. Nil means a transport of its own
	// that is set up like http.DefaultTransport. If it is an http.Transport,
	// its proxy and TLS configuration serve for the requests to authorization
	// servers as well, but for what concerns one server, such as ServerName.
	Base http.RoundTripper

	// Store keeps tokens and registrations. Nil means in memory.
	Store Store

	// Authorizer has a person authorize the program. Nil means that nobody can
	// be asked; then errors match ErrLoginRequired.
	Authorizer Authorizer

	// Grant gets tokens without a person, in place of the Authorizer.
	Grant Grant

	// Client is how the program is registered, if it is. Otherwise ClientURL
	// is used where the authorization server knows such: the https URL of a
	// client-id metadata document, which goes with Client.Key if there is one.
	// Otherwise the program is registered as ClientName, and where that isn't
	// possible AskClient is called, for an ID and a Secret.
	Client     Client
	ClientURL  string
	ClientName string // empty means "stdmcp"
	AskClient  func(ctx context.Context, issuer string) (Client, error)

	// Scopes are asked for beside those that the server demands. Empty means
	// what the server says it needs.
	Scopes []string

	// Issuer is the authorization server to use, and the only one, whatever
	// the server says: of several, in place of a wrong one, or so that no other
	// ever sees what the program has.
	Issuer string

	// Resource is what the server's metadata must call it. Empty means its
	// URL, or one above that.
	Resource string

	// DPoP says when tokens are bound to a key.
	DPoP DPoP

	// AllowHTTP lets tokens and metadata be sent without TLS over networks
	// that are protected otherwise.
	AllowHTTP bool
}

// A Transport is an http.RoundTripper that authorizes the requests to one
// server.
type Transport struct {
	url             *url.URL
	err             error // why url cannot be used
	headerTransport error // why no token may go there
	opts            Options
	base            http.RoundTripper
	fetch           *fetcher
	store           Store

	mu               sync.Mutex // guards what follows
	loaded           bool       // what the store knows is here
	tok              *token
	binding          binding
	nonces           nonces
	loading          *singleflight
	renewing         *singleflight
	renewingSilently *singleflight // what needs nobody, and may fail without harm
	failed           failure
	stepUps          map[string]int // by operation
}

// A failure is the end of an attempt to meet a demand. The attempt is not
// repeated for holdTime: clients go on asking in other ways, and a person who
// has said no should not be asked again at once.
type failure struct {
	demand demand
	err    error
	until  time.Time
}

const holdTime = time.Minute

// New returns a Transport for the server at url, whose requests to other
// origins are sent as they are. opts may be nil; it is copied. A URL that
// cannot be used is an error of the first request.
func New(url string, opts *Options) *Transport {
	t := &Transport{}
	if opts != nil {
		t.opts = *opts
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
	t.fetch.trust(t.opts.Issuer, t.opts.Client.Issuer)
	if g, ok := t.opts.Grant.(Identity); ok {
		t.fetch.trust(g.TokenURL)
	}
	if t.err == nil {
		t.headerTransport = t.fetch.check(t.url)
	}
	return t
}

// Client returns an http.Client that uses t.
func (t *Transport) Client() *http.Client { return &http.Client{Transport: t} }

// CloseIdleConnections closes the connections to the server that no request
// uses, which otherwise wait for some time for others: to close an mcp.Client is
// not to close what sent its requests. Those of Options.Base are among them.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// maxSends bounds how often one request is sent, whatever a server answers.
const maxSends = 8

// RoundTrip sends the request with a token, and gets one when the server asks
// for it. It does so only for a request whose body can be sent again, which
// http.NewRequest sees to. For those that are mere courtesy it does no more than
// refresh a token that has expired. A request that has an Authorization field
// already is sent as it is.
//
// If there is no way to a token, the error matches streamhttp.StatusError too,
// as the server refused the request, and one of [Error], [ServerError],
// [ErrLoginRequired], or what the Authorizer, the Grant or the Store returned.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.err != nil {
		closeBody(req)
		return nil, t.err
	}
	if !httpx.SameOrigin(req.URL, t.url) || req.Header.Get("Authorization") != "" {
		return t.base.RoundTrip(req)
	}
	k := t.current(req.Context())
	quiet := httpx.IsBestEffort(req.Context())
	o := operation{t: t, req: req}
	for sends := 1; ; sends++ {
		resp, nonce, err := t.send(req, k, sends > 1)
		if err != nil {
			return nil, err
		}
		isNew := k != nil && k.dpop && t.keepNonce(req.URL, resp.Header, nonce)
		d, ok := demandOf(resp)
		if !ok {
			if k != nil {
				k.proven.Store(true)
			}
			o.succeeded(resp)
			return resp, nil
		}
		nonceOnly := d.nonce && isNew
		if sends == maxSends || !canReplay(req) || quiet && !nonceOnly {
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

// unusable reads what there is to read of a refusal, and closes it: nobody
// keeps it open while a person is asked.
func readRefusal(resp *http.Response) *httpx.StatusError {
	const wait = time.Second
	late := time.AfterFunc(wait, func() { _ = resp.Body.Close() })
	defer late.Stop()
	return httpx.NewStatusError(resp, "")
}

// send sends a copy of req with the token, and returns the nonce in its proof.
func (t *Transport) send(req *http.Request, k *token, again bool) (*http.Response, string, error) {
	if k == nil && !again {
		resp, err := t.base.RoundTrip(req)
		return resp, "", err
	}
	r := req.WithContext(req.Context())
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

// attach adds the token, and the proof that goes with it, to a request.
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

func canReplay(req *http.Request) bool {
	return req.Body == nil || req.Body == http.NoBody || req.GetBody != nil
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}
