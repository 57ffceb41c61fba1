package oauth

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/stdmcp/stdmcp/internal/httpx"
)

const (
	fetchTime    = 10 * time.Second // for a metadata document, redirects included
	postTime     = 30 * time.Second // for a registration or token
	maxDocument  = 1 << 20
	maxRedirects = 5
)

// A fetcher sends the requests to authorization servers and for metadata. Where
// they go is said by servers, so it looks at each URL, and at each address that
// a name stands for.
type fetcher struct {
	rt        *http.Transport
	resource  *url.URL
	allowHTTP bool
	resolver  *net.Resolver   // nil means that of the machine
	trusted   map[string]bool // hosts that the program itself has named

	mu    sync.Mutex // guards what follows
	known bool
	zone  zone // that of the resource, when it is known
}

// A limit is what the address of a request's target must keep to.
type addressLimit struct {
	resourceZone zone // that of the resource
	loopbackOnly bool // it must be this machine, as there is no TLS
}

// limitKey is for the limit in the context of a request.
type addressLimitKey struct{}

func (l addressLimit) check(a netip.Addr) error {
	if l.loopbackOnly && zoneOf(a) != loopback {
		return &Error{Rule: "a name of this machine stands for another one, and http is trusted on this machine only"}
	}
	return l.resourceZone.check(a)
}

// newFetcher returns a fetcher that uses the proxy and the TLS configuration
// of base, if that is an http.Transport, but dials itself.
func newFetcher(base http.RoundTripper, resource *url.URL, allowHTTP bool) *fetcher {
	f := &fetcher{resource: resource, allowHTTP: allowHTTP}
	f.rt = &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    fetchTime,
		MaxResponseHeaderBytes: maxDocument,
		// A connection that is used again would have been checked for
		// another request; these requests are few.
		DisableKeepAlives: true,
	}
	if t, ok := base.(*http.Transport); ok {
		t = t.Clone() // waits for the first request, which changes the TLS configuration
		f.rt.Proxy = t.Proxy
		if c := t.TLSClientConfig; c != nil {
			// What is for one server, or set by net/http, is not for others.
			c.NextProtos, c.ServerName, c.EncryptedClientHelloConfigList = nil, "", nil
			f.rt.TLSClientConfig = c
		}
	}
	f.rt.DialContext = f.dial
	return f
}

// vouch says that the program has named the URLs, if they are any, so that
// they may be anywhere.
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
			ap, err := netip.ParseAddrPort(addr)
			if err != nil {
				return err
			}
			return l.check(ap.Addr())
		}
	}
	return d.DialContext(ctx, network, addr)
}

// guard returns the context for a request, in which addresses are looked at.
func (f *fetcher) withAddressCheck(ctx context.Context, req *http.Request) (context.Context, error) {
	if f.trusted[strings.ToLower(req.URL.Host)] {
		return ctx, nil
	}
	l := addressLimit{f.resourceZone(ctx), req.URL.Scheme == "http" && !f.allowHTTP}
	if f.rt.Proxy != nil {
		if proxy, err := f.rt.Proxy(req); err == nil && proxy != nil {
			// The proxy resolves the name; what can be seen here is seen.
			if a, err := netip.ParseAddr(req.URL.Hostname()); err == nil {
				return ctx, l.check(a)
			}
			return ctx, nil
		}
	}
	return context.WithValue(ctx, addressLimitKey{}, l), nil
}

// from returns the zone of the resource. It does not change, whatever its name
// stands for later.
func (f *fetcher) resourceZone(ctx context.Context) zone {
	f.mu.Lock()
	z, known := f.zone, f.known
	f.mu.Unlock()
	if known {
		return z
	}
	z, known = zoneOfHost(ctx, f.resolver, f.resource)
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.known {
		f.zone, f.known = z, known
	}
	return z
}

// check returns nil if something may be fetched from u, or sent there.
func (f *fetcher) check(u *url.URL) error {
	rule := ""
	switch {
	case u.Hostname() == "" || u.Opaque != "":
		rule = "not an absolute URL with a host"
	case u.User != nil:
		rule = "a URL with credentials is not trusted"
	case u.Scheme == "https":
		return nil
	case u.Scheme != "http":
		rule = "only https is trusted, and http on this machine"
	case f.allowHTTP, isLoopback(u) && isLoopback(f.resource):
		return nil
	default:
		rule = "only https is trusted (Communication Security); http only on this machine, for a server on this machine"
	}
	return &Error{URL: clean(u.String()), Rule: rule}
}

// parse parses and checks a URL that somebody else wrote.
func (f *fetcher) parse(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, &Error{Rule: "an invalid URL"}
	}
	if err := f.check(u); err != nil {
		return nil, err
	}
	return u, nil
}

// An answer is a response that was read to its end.
type response struct {
	url    string // without query
	status int
	header http.Header
	body   []byte
}

// get fetches a document and follows redirects.
func (f *fetcher) get(ctx context.Context, u *url.URL, header http.Header) (*response, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	for range maxRedirects + 1 {
		a, err := f.send(ctx, http.MethodGet, u, header, nil)
		if err != nil {
			return nil, err
		}
		if a.status/100 != 3 {
			return a, nil
		}
		next, err := u.Parse(a.header.Get("Location"))
		if err != nil || a.header.Get("Location") == "" {
			return nil, &Error{URL: a.url, Rule: "a redirect to nowhere"}
		}
		if err := f.check(next); err != nil {
			return nil, &Error{URL: a.url, Rule: "redirects to", Err: err}
		}
		u = next
	}
	return nil, &Error{URL: httpx.Clean(u), Rule: "too many redirects"}
}

// post sends a body. Redirects are not followed: what is sent is secret.
func (f *fetcher) post(ctx context.Context, u *url.URL, header http.Header, body []byte) (*response, error) {
	ctx, cancel := context.WithTimeout(ctx, postTime)
	defer cancel()
	a, err := f.send(ctx, http.MethodPost, u, header, body)
	if err == nil && a.status/100 == 3 {
		return nil, &Error{URL: a.url, Rule: "a redirect, which is not followed with secrets"}
	}
	return a, err
}

func (f *fetcher) send(ctx context.Context, method string, u *url.URL, header http.Header, body []byte) (*response, error) {
	if err := f.check(u); err != nil {
		return nil, err
	}
	where := httpx.Clean(u)
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, &Error{URL: where, Rule: "not a URL that can be asked"}
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Accept", "application/json")
	protectedServer, err := f.withAddressCheck(ctx, req)
	if err != nil {
		return nil, &Error{URL: where, Rule: "not fetched", Err: err}
	}
	resp, err := f.rt.RoundTrip(req.WithContext(protectedServer))
	if err != nil {
		form, _ := url.ParseQuery(string(body))
		return nil, &Error{URL: where, Rule: "no answer to " + method, Err: httpx.Redact(err, req, secretsOf(form, nil)...)}
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument+1))
	if err != nil {
		return nil, &Error{URL: where, Rule: "the answer broke off", Err: err}
	}
	if len(data) > maxDocument {
		return nil, &Error{URL: where, Rule: "an answer of more than 1 MiB"}
	}
	return &response{where, resp.StatusCode, resp.Header, data}, nil
}

// isJSON reports whether the answer is a success that holds JSON.
func (a *response) isJSON() bool {
	t := httpx.MediaType(a.header)
	return a.status == http.StatusOK && (t == "application/json" || len(t) > 5 && t[len(t)-5:] == "+json")
}
