package oauth

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/httpx"
)

// A server is an authorization server as it was found for the resource.
type server struct {
	resource    string // what the resource is called in requests
	metadataURL string // where the resource's metadata was, if it isn't where one would look
	scopes      []string
	dpop        bool // the resource says that it takes bound tokens only
	serverMetadata

	// legacy marks a server of 2025-03-26 without metadata, which therefore
	// cannot announce anything.
	legacy bool
}

const (
	resourcePath = "/.well-known/oauth-protected-resource"
	serverPath   = "/.well-known/oauth-authorization-server"
	openIDPath   = "/.well-known/openid-configuration"
)

// discover finds the authorization server of the resource (Authorization
// Server Discovery). Servers of 2025-03-26 are their own.
func (t *Transport) discover(ctx context.Context, d demand) (*server, error) {
	m, err := t.findResource(ctx, d.metadata)
	if err != nil {
		return nil, err
	}
	s := &server{metadataURL: d.metadata, resource: canonical(t.url)}
	if m == nil && t.opts.Issuer == "" {
		return s, t.findServer(ctx, s, origin(t.url), true)
	}
	if m == nil {
		return s, t.findServer(ctx, s, t.opts.Issuer, false)
	}
	if !t.isOwn(m, d.metadata) {
		return nil, &Error{URL: httpx.Clean(t.url), Rule: "its metadata is for another resource, " + clean(m.resource) +
			" (RFC 9728, section 3.3); if that is right, set Options.Resource"}
	}
	s.resource, s.scopes, s.dpop = m.resource, m.scopes, m.dpopRequired
	if len(m.servers) == 0 && t.opts.Issuer == "" {
		return nil, &Error{URL: httpx.Clean(t.url), Rule: "its metadata names no authorization server"}
	}
	return s, t.findServer(ctx, s, t.chooseServer(m.servers), false)
}

// isOwn reports whether m, found where said says or else where it belongs, is
// about the resource: by the name that the program expects, or by its URL. What
// is above that is for more than the resource to say, as others may be there.
func (t *Transport) isOwn(m *resourceMetadata, said string) bool {
	if t.opts.Resource != "" {
		return m.resource == t.opts.Resource
	}
	r, err := url.Parse(m.resource)
	if err != nil || !covers(r, t.url) {
		return false
	}
	u, err := url.Parse(said)
	return said == "" || pathOf(r) == pathOf(t.url) ||
		err == nil && httpx.SameOrigin(u, t.url) && strings.HasPrefix(path.Clean(u.Path)+"/", resourcePath+"/")
}

// chooseServer returns the server that the program trusts, whatever the list
// says, or else the one that knows its client or that is known already, if the
// list has it, or else the first.
func (t *Transport) chooseServer(list []string) string {
	if t.opts.Issuer != "" {
		return t.opts.Issuer
	}
	t.mu.Lock()
	known := t.binding.issuer
	t.mu.Unlock()
	for _, want := range []string{t.opts.Client.Issuer, known} {
		if want != "" && slices.Contains(list, want) {
			return want
		}
	}
	return list[0]
}

// findResource returns the metadata of the resource, or nil if there is none.
func (t *Transport) findResource(ctx context.Context, said string) (*resourceMetadata, error) {
	if said != "" {
		u, err := t.fetch.parse(said)
		if err != nil {
			return nil, &Error{URL: httpx.Clean(t.url), Rule: "the challenge says where its metadata is", Err: err}
		}
		a, err := t.fetch.get(ctx, u, nil)
		if err != nil {
			return nil, err
		}
		if !a.isJSON() {
			return nil, &Error{URL: a.url, Rule: "no metadata, although the challenge says so: " + a.describe()}
		}
		return a.resourceMetadata()
	}
	paths := []string{resourcePath + pathOf(t.url)}
	if paths[0] != resourcePath {
		paths = append(paths, resourcePath)
	}
	for _, p := range paths {
		u, err := t.url.Parse(p)
		if err != nil {
			continue
		}
		u.User = nil
		a, err := t.fetch.get(ctx, u, nil)
		if err != nil {
			return nil, err
		}
		if a.isJSON() {
			return a.resourceMetadata()
		}
		if a.status/100 == 5 {
			return nil, &Error{URL: a.url, Rule: a.describe()}
		}
	}
	return nil, nil
}

