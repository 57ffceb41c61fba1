package oauth

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/internal/wire"
)

// register registers the program with the server (Dynamic Client Registration). If the
// server refuses what not all servers know, register leaves that out: it asks for less
// then.
func (t *Transport) register(ctx context.Context, s *server, redirect string, scopes []string) (*registration, error) {
	u, err := t.fetch.parse(s.register)
	if err != nil {
		return nil, err
	}
	announced := func(methods ...string) string {
		for _, m := range methods {
			if slices.Contains(s.authMethods, m) {
				return m
			}
		}
		return methods[len(methods)-1]
	}
	m := clientMetadata{redirect, applicationType(redirect), announced(methodNone, methodBasic, methodPost, methodNone), []string{"authorization_code", "refresh_token"}, scopes}
	if redirect == deviceGrant {
		m.grants[0] = deviceGrant
	} else if DeviceOffered(ctx) {
		m.grants = append(m.grants, deviceGrant)
	}
	var refused *ServerError // the first refusal
	for _, reduce := range [...]func(){
		func() {},
		func() { m.kind, m.scopes, m.grants = "", nil, m.grants[:2] },
		func() { m.grants = m.grants[:1] },
		func() { m.method = announced(methodBasic, methodPost) },
	} {
		reduce()
		a, err := t.fetch.post(ctx, u, http.Header{"Content-Type": {"application/json"}}, m.encode(t.opts.ClientName), true)
		if err != nil {
			return nil, err
		}
		e := a.refusal()
		if e == nil {
			if refused != nil {
				t.odd(a.url, "the server registers the program only with fewer members; it refused the first request: "+refused.Code)
			}
			g, err := parseRegistration(a.body)
			if err != nil || g.id == "" {
				return nil, ruleError(a.url, "invalid registration response (RFC 7591)", err)
			}
			return g, nil
		}
		if refused == nil {
			refused = e
		}
		if !a.isSuccess() && a.status != http.StatusBadRequest && a.status != http.StatusUnprocessableEntity || isCode(e, "invalid_redirect_uri") {
			break
		}
	}
	rule := "cannot register the program with the redirect URI " + redirect
	switch {
	case s.legacy:
		return nil, ruleError(origin(t.url), "the server demands authorization, but has neither metadata nor client registration", refused)
	case redirect == deviceGrant:
		rule = "cannot register the program for device authorization"
	}
	if !isCode(refused, "invalid_redirect_uri") {
		rule += "; if the server does not register unknown programs, register it there and set Options.Client"
	}
	return nil, ruleError(httpx.Clean(u), rule, refused)
}

// A clientMetadata is what a registration request states (RFC 7591, section 2).
type clientMetadata struct {
	redirect, kind, method string
	grants, scopes         []string
}

func applicationType(redirect string) string {
	if strings.HasPrefix(redirect, "https:") {
		return "web"
	}
	return "native"
}

func (m *clientMetadata) encode(name string) []byte {
	name, scope := cmp.Or(name, "stdmcp"), strings.Join(m.scopes, " ")
	b := texts{"client_name": &name, "application_type": &m.kind, "scope": &scope, "token_endpoint_auth_method": &m.method}.encode()
	uris, responses := []string{m.redirect}, []string{"code"}
	if m.redirect == deviceGrant {
		uris, responses = nil, nil
	}
	for _, v := range [...]struct {
		name   string
		values []string
	}{
		{"redirect_uris", uris}, {"grant_types", m.grants}, {"response_types", responses},
	} {
		b = append(wire.AppendKey(b, v.name), '[')
		for _, v := range v.values {
			b = wire.AppendString(wire.AppendComma(b), v)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}
