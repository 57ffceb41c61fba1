package oauth

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A binding records which token in the store a Transport uses, so that a new
// process needs no discovery to find it.
type binding struct {
	issuer, resource, client string
	metadata                 string // URL of the resource's metadata in the challenge
	wantedScopes             string // scopes to request at the next login
	zone                     string // of the address of the resource; empty if unknown
}

// bindingKey returns the key of the binding and of the lock. It contains
// Options.Client, so that such a program shares no token with a registered one.
func (t *Transport) bindingKey() StoreKey {
	return StoreKey{Resource: t.accountResource(), Client: t.opts.Client.ID}
}

// accountResource returns the resource in keys that belong to this server and account
// alone. An URL in a key has no fragment otherwise, so no other server has this one.
func (t *Transport) accountResource() string {
	if t.opts.Account == "" {
		return canonical(t.url)
	}
	return canonical(t.url) + "#" + t.opts.Account
}

func (b binding) key() StoreKey { return StoreKey{b.issuer, b.resource, b.client} }

// maxEntry limits what is stored in one entry, in bytes. What servers sent is in
// it: tokens, scopes, client IDs and URLs.
const maxEntry = 128 << 10

// save saves an entry, or deletes it if data is nil.
func (t *Transport) save(ctx context.Context, key StoreKey, data []byte) error {
	if n := len(data) + len(key.Issuer) + len(key.Resource) + len(key.Client); data != nil && n > maxEntry {
		return ruleError("", "the server's data is larger than an entry of the store may be (128 KiB)", nil)
	}
	return t.store.Save(ctx, key, data)
}

// load reads the binding and the token from the store, where another process may
// have changed them.
func (t *Transport) load(ctx context.Context) (*token, error) {
	data, err := t.store.Load(ctx, t.bindingKey())
	if err != nil {
		return nil, ruleError("", "cannot read the store", err)
	}
	b, err := parseBinding(data)
	if err != nil {
		return nil, err
	}
	if data = nil; b.issuer != "" {
		if data, err = t.store.Load(ctx, b.key()); err != nil {
			return nil, ruleError("", "cannot read the store", err)
		}
	}
	k, err := parseSaved(data)
	t.mu.Lock()
	if ctx.Err() != nil {
		t.mu.Unlock()
		return nil, context.Cause(ctx) // a newer attempt may have loaded newer data
	}
	if k != nil && t.tok != nil && k.access == t.tok.access {
		k = t.tok // which has proven
	}
	other := k != nil && k != t.tok
	t.loaded, t.binding, t.tok = err == nil, b, k
	t.mu.Unlock()
	if other {
		t.tokenLoaded()
	}
	return k, err
}

// storeToken stores a new token and makes it the current one. It deletes the
// previous token from the store, because no binding refers to it any more.
func (t *Transport) storeToken(ctx context.Context, s *server, c *Client, k *token) (*token, error) {
	old, b := t.currentBinding(), binding{issuer: s.issuer, resource: s.resource, client: c.ID, metadata: s.metadataURL}
	if z, ok := ctx.Value(zoneKey{}).(zone); ok {
		b.zone = z.String()
	}
	err := t.save(ctx, b.key(), k.encode())
	if err == nil {
		err = t.save(ctx, t.bindingKey(), b.encode())
	}
	if err == nil && old.issuer != "" && old.key() != b.key() {
		err = t.save(ctx, old.key(), nil)
	}
	if err != nil {
		return nil, ruleError("", "cannot store the token", err)
	}
	t.mu.Lock()
	t.loaded, t.binding, t.tok, t.failed, t.denied, t.refused = true, b, k, failure{}, failure{}, failure{}
	t.mu.Unlock()
	return k, nil
}

// storeWantedScopes records scopes that the next login requests too.
func (t *Transport) storeWantedScopes(ctx context.Context, scope string) error {
	b := t.currentBinding()
	b.wantedScopes = strings.Join(union(strings.Fields(b.wantedScopes), strings.Fields(scope)), " ")
	if err := t.save(ctx, t.bindingKey(), b.encode()); err != nil {
		return ruleError("", "cannot write the store", err)
	}
	t.mu.Lock()
	t.binding = b
	t.mu.Unlock()
	return nil
}