// findServer completes s with the metadata of the server with this issuer. A
// legacy server need not have any.
func (t *Transport) findServer(ctx context.Context, s *server, issuer string, legacy bool) error {
	base, err := t.fetch.parse(issuer)
	if err != nil {
		return &Error{URL: httpx.Clean(t.url), Rule: "names an authorization server", Err: err}
	}
	if base.RawQuery != "" || base.Fragment != "" {
		return &Error{URL: clean(issuer), Rule: "an issuer has neither query nor fragment (RFC 8414, section 2)"}
	}
	header := http.Header{}
	if legacy {
		header["Mcp-Protocol-Version"] = []string{"2025-03-26"}
	}
	var wrong error
	for _, u := range metadataURLs(base) {
		a, err := t.fetch.get(ctx, u, header)
		if err != nil {
			return err
		}
		if !a.isJSON() {
			continue
		}
		m, err := parseServerMetadata(a.body)
		if err != nil {
			return &Error{URL: a.url, Rule: "metadata that is not as RFC 8414 has it", Err: err}
		}
		if m.issuer != issuer {
			wrong = &Error{URL: a.url, Rule: "the metadata of " + printable(issuer) + " says that it is of " + printable(m.issuer) +
				", and must say exactly the same (RFC 8414, section 3.3); if one of the two is right, set Options.Issuer to it"}
			continue
		}
		s.serverMetadata = *m
		return t.checkEndpoints(s)
	}
	if wrong != nil {
		return wrong
	}
	if !legacy {
		return &Error{URL: clean(issuer), Rule: "no metadata of an authorization server at any of the places where it may be (Authorization Server Metadata Discovery)"}
	}
	s.legacy = true
	s.serverMetadata = serverMetadata{issuer: issuer, authorize: issuer + "/authorize", token: issuer + "/token", register: issuer + "/register"}
	return nil
}

// metadataURLs returns where the metadata of an issuer may be, in their order
// of priority.
func metadataURLs(issuer *url.URL) (list []*url.URL) {
	at := func(path string) {
		u := *issuer
		u.Path, u.RawPath = path, ""
		if p, err := url.PathUnescape(path); err == nil {
			u.Path, u.RawPath = p, path
		}
		list = append(list, &u)
	}
	path := pathOf(issuer)
	at(serverPath + path)
	at(openIDPath + path)
	if path != "" {
		at(path + openIDPath)
	}
	return list
}

// checkEndpoints looks at all URLs before any of them is used.
func (t *Transport) checkEndpoints(s *server) error {
	for _, e := range []struct{ name, url string }{
		{"authorization_endpoint", s.authorize}, {"token_endpoint", s.token},
		{"registration_endpoint", s.register}, {"revocation_endpoint", s.revoke},
	} {
		if e.url == "" {
			continue
		}
		if u, err := t.fetch.parse(e.url); err != nil || u.Fragment != "" {
			return &Error{URL: clean(s.issuer), Rule: "its " + e.name + " cannot be used", Err: err}
		}
	}
	if s.token == "" {
		return &Error{URL: clean(s.issuer), Rule: "its metadata has no token_endpoint"}
	}
	return nil
}

// covers reports whether the identifier of a resource is the URL that is asked
// for, or one above it: a server may describe itself as a whole.
func covers(r, u *url.URL) bool {
	if r.Opaque != "" || r.Fragment != "" || r.User != nil || !httpx.SameOrigin(r, u) || r.RawQuery != "" && r.RawQuery != u.RawQuery {
		return false
	}
	return strings.HasPrefix(pathOf(u)+"/", pathOf(r)+"/")
}

func pathOf(u *url.URL) string { return strings.TrimSuffix(u.EscapedPath(), "/") }

// canonical returns the identifier of the resource at u, if nobody says
// another (Canonical Server URI).
func canonical(u *url.URL) string {
	c := url.URL{Scheme: strings.ToLower(u.Scheme), Host: strings.ToLower(u.Host), Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}
	if c.Path == "/" {
		c.Path, c.RawPath = "", ""
	}
	return c.String()
}

func origin(u *url.URL) string {
	return strings.ToLower(u.Scheme) + "://" + strings.ToLower(u.Host)
}

func (a *response) resourceMetadata() (*resourceMetadata, error) {
	m, err := parseResourceMetadata(a.body)
	if err != nil {
		return nil, &Error{URL: a.url, Rule: "metadata that is not as RFC 9728 has it", Err: err}
	}
	return m, nil
}

// what describes an answer that cannot be used.
func (a *response) describe() string {
	if a.status == http.StatusOK {
		return "something that is not JSON"
	}
	return http.StatusText(a.status)
}
