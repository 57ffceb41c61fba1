package oauth

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp/httperr"
)

// A server describes the authorization server of the resource.
type server struct {
	resource    string // the resource in the key of the token
	sent        string // the resource parameter of requests; empty for none
	metadataURL string // the resource's metadata, if the challenge named it
	scopes      []string
	dpop        bool // the resource requires DPoP tokens
	serverMetadata

	// legacy marks a server of 2025-03-26 without metadata, which therefore
	// cannot announce any support.
	legacy bool
}

const (
	resourcePath = "/.well-known/oauth-protected-resource"
	serverPath   = "/.well-known/oauth-authorization-server"
	openIDPath   = "/.well-known/openid-configuration"
)

// discover finds the authorization server of the resource (Authorization Server
// Discovery). A server of 2025-03-26 is its own authorization server.
func (t *Transport) discover(ctx context.Context, d demand) (*server, error) {
	ctx, cancel := withTimeout(ctx, searchTime)
	defer cancel()
	if d.odd {
		t.odd(httpx.Clean(t.url), "the server sends a malformed WWW-Authenticate (RFC 9110, section 11.6.1)")
	}
	s := &server{metadataURL: d.metadata, resource: canonical(t.url)}
	m, dead, err := t.findResource(ctx, d.metadata)
	if err != nil {
		return nil, err
	}
	if m != nil {
		s.resource, s.sent, s.scopes, s.dpop = m.resource, m.resource, m.scopes, m.dpopRequired
	} else {
		// The query of the URL may have a secret for the MCP server alone.
		bare := *t.url
		bare.RawQuery, bare.ForceQuery = "", false
		s.sent = canonical(&bare)
		if t.url.RawQuery != "" {
			t.odd(httpx.Clean(t.url), "no metadata names the resource; the authorization server gets the URL without its query")
		}
	}
	switch {
	case t.opts.RequestResource == NoResource:
		s.resource, s.sent = canonical(t.url), ""
	case t.opts.RequestResource != "":
		s.resource, s.sent = canonical(t.url), t.opts.RequestResource
	}
	if t.opts.Account != "" {
		s.resource = t.accountResource()
	}
	switch {
	case t.opts.TokenURL != "":
		s.serverMetadata = serverMetadata{issuer: t.opts.Issuer, stated: t.opts.Issuer, authorize: t.opts.AuthorizationURL, token: t.opts.TokenURL}
		return s, t.checkEndpoints(s)
	case t.opts.Issuer != "":
		return s, t.findServer(ctx, s, t.opts.Issuer, nil)
	case m == nil:
		s.legacy = true
		return s, t.findServer(ctx, s, origin(t.url), dead)
	case len(m.servers) == 0: // it is the server itself, which brings no other party in, or none
		return s, t.findServer(ctx, s, origin(t.url), ruleError(httpx.Clean(t.url), "the metadata names no authorization server", nil))
	}
	return s, t.findServer(ctx, s, t.chooseServer(m.servers), nil)
}

// isOwn reports whether m describes the resource of t: as Options.Resource or as
// the server's URL. If the challenge named the URL of m, said, outside the
// well-known path, the resource may not be a parent of the server's URL, because
// other servers may share the parent.
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
		err == nil && httpx.SameOrigin(u, t.url) && path.Clean(u.Path) == strings.TrimSuffix(u.Path, "/") && strings.HasPrefix(u.Path+"/", resourcePath+"/")
}

// chooseServer returns the server in the list that the client is registered with or that
// was used before; else the first of the list.
func (t *Transport) chooseServer(list []string) string {
	for _, want := range [...]string{t.opts.Client.Issuer, t.currentBinding().issuer} {
		if i := slices.IndexFunc(list, func(s string) bool { return sameIssuer(s, want) }); want != "" && i >= 0 {
			return list[i]
		}
	}
	return list[0]
}