// discardRefused deletes what the authorization server has refused with err: the
// token or the registration. If that was neither of them, the refresh token is not
// sent again for holdTime.
func (t *Transport) discardRefused(ctx context.Context, refusal error) error {
	b := t.currentBinding()
	var keys []StoreKey
	ended := isCode(refusal, "invalid_grant", "bad_refresh_token")
	if ended {
		keys = []StoreKey{b.key()}
	}
	if isCode(refusal, "invalid_client", "unauthorized_client") {
		keys = []StoreKey{{Issuer: b.issuer}, {Issuer: b.issuer, Client: b.client}}
	}
	for _, key := range keys {
		if err := t.save(ctx, key, nil); err != nil {
			return ruleError("", "cannot write the store", err)
		}
	}
	t.mu.Lock()
	t.refused = failure{token: t.tok, err: refusal, until: time.Now().Add(holdTime)}
	if ended {
		t.dropped, t.tok = t.tok, nil
	}
	t.mu.Unlock()
	return nil
}

// asked completes the scopes of a token for which these were requested.
func (k *token) asked(scopes []string) {
	k.scopes = union(scopes, k.scopes)
	if len(k.granted) == 0 {
		k.granted = scopes // an absent scope means the requested one (RFC 6749, section 5.1)
	}
}

func (b *binding) texts() texts {
	return texts{
		"issuer": &b.issuer, "resource": &b.resource, "client_id": &b.client, "resource_metadata": &b.metadata,
		"wanted_scope": &b.wantedScopes, "zone": &b.zone,
	}
}

func (b binding) encode() []byte { return append(b.texts().encode(), '}') }

var errStored = errors.New("oauth: the store contains an entry of another program")

func parseBinding(data []byte) (b binding, err error) {
	if data != nil && b.texts().read(data, nil) != nil {
		return binding{}, errStored
	}
	return b, nil
}

// A savedToken holds the texts of a stored token.
type savedToken struct{ access, refresh, kind, granted, scopes, key, alg string }

func (s *savedToken) texts() texts {
	return texts{
		"access_token": &s.access, "refresh_token": &s.refresh, "token_type": &s.kind, "scope": &s.granted, "requested_scope": &s.scopes,
		"dpop_key": &s.key, "dpop_alg": &s.alg,
	}
}

func (k *token) encode() []byte {
	s := savedToken{k.access, k.refresh, "Bearer", strings.Join(k.granted, " "), strings.Join(k.scopes, " "), base64.StdEncoding.EncodeToString(k.secret), ""}
	if k.dpop {
		s.kind, s.alg = "DPoP", k.key.alg
	}
	b := s.texts().encode()
	if !k.expires.IsZero() {
		b = wire.AppendInt(wire.AppendKey(b, "expires_at"), k.expires.Unix())
	}
	return append(b, '}')
}

// parseSaved reads what encode wrote. It returns nil for nil.
func parseSaved(data []byte) (*token, error) {
	if data == nil {
		return nil, nil
	}
	var s savedToken
	k := &token{}
	err := s.texts().read(data, func(r *wire.Reader, key string) bool {
		if key == "expires_at" {
			k.expires = time.Unix(r.Int(), 0)
		}
		return key == "expires_at"
	})
	if err != nil || s.access == "" {
		return nil, errStored
	}
	k.access, k.refresh, k.dpop, k.granted, k.scopes = s.access, s.refresh, s.kind == "DPoP", strings.Fields(s.granted), strings.Fields(s.scopes)
	k.secret, _ = base64.StdEncoding.DecodeString(s.key)
	if k.dpop {
		if k.key, err = parseSecret(s.alg, k.secret); err != nil {
			return nil, errStored
		}
	}
	return k, nil
}
