package oauth

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/stdmcp/stdmcp/internal/buffers"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/lock"
	"github.com/stdmcp/stdmcp/mcp/httperr"
)

const (
	fetchTime    = 10 * time.Second // for a metadata document, including redirects
	postTime     = 30 * time.Second // for a registration or token request
	maxDocument  = 1 << 20
	maxRedirects = 5
)

// A fetcher sends the requests for metadata and to authorization servers. Their
// URLs come from servers, so it checks each URL and each address that a host
// name resolves to.
type fetcher struct {
	rt        *http.Transport
	seen      http.RoundTripper // rt, or what observes it
	resource  *url.URL
	allowHTTP bool
	resolver  *net.Resolver   // nil means the system's
	trusted   map[string]bool // hosts that the program configured

	mu    lock.Mutex // guards what follows
	known bool
	zone  zone // the resource's, once known
}

// An addressLimit restricts the address to which a request may connect.
type addressLimit struct {
	resourceZone zone // that of the resource
	loopbackOnly bool // it must be this machine, as there is no TLS
}

// addressLimitKey is the context key of a request's addressLimit.
type addressLimitKey struct{}

func (l addressLimit) check(a netip.Addr) error {
	if l.loopbackOnly && zoneOf(a) != loopback {
		return ruleError("", "a name for this machine resolves to another machine; http is allowed on this machine only", nil)
	}
	return l.resourceZone.check(a)
}

// newFetcher returns a fetcher that uses the proxy and the TLS configuration of
// base, if that is an http.Transport, but dials with its own checks.
func newFetcher(base http.RoundTripper, resource *url.URL, allowHTTP bool) *fetcher {
	f := &fetcher{resource: resource, allowHTTP: allowHTTP}
	f.rt = &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    fetchTime,
		MaxResponseHeaderBytes: maxDocument,
		// A reused connection would have been checked for another request,
		// and these requests are few.
		DisableKeepAlives: true,
	}
	if t, ok := base.(*http.Transport); ok {
		t = t.Clone() // synchronizes with the first request, which changes the TLS configuration
		f.rt.Proxy = t.Proxy
		if c := t.TLSClientConfig; c != nil {
			// These are settings of a single server, or of net/http itself.
			c.NextProtos, c.ServerName, c.EncryptedClientHelloConfigList = nil, "", nil
			f.rt.TLSClientConfig = c
		}
	}
	f.rt.DialContext = f.dial
	f.seen = f.rt
	if o, ok := base.(httpx.Observer); ok {
		f.seen = o.Observe(f.rt)
	}
	return f
}

// trust exempts the hosts of URLs that the program configured from the address
// check. It ignores strings that are not URLs with a host.
func (f *fetcher) trust(urls ...string) {
	for _, raw := range urls {
		if u, err := url.Parse(raw); err == nil && u.Host != "" {
			if f.trusted == nil {
				f.trusted = map[string]bool{}
			}
			f.trusted[strings.ToLower(u.Host)] = true
		}
	}
}

func (f *fetcher) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	d := net.Dialer{Timeout: fetchTime, Resolver: f.resolver}
	if l, ok := ctx.Value(addressLimitKey{}).(addressLimit); ok {
		d.ControlContext = func(_ context.Context, _, addr string, _ syscall.RawConn) error {
			a, err := addressIn(addr)
			if err != nil {
				return err
			}
			return l.check(a)
		}
	}
	return d.DialContext(ctx, network, addr)
}

// withAddressCheck returns a context in which dial checks the address of req.
// Behind a proxy it checks a literal address itself.
func (f *fetcher) withAddressCheck(ctx context.Context, req *http.Request) (context.Context, error) {
	if f.trusted[strings.ToLower(req.URL.Host)] {
		return ctx, nil
	}
	l := addressLimit{f.resourceZone(ctx), req.URL.Scheme == "http" && !f.allowHTTP}
	if f.rt.Proxy != nil {
		if proxy, err := f.rt.Proxy(req); err == nil && proxy != nil {
			// The proxy resolves names, so only literal addresses can be checked.
			if a, err := netip.ParseAddr(req.URL.Hostname()); err == nil {
				return ctx, l.check(a)
			}
			return ctx, nil
		}
	}
	return context.WithValue(ctx, addressLimitKey{}, l), nil
}

// resourceZone returns the zone of the address that the resource answered from.
// If that is unknown, it is the zone that its name has now, which then stays the
// same.
func (f *fetcher) resourceZone(ctx context.Context) zone {
	if z, ok := ctx.Value(zoneKey{}).(zone); ok {
		return z
	}
	f.mu.Lock()
	z, known := f.zone, f.known
	f.mu.Unlock()
	if known {
		return z
	}
	z, known = zoneOfHost(ctx, f.resolver, f.resource)
	f.mu.Lock()
	if !f.known {
		f.zone, f.known = z, known
	}
	f.mu.Unlock()
	return z
}

