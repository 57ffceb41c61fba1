package oauth

import (
	"context"
	"maps"
	"net/http"
	"net/url"

	"github.com/stdmcp/stdmcp/internal/httpx"
)

// Bearer returns a RoundTripper that adds a token from src to the requests to
// the origin of server, and to no others. If the server refuses the token, it
// sends the request once more if src returns another token. base sends the
// requests; nil means a new http.Transport configured like
// http.DefaultTransport. If server is an invalid URL or src is nil, every
// request fails.
func Bearer(server string, src Source, base http.RoundTripper) http.RoundTripper {
	return newHeaderTransport(server, "Authorization", "Bearer ", src, base)
}

// StaticHeader is like Bearer, but adds the header with the given name and a value
// from src, such as an API key.
func StaticHeader(server, name string, src Source, base http.RoundTripper) http.RoundTripper {
	return newHeaderTransport(server, name, "", src, base)
}

// A headerTransport is the RoundTripper of Bearer and Header.
type headerTransport struct {
	url          *url.URL
	err          error
	name, prefix string
	src          Source
	base         http.RoundTripper
}

func newHeaderTransport(server, name, prefix string, src Source, base http.RoundTripper) *headerTransport {
	p := &headerTransport{name: http.CanonicalHeaderKey(name), prefix: prefix, src: src, base: base}
	p.url, p.err = httpx.Parse(server)
	if p.err == nil {
		p.err = httpx.CheckHeader(http.Header{name: nil})
	}
	if p.base == nil {
		p.base = httpx.NewTransport()
	}
	return p
}

func (p *headerTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := checkRequest(req); err != nil {
		return nil, err
	}
	if p.err != nil {
		closeBody(req)
		return nil, p.err
	}
	if !httpx.SameOrigin(req.URL, p.url) || req.Header.Get(p.name) != "" {
		return p.base.RoundTrip(req)
	}
	value, err := p.value(req.Context())
	if err != nil {
		closeBody(req)
		return nil, err
	}
	resp, err := p.send(req, value)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || !canReplay(req) {
		return resp, err
	}
	again, err := p.value(req.Context())
	if err != nil || again == value {
		return resp, nil
	}
	next := req.WithContext(req.Context())
	if req.GetBody != nil {
		if next.Body, err = req.GetBody(); err != nil {
			return resp, nil
		}
	}
	_ = readRefusal(resp)
	return p.send(next, again)
}

// send sends a copy of req with the value.
func (p *headerTransport) send(req *http.Request, value string) (*http.Response, error) {
	r := req.WithContext(req.Context())
	if r.Header = maps.Clone(req.Header); r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header[p.name] = []string{p.prefix + value}
	resp, err := p.base.RoundTrip(r)
	if err != nil {
		// The header's name may not suggest a secret.
		err = httpx.Redact(err, r, value)
	}
	return resp, err
}

func (p *headerTransport) value(ctx context.Context) (string, error) {
	v, err := readSource(ctx, p.src, "the header "+p.name)
	if err == nil && !httpx.ValidValue(v) {
		return "", ruleError(httpx.Clean(p.url), "invalid value for the header "+p.name, nil)
	}
	return v, err
}

// CloseIdleConnections closes the idle connections of base.
func (p *headerTransport) CloseIdleConnections() { closeIdle(p.base) }