// findResource returns the metadata of the resource. If there is none, it returns nil
// and, if the challenge named a URL, said, why there is nothing at it.
func (t *Transport) findResource(ctx context.Context, said string) (m *resourceMetadata, dead, err error) {
	var places []func() (*url.URL, error)
	if said != "" {
		places = append(places, func() (*url.URL, error) { return t.fetch.parse(said) })
	}
	// A dead URL in the challenge is common, as behind a proxy. The well-known URLs
	// are those of the server itself, so they bring no other party in.
	suffixes := []string{pathOf(t.url)}
	if t.url.RawQuery != "" {
		suffixes[0] += "?" + t.url.RawQuery // RFC 9728, section 3.1
	}
	if suffixes[0] != "" {
		suffixes = append(suffixes, "")
	}
	for _, suffix := range suffixes {
		places = append(places, func() (*url.URL, error) {
			u, err := t.url.Parse(resourcePath + suffix)
			if err == nil {
				u.User = nil
			}
			return u, err
		})
	}
	docs := make([]*resourceMetadata, len(places))
	q := quest{places: len(places), named: said != "", foreignEnds: true}
	at, ok, err := t.search(ctx, q, func(i int) (outcome, error) {
		u, err := places[i]()
		if err != nil {
			return absent, ruleError(httpx.Clean(t.url), "the challenge has an invalid resource_metadata", err)
		}
		a, err := t.fetch.get(ctx, u, nil)
		if o, err := a.outcome(err); o != fits {
			return o, err
		}
		m, err := parseResourceMetadata(a.body)
		if err != nil {
			return foreign, ruleError(a.url, "invalid metadata (RFC 9728)", err)
		}
		docs[i] = m
		named := ""
		if q.named && i == 0 {
			named = said
		}
		switch {
		case m.resource == "":
			return absent, ruleError(a.url, "the metadata states no resource (RFC 9728, section 2)", nil)
		case !t.isOwn(m, named):
			return foreign, ruleError(httpx.Clean(t.url), "the metadata is for another resource, "+clean(m.resource)+
				" (RFC 9728, section 3.3); if that is right, set Options.Resource", nil)
		case t.isExact(m):
			return exact, nil
		}
		return fits, nil
	})
	switch {
	case ok:
		return docs[at], nil, nil
	case at < 0:
		return nil, err, nil
	}
	return nil, nil, err
}

// isExact reports whether m, which describes the resource, does so by exactly its
// URL, or names the authorization server that is bound to it.
func (t *Transport) isExact(m *resourceMetadata) bool {
	if r, err := url.Parse(m.resource); err == nil && canonical(r) == canonical(t.url) || t.opts.Resource != "" || t.opts.Issuer != "" {
		return true
	}
	for _, issuer := range [...]string{t.currentBinding().issuer, t.opts.Client.Issuer} {
		if issuer != "" && slices.Contains(m.servers, issuer) { // metadata may name an empty one
			return true
		}
	}
	return false
}

// search reads the locations of a quest in their order. It returns the index of the
// document and true, or false and the error to report; at is negative if all
// locations answered that they have nothing.
func (t *Transport) search(ctx context.Context, q quest, read func(i int) (outcome, error)) (at int, ok bool, err error) {
	var seen []outcome
	var errs []error
	for {
		do, i := q.next(seen)
		switch do {
		case take:
			for j, err := range errs[:i] {
				if e, ok := diag.Find[*Error](err); ok && q.counts(j, seen[j]) {
					t.odd(e.URL, e.Rule)
				}
			}
			return i, true, nil
		case fail:
			return i, false, errs[i]
		case nothing:
			if i >= 0 {
				err = errs[i]
			}
			return -1, false, err
		}
		o, err := read(i)
		if _, late := diag.Find[*httperr.TimeoutError](context.Cause(ctx)); ctx.Err() != nil && !late { // the caller gave up
			return i, false, err
		}
		seen, errs = append(seen, o), append(errs, err)
	}
}

