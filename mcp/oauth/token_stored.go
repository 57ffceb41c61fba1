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
		return &Error{Rule: "the server's data is larger than an entry of the store may be (128 KiB)"}
	}
	return t.store.Save(ctx, key, data)
}

// load reads the binding and the token from the store, where another process may
// have changed them.
func (t *Transport) load(ctx context.Context) (*token, error) {
	data, err := t.store.Load(ctx, t.bindingKey())
	if err != nil {
		return nil, &Error{Rule: "cannot read the store", Err: err}
	}
	b, err := parseBinding(data)
	if err != nil {
		return nil, err
	}
	if data = nil; b.issuer != "" {
		if data, err = t.store.Load(ctx, b.key()); err != nil {
			return nil, &Error{Rule: "cannot read the store", Err: err}
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
		return nil, &Error{Rule: "cannot store the token", Err: err}
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
		return &Error{Rule: "cannot write the store", Err: err}
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
			return &Error{Rule: "cannot write the store", Err: err}
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

func (b binding) encode() []byte {
	data := []byte{'{'}
	for _, m := range [...][2]string{
		{"issuer", b.issuer}, {"resource", b.resource}, {"client_id", b.client}, {"resource_metadata", b.metadata},
		{"wanted_scope", b.wantedScopes}, {"zone", b.zone},
	} {
		data = wire.AppendString(wire.AppendKey(data, m[0]), m[1])
	}
	return append(data, '}')
}

var errStored = errors.New("oauth: the store contains an entry of another program")

func parseBinding(data []byte) (binding, error) {
	var b binding
	if data == nil {
		return b, nil
	}
	err := readMembers(data, func(r *wire.Reader, key string) {
		switch key {
		case "issuer":
			b.issuer = r.String()
		case "resource":
			b.resource = r.String()
		case "client_id":
			b.client = r.String()
		case "resource_metadata":
			b.metadata = r.String()
		case "wanted_scope":
			b.wantedScopes = r.String()
		case "zone":
			b.zone = r.String()
		default:
			r.Skip()
		}
	})
	if err != nil {
		return binding{}, errStored
	}
	return b, nil
}

func (k *token) encode() []byte {
	kind, alg := "Bearer", ""
	if k.dpop {
		kind, alg = "DPoP", k.key.alg
	}
	b := []byte{'{'}
	for _, m := range [...][2]string{
		{"access_token", k.access}, {"refresh_token", k.refresh}, {"token_type", kind},
		{"scope", strings.Join(k.granted, " ")}, {"requested_scope", strings.Join(k.scopes, " ")},
		{"dpop_key", base64.StdEncoding.EncodeToString(k.secret)}, {"dpop_alg", alg},
	} {
		if m[1] != "" {
			b = wire.AppendString(wire.AppendKey(b, m[0]), m[1])
		}
	}
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
	k, alg := &token{}, ""
	err := readMembers(data, func(r *wire.Reader, key string) {
		switch key {
		case "access_token":
			k.access = r.String()
		case "refresh_token":
			k.refresh = r.String()
		case "token_type":
			k.dpop = r.String() == "DPoP"
		case "scope":
			k.granted = strings.Fields(r.String())
		case "requested_scope":
			k.scopes = strings.Fields(r.String())
		case "expires_at":
			k.expires = time.Unix(r.Int(), 0)
		case "dpop_key":
			k.secret, _ = base64.StdEncoding.DecodeString(r.String())
		case "dpop_alg":
			alg = r.String()
		default:
			r.Skip()
		}
	})
	if err != nil || k.access == "" {
		return nil, errStored
	}
	if k.dpop {
		if k.key, err = parseSecret(alg, k.secret); err != nil {
			return nil, errStored
		}
	}
	return k, nil
}
