package oauth

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// A server describes the authorization server of the resource.
type server struct {
	resource    string // the resource parameter of requests
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
		return nil, &Error{URL: httpx.Clean(t.url), Rule: "the metadata is for another resource, " + clean(m.resource) +
			" (RFC 9728, section 3.3); if that is right, set Options.Resource"}
	}
	s.resource, s.scopes, s.dpop = m.resource, m.scopes, m.dpopRequired
	if len(m.servers) == 0 && t.opts.Issuer == "" {
		return nil, &Error{URL: httpx.Clean(t.url), Rule: "the metadata names no authorization server"}
	}
	return s, t.findServer(ctx, s, t.chooseServer(m.servers), false)
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
		err == nil && httpx.SameOrigin(u, t.url) && strings.HasPrefix(path.Clean(u.Path)+"/", resourcePath+"/")
}

// chooseServer returns Options.Issuer; else the server in the list that the
// client is registered with or that was used before; else the first of the list.
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
// said is the URL of the metadata in the challenge, if any.
func (t *Transport) findResource(ctx context.Context, said string) (*resourceMetadata, error) {
	if said != "" {
		u, err := t.fetch.parse(said)
		if err != nil {
			return nil, &Error{URL: httpx.Clean(t.url), Rule: "the challenge has an invalid resource_metadata", Err: err}
		}
		a, err := t.fetch.get(ctx, u, nil)
		if err != nil {
			return nil, err
		}
		if !a.isJSON() {
			return nil, &Error{URL: a.url, Rule: "no metadata at the URL that the challenge names: " + a.describe()}
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
// legacy server may have none.
func (t *Transport) findServer(ctx context.Context, s *server, issuer string, legacy bool) error {
	base, err := t.fetch.parse(issuer)
	if err != nil {
		return &Error{URL: httpx.Clean(t.url), Rule: "the server names an invalid authorization server", Err: err}
	}
	if base.RawQuery != "" || base.Fragment != "" {
		return &Error{URL: clean(issuer), Rule: "an issuer must not have a query or a fragment (RFC 8414, section 2)"}
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
			return &Error{URL: a.url, Rule: "invalid metadata (RFC 8414)", Err: err}
		}
		if m.issuer != issuer {
			wrong = &Error{URL: a.url, Rule: "the metadata of " + printable(issuer) + " has another issuer, " + printable(m.issuer) +
				" (RFC 8414, section 3.3); if one of the two is right, set Options.Issuer to it"}
			continue
		}
		s.serverMetadata = *m
		return t.checkEndpoints(s)
	}
	if wrong != nil {
		return wrong
	}
	if !legacy {
		return &Error{URL: clean(issuer), Rule: "no authorization server metadata at any well-known URL (Authorization Server Metadata Discovery)"}
	}
	s.legacy = true
	s.serverMetadata = serverMetadata{issuer: issuer, authorize: issuer + "/authorize", token: issuer + "/token", register: issuer + "/register"}
	return nil
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

// checkEndpoints checks all endpoints before any of them is used.
func (t *Transport) checkEndpoints(s *server) error {
	for _, e := range []struct{ name, url string }{
		{"authorization_endpoint", s.authorize}, {"token_endpoint", s.token},
		{"registration_endpoint", s.register}, {"revocation_endpoint", s.revoke},
		{"device_authorization_endpoint", s.device},
	} {
		if e.url == "" {
			continue
		}
		if u, err := t.fetch.parse(e.url); err != nil || u.Fragment != "" {
			return &Error{URL: clean(s.issuer), Rule: "invalid " + e.name, Err: err}
		}
	}
	if s.token == "" {
		return &Error{URL: clean(s.issuer), Rule: "no token_endpoint in the metadata"}
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

func (a *response) resourceMetadata() (*resourceMetadata, error) {
	m, err := parseResourceMetadata(a.body)
	if err != nil {
		return nil, &Error{URL: a.url, Rule: "invalid metadata (RFC 9728)", Err: err}
	}
	return m, nil
}

// describe describes an unusable response.
func (a *response) describe() string {
	if a.status == http.StatusOK {
		return "the response is not JSON"
	}
	return http.StatusText(a.status)
}

// resourceMetadata holds the used members of protected resource metadata (RFC
// 9728, section 2).
type resourceMetadata struct {
	resource     string
	servers      []string
	scopes       []string
	dpopRequired bool
}

func parseResourceMetadata(data []byte) (*resourceMetadata, error) {
	m := &resourceMetadata{}
	return m, readMembers(data, func(r *wire.Reader, key string) {
		switch key {
		case "resource":
			m.resource = optString(r)
		case "authorization_servers":
			m.servers = optStrings(r)
		case "scopes_supported":
			m.scopes = optStrings(r)
		case "dpop_bound_access_tokens_required":
			m.dpopRequired = optBool(r)
		default:
			r.Skip()
		}
	})
}

// serverMetadata holds the used members of authorization server metadata (RFC
// 8414, section 2, and its extensions).
type serverMetadata struct {
	issuer         string
	authorize      string
	token          string
	register       string
	revoke         string
	device         string // RFC 8628, section 4
	scopes         []string
	authMethods    []string // of client authentication
	signingAlgs    []string // of private_key_jwt
	pkceMethods    []string // of PKCE
	dpopAlgs       []string
	clientURLs     bool // client-id metadata documents
	issInResponses bool // RFC 9207
}

func parseServerMetadata(data []byte) (*serverMetadata, error) {
	m := &serverMetadata{}
	return m, readMembers(data, func(r *wire.Reader, key string) {
		switch key {
		case "issuer":
			m.issuer = optString(r)
		case "authorization_endpoint":
			m.authorize = optString(r)
		case "token_endpoint":
			m.token = optString(r)
		case "registration_endpoint":
			m.register = optString(r)
		case "revocation_endpoint":
			m.revoke = optString(r)
		case "device_authorization_endpoint":
			m.device = optString(r)
		case "scopes_supported":
			m.scopes = optStrings(r)
		case "token_endpoint_auth_methods_supported":
			m.authMethods = optStrings(r)
		case "token_endpoint_auth_signing_alg_values_supported":
			m.signingAlgs = optStrings(r)
		case "code_challenge_methods_supported":
			m.pkceMethods = optStrings(r)
		case "dpop_signing_alg_values_supported":
			m.dpopAlgs = optStrings(r)
		case "client_id_metadata_document_supported":
			m.clientURLs = optBool(r)
		case "authorization_response_iss_parameter_supported":
			m.issInResponses = optBool(r)
		default:
			r.Skip()
		}
	})
}

// readMembers calls read for each member of the object data; read must read the
// value.
func readMembers(data []byte, read func(r *wire.Reader, key string)) error {
	r := wire.NewReader(data)
	for r.Object(); r.More(); {
		read(&r, string(r.Key()))
	}
	return r.End()
}

// optString, optStrings and optBool read a value; null means absent.
func optString(r *wire.Reader) string {
	if r.Null() {
		return ""
	}
	return r.String()
}

func optStrings(r *wire.Reader) (list []string) {
	if r.Null() {
		return nil
	}
	for r.Array(); r.More(); {
		list = append(list, r.String())
	}
	return list
}

func optBool(r *wire.Reader) bool { return !r.Null() && r.Bool() }
