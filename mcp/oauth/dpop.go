package oauth

import (
	"crypto/sha256"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// DPoP says when tokens are bound to a key, so that they are of no use to who
// steals them (RFC 9449).
type DPoP int

const (
	// DPoPAuto binds tokens when the server asks for proofs and the
	// authorization server gives out such tokens.
	DPoPAuto DPoP = iota
	// DPoPAlways refuses tokens that are not bound.
	DPoPAlways
	// DPoPNever leaves proofs out.
	DPoPNever
)

// bind returns the key that a token of the server must be bound to, and the
// form in which it is stored, or nil for a plain token. A token in place of one
// that was bound, and good, has the same key.
func (t *Transport) proofKey(s *server, old *token, d demand) (*Key, []byte, error) {
	if d.stepUp && old != nil && t.opts.DPoP != DPoPNever {
		if old.key != nil || t.opts.DPoP == DPoPAuto {
			return old.key, old.der, nil
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
	return nil, nil, &Error{URL: clean(s.issuer), Rule: "it announces no DPoP with ES256 or EdDSA, which the server or Options.DPoP asks for (RFC 9449, section 5.1)"}
}

// proof returns the proof that the sender of a request has the key. token is
// the access token that goes with it, and nonce what the server said to
// repeat; both may be empty.
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

// nonces are what servers told to repeat in proofs, by origin.
type nonces map[string]string

// keepNonce remembers the nonce in a response of the server at u, and reports
// whether it has one that is not the one that was sent.
func (t *Transport) keepNonce(u *url.URL, h http.Header, sent string) bool {
	const longest = 1024
	n := h.Get("DPoP-Nonce")
	if n == "" || len(n) > longest || n == sent {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.nonces == nil {
		t.nonces = nonces{}
	}
	t.nonces[origin(u)] = n
	return true
}

func (t *Transport) nonceFor(u *url.URL) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.nonces[origin(u)]
}