// check returns an error if u must not be fetched or sent to.
func (f *fetcher) check(u *url.URL) error {
	rule := ""
	switch {
	case u.Hostname() == "" || u.Opaque != "":
		rule = "not an absolute URL with a host"
	case u.User != nil:
		rule = "the URL must not contain credentials"
	case u.Scheme == "https":
		return nil
	case u.Scheme != "http":
		rule = "the URL must be https, or http on this machine"
	case f.allowHTTP, isLoopback(u) && isLoopback(f.resource):
		return nil
	default:
		rule = "the URL must be https (Communication Security); http is allowed only if it and the MCP server are on this machine"
	}
	return ruleError(clean(u.String()), rule, nil)
}

// parse parses and checks a URL from a server.
func (f *fetcher) parse(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, ruleError("", "invalid URL", nil)
	}
	if err := f.check(u); err != nil {
		return nil, err
	}
	return u, nil
}

// withTimeout is context.WithTimeout with an httperr.TimeoutError as the cause.
func withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, &httperr.TimeoutError{What: "no response", After: d})
}

// A response is one that was read to its end.
type response struct {
	url    string // without user, password and query
	status int
	header http.Header
	body   []byte
}

// get fetches a document and follows redirects. If a redirect cannot be followed, it
// returns the response with the error.
func (f *fetcher) get(ctx context.Context, u *url.URL, header http.Header) (*response, error) {
	ctx, cancel := withTimeout(ctx, fetchTime)
	defer cancel()
	var last *response
	for range maxRedirects + 1 {
		a, err := f.send(ctx, http.MethodGet, u, header, nil)
		if err != nil {
			return nil, err
		}
		if a.status/100 != 3 {
			return a, nil
		}
		last = a
		next, err := httpx.ParseReference(u, a.header.Get("Location"))
		if err != nil || a.header.Get("Location") == "" {
			return a, ruleError(a.url, "a redirect without a valid Location", nil)
		}
		if err := f.check(next); err != nil {
			return a, ruleError(a.url, "refused redirect", err)
		}
		u = next
	}
	return last, ruleError(httpx.Clean(u), "too many redirects", nil)
}

// post sends a body. It follows redirects of a public one, which has no secrets, if they
// keep the method and the body (RFC 9110, section 15.4) and the origin: the body goes to
// the server that it is for.
func (f *fetcher) post(ctx context.Context, u *url.URL, header http.Header, body []byte, public bool) (*response, error) {
	ctx, cancel := withTimeout(ctx, postTime)
	defer cancel()
	for range maxRedirects + 1 {
		a, err := f.send(ctx, http.MethodPost, u, header, body)
		if err != nil || a.status/100 != 3 {
			return a, err
		}
		next, err := httpx.ParseReference(u, a.header.Get("Location"))
		switch {
		case !public:
			return nil, ruleError(a.url, "the server redirected a request that has secrets", nil)
		case err != nil || a.header.Get("Location") == "" || !httpx.SameOrigin(next, u) ||
			a.status != http.StatusTemporaryRedirect && a.status != http.StatusPermanentRedirect:
			return nil, ruleError(a.url, "refused redirect of a registration: it must be 307 or 308, to the same origin", nil)
		}
		u = next
	}
	return nil, ruleError(httpx.Clean(u), "too many redirects", nil)
}

func (f *fetcher) send(ctx context.Context, method string, u *url.URL, header http.Header, body []byte) (*response, error) {
	if err := f.check(u); err != nil {
		return nil, err
	}
	where := httpx.Clean(u)
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, ruleError(where, "invalid URL", nil)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Accept", "application/json")
	checked, err := f.withAddressCheck(ctx, req)
	if err != nil {
		return nil, ruleError(where, "refused to connect", err)
	}
	resp, err := f.seen.RoundTrip(req.WithContext(checked))
	if err != nil {
		form, _ := url.ParseQuery(string(body))
		return nil, ruleError(where, "no response to "+method, httpx.Redact(err, req, secretsOf(form, nil)...))
	}
	defer resp.Body.Close()
	data, err := buffers.ReadUpTo(resp.Body, maxDocument+1)
	if err != nil {
		return nil, ruleError(where, "cannot read the response", err)
	}
	if len(data) > maxDocument {
		return nil, ruleError(where, "the response is larger than 1 MiB", nil)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	return &response{where, resp.StatusCode, resp.Header, data}, nil
}

func (a *response) isSuccess() bool { return a.status/100 == 2 }

// isObject reports whether the response is a success and looks like a JSON object, whatever
// its media type says: many servers send metadata as text.
func (a *response) isObject() bool {
	return a.isSuccess() && bytes.HasPrefix(bytes.TrimLeft(a.body, " \t\r\n"), []byte("{"))
}