// findServer completes s with the metadata of the server with this issuer. A
// legacy server may have none, unless dead is the error of metadata that its challenge
// named: then the endpoints of the origin are not guessed.
func (t *Transport) findServer(ctx context.Context, s *server, issuer string, dead error) error {
	base, err := t.fetch.parse(issuer)
	if err != nil {
		return ruleError(httpx.Clean(t.url), "the server names an invalid authorization server", err)
	}
	if base.RawQuery != "" || base.Fragment != "" {
		return ruleError(clean(issuer), "an issuer must not have a query or a fragment (RFC 8414, section 2)", nil)
	}
	legacy, stated := s.legacy, issuer
	s.legacy = false
	if t.opts.IssuerInMetadata != "" {
		stated = t.opts.IssuerInMetadata
	}
	header := http.Header{}
	if legacy {
		header["Mcp-Protocol-Version"] = []string{"2025-03-26"}
	}
	urls := metadataURLs(base)
	_, ok, err := t.search(ctx, quest{places: len(urls)}, func(i int) (outcome, error) {
		a, err := t.fetch.get(ctx, urls[i], header)
		if o, err := a.outcome(err); o != fits {
			return o, err
		}
		m, err := parseServerMetadata(a.body)
		switch {
		case err != nil:
			return foreign, ruleError(a.url, "invalid metadata (RFC 8414)", err)
		case !sameIssuer(m.issuer, stated):
			return foreign, ruleError(a.url, "the metadata of "+printable(issuer)+" has another issuer, "+printable(m.issuer)+
				" (RFC 8414, section 3.3); if one of the two is right, set Options.Issuer to it"+templateHint(m.issuer), nil)
		}
		if m.issuer != stated {
			t.odd(a.url, "the issuer in the metadata, "+printable(m.issuer)+", differs by the last slash")
		}
		m.issuer, m.stated = issuer, m.issuer
		s.serverMetadata = *m
		return exact, nil
	})
	switch {
	case ok:
		return t.checkEndpoints(s)
	case dead != nil:
		return dead
	case err != nil:
		return err
	case !legacy:
		return ruleError(clean(issuer), "no authorization server metadata at any well-known URL (Authorization Server Metadata Discovery)", nil)
	}
	s.legacy = true
	s.serverMetadata = serverMetadata{issuer: issuer, stated: issuer, authorize: issuer + "/authorize", token: issuer + "/token", register: issuer + "/register"}
	return nil
}

// templateHint names the setting for an issuer that is a template.
func templateHint(issuer string) string {
	if strings.Contains(issuer, tenant) {
		return ", and Options.IssuerInMetadata to the one in the metadata"
	}
	return ""
}

// metadataURLs returns the well-known URLs of an issuer's metadata in order of
// priority.
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

// checkEndpoints checks all endpoints before any of them is used. The program does without
// an invalid one that it need not have. A fragment of the authorization endpoint stays in
// the browser.
func (t *Transport) checkEndpoints(s *server) error {
	for _, e := range []struct {
		name string
		url  *string
	}{
		{"authorization_endpoint", &s.authorize}, {"token_endpoint", &s.token},
		{"registration_endpoint", &s.register}, {"revocation_endpoint", &s.revoke},
		{"device_authorization_endpoint", &s.device},
	} {
		if *e.url == "" {
			continue
		}
		u, err := t.fetch.parse(*e.url)
		switch {
		case err == nil && (u.Fragment == "" || e.url == &s.authorize):
		case e.url == &s.revoke || e.url == &s.device:
			t.odd(clean(s.issuer), "invalid "+e.name)
			*e.url = ""
		default:
			return ruleError(clean(s.issuer), "invalid "+e.name, err)
		}
	}
	if s.token == "" {
		return ruleError(clean(s.issuer), "no token_endpoint in the metadata", nil)
	}
	return nil
}

// covers reports whether the resource identifier r is the server's URL u or a
// parent of it.
func covers(r, u *url.URL) bool {
	if r.Opaque != "" || r.Fragment != "" || r.User != nil || !httpx.SameOrigin(r, u) || r.RawQuery != "" && r.RawQuery != u.RawQuery {
		return false
	}
	return strings.HasPrefix(pathOf(u)+"/", pathOf(r)+"/")
}

func pathOf(u *url.URL) string { return strings.TrimSuffix(u.EscapedPath(), "/") }

// canonical returns the default identifier of the resource at u (Canonical
// Server URI).
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

// outcome classifies a response, or the error of a request without one: it is fits if
// there is a document. A server that answers with redirects in a circle has none.
func (a *response) outcome(err error) (outcome, error) {
	switch {
	case a == nil:
		return unavailable, err
	case err != nil:
		return astray, err
	case a.isObject():
		return fits, nil
	case a.isSuccess():
		return absent, ruleError(a.url, "no metadata at this URL: the response is not JSON", nil)
	}
	err = ruleError(a.url, "no metadata at this URL: "+strconv.Itoa(a.status)+" "+http.StatusText(a.status), nil)
	if a.status/100 == 5 {
		return unavailable, err
	}
	return absent, err
}
