package oauth

import (
	"crypto/sha256"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// DPoP selects when tokens are bound to a key, so that a stolen token is useless
// without the key (RFC 9449).
type DPoP int

const (
	// DPoPAuto binds tokens if the server supports DPoP and the authorization
	// server issues bound tokens.
	DPoPAuto DPoP = iota
	// DPoPAlways accepts only bound tokens.
	DPoPAlways
	// DPoPNever requests only bearer tokens.
	DPoPNever
)

// proofKey returns the key that a token of the server must be bound to, and its
// secret for the store, or nil for a bearer token. A token that
// replaces a valid one is bound to the same key.
func (t *Transport) proofKey(s *server, old *token, d demand) (*Key, []byte, error) {
	if d.stepUp && old != nil && t.opts.DPoP != DPoPNever {
		if old.key != nil || t.opts.DPoP == DPoPAuto {
			return old.key, old.secret, nil
		}
	}
	if t.opts.DPoP == DPoPNever || t.opts.DPoP == DPoPAuto && !s.dpop && !d.dpop {
		return nil, nil, nil
	}
	for _, alg := range [...]string{"ES256", "EdDSA", ed25519Name} {
		if slices.Contains(s.dpopAlgs, alg) {
			return generateKey(alg)
		}
	}
	if t.opts.DPoP == DPoPAuto && !s.dpop && d.bearer {
		return nil, nil, nil
	}
	return nil, nil, ruleError(clean(s.issuer), "the authorization server does not support DPoP with ES256 or EdDSA, which the MCP server or Options.DPoP requires (RFC 9449, section 5.1)", nil)
}

// proof returns a DPoP proof for a request. token is the access token of the
// request and nonce the server's latest nonce; both may be empty.
func (k *Key) proof(method string, u *url.URL, token, nonce string) (string, error) {
	h := wire.AppendString(wire.AppendKey([]byte{'{'}, "typ"), "dpop+jwt")
	h = wire.AppendString(wire.AppendKey(h, "alg"), k.alg)
	h = append(wire.AppendKey(h, "jwk"), k.jwk()...)

	target := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	c := wire.AppendString(wire.AppendKey([]byte{'{'}, "jti"), randomString())
	c = wire.AppendString(wire.AppendKey(c, "htm"), method)
	c = wire.AppendString(wire.AppendKey(c, "htu"), target.String())
	c = wire.AppendInt(wire.AppendKey(c, "iat"), time.Now().Unix())
	if token != "" {
		sum := sha256.Sum256([]byte(token))
		c = wire.AppendString(wire.AppendKey(c, "ath"), encode(sum[:]))
	}
	if nonce != "" {
		c = wire.AppendString(wire.AppendKey(c, "nonce"), nonce)
	}
	return k.sign(append(h, '}'), append(c, '}'))
}

// nonces holds the latest DPoP nonce of each origin.
type nonces map[string]string

// keepNonce stores the nonce in a response from the server at u, and reports
// whether the response has a nonce other than the one that was sent.
func (t *Transport) keepNonce(u *url.URL, h http.Header, sent string) bool {
	const longest = 1024
	n := h.Get("DPoP-Nonce")
	if n == "" || len(n) > longest || n == sent {
		return false
	}
	t.mu.Lock()
	if t.nonces == nil {
		t.nonces = nonces{}
	}
	t.nonces[origin(u)] = n
	t.mu.Unlock()
	return true
}

func (t *Transport) nonceFor(u *url.URL) string {
	t.mu.Lock()
	n := t.nonces[origin(u)]
	t.mu.Unlock()
	return n
}
