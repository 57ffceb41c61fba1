package oauth

import (
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"slices"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// A Key is a private key that authenticates a client: P-256 (ES256), RSA with at
// least 2048 bits (RS256) or Ed25519 (EdDSA). Printing it shows no secrets.
type Key struct {
	signer crypto.Signer
	alg    string
	id     string
}

var errKey = errors.New("oauth: a key must be P-256, Ed25519, or RSA with 2048 bits or more")

// NewKey returns a Key that signs with signer, such as a hardware token. id is
// the "kid" under which the authorization server knows the key; it may be empty.
func NewKey(signer crypto.Signer, id string) (*Key, error) {
	if signer == nil {
		return nil, errors.New("oauth: NewKey: signer is nil")
	}
	k := &Key{signer: signer, id: id}
	switch pub := signer.Public().(type) {
	case *ecdsa.PublicKey:
		if pub.Curve == elliptic.P256() {
			k.alg = "ES256"
			return k, nil
		}
	case *rsa.PublicKey:
		if pub.N.BitLen() >= 2048 {
			k.alg = "RS256"
			return k, nil
		}
	case ed25519.PublicKey:
		k.alg = "EdDSA"
		return k, nil
	}
	return nil, errKey
}

// ParseKey returns the private key in PEM data: PKCS #8, SEC 1 or PKCS #1. id is
// as for [NewKey]. The error does not quote data.
func ParseKey(data []byte, id string) (*Key, error) {
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, errors.New("oauth: no PEM block in the key data")
	}
	der := block.Bytes
	var key any
	var err error
	if key, err = x509.ParsePKCS8PrivateKey(der); err != nil {
		if key, err = x509.ParseECPrivateKey(der); err != nil {
			if key, err = x509.ParsePKCS1PrivateKey(der); err != nil {
				return nil, errKey
			}
		}
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errKey
	}
	return NewKey(signer, id)
}

// ed25519Name is the name of EdDSA with Ed25519 in RFC 9864.
const ed25519Name = "Ed25519"

// forAlgorithms returns the key under a name in the list of algorithms, or nil
// if none of its names is there. An empty list means all algorithms.
func (k *Key) forAlgorithms(algs []string) *Key {
	switch {
	case len(algs) == 0 || slices.Contains(algs, k.alg):
		return k
	case k.alg == "EdDSA" && slices.Contains(algs, ed25519Name):
		return &Key{k.signer, ed25519Name, k.id}
	}
	return nil
}

// generateKey returns a new key for ES256, EdDSA or Ed25519, and its secret for
// [parseSecret]. Package ecdh, which TLS links anyway, makes the secret of ES256:
// ecdsa.GenerateKey is 18 KB of an agent, as it links four curves.
func generateKey(alg string) (*Key, []byte, error) {
	secret := make([]byte, ed25519.SeedSize)
	_, _ = rand.Read(secret) // never fails
	if alg == "ES256" {
		scalar, err := ecdh.P256().GenerateKey(rand.Reader)
		if err != nil {
			return nil, nil, err
		}
		secret = scalar.Bytes()
	}
	key, err := parseSecret(alg, secret)
	return key, secret, err
}

// parseSecret returns the key whose secret generateKey returned. The secret is the
// number or the seed alone, as PKCS #8 would link RSA. In the PKCS #8 that earlier
// versions stored, it has a fixed place.
func parseSecret(alg string, secret []byte) (*Key, error) {
	switch {
	case alg == "ES256" && len(secret) == 138:
		return parseSecret(alg, secret[36:68])
	case alg != "ES256" && len(secret) == 16+ed25519.SeedSize:
		return parseSecret(alg, secret[16:])
	case alg == "ES256":
		key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), secret)
		return &Key{signer: key, alg: alg}, err
	case (alg == "EdDSA" || alg == ed25519Name) && len(secret) == ed25519.SeedSize:
		return &Key{signer: ed25519.NewKeyFromSeed(secret), alg: alg}, nil
	}
	return nil, errKey
}

// sign returns a JSON Web Token with the header and claims, which are JSON
// objects (RFC 7515, section 7.1).
func (k *Key) sign(header, claims []byte) (string, error) {
	text := encode(header) + "." + encode(claims)
	input, opts := []byte(text), crypto.SignerOpts(crypto.Hash(0))
	if k.alg == "ES256" || k.alg == "RS256" {
		sum := sha256.Sum256(input)
		input, opts = sum[:], crypto.SHA256
	}
	sig, err := k.signer.Sign(rand.Reader, input, opts)
	if err == nil && k.alg == "ES256" {
		sig, err = joinASN1(sig)
	}
	if err != nil {
		return "", errors.New("oauth: the key could not sign")
	}
	return text + "." + encode(sig), nil
}

// joinASN1 converts an ECDSA signature from ASN.1 to R and S concatenated (RFC
// 7518, section 3.4).
func joinASN1(der []byte) ([]byte, error) {
	// SEQUENCE of two INTEGERs; for P-256 every length fits into one byte.
	if len(der) < 2 || der[0] != 0x30 || int(der[1]) != len(der)-2 {
		return nil, io.ErrUnexpectedEOF
	}
	der = der[2:]
	out := make([]byte, 64)
	for _, part := range [][]byte{out[:32], out[32:]} {
		if len(der) < 2 || der[0] != 2 || len(der) < 2+int(der[1]) {
			return nil, io.ErrUnexpectedEOF
		}
		n := der[2 : 2+int(der[1])]
		der = der[2+len(n):]
		for len(n) > 0 && n[0] == 0 {
			n = n[1:]
		}
		if len(n) > len(part) {
			return nil, io.ErrUnexpectedEOF
		}
		copy(part[len(part)-len(n):], n)
	}
	if len(der) > 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return out, nil
}

// jwk returns the public key as a JSON Web Key (RFC 7517) with exactly the
// members of its thumbprint, in their order (RFC 7638, section 3).
func (k *Key) jwk() []byte {
	b := []byte{'{'}
	member := func(name, value string) {
		b = wire.AppendString(wire.AppendKey(b, name), value)
	}
	switch pub := k.signer.Public().(type) {
	case *ecdsa.PublicKey:
		point, err := pub.Bytes()
		if err != nil || len(point) != 65 {
			return nil
		}
		member("crv", "P-256")
		member("kty", "EC")
		member("x", encode(point[1:33]))
		member("y", encode(point[33:]))
	case ed25519.PublicKey:
		member("crv", "Ed25519")
		member("kty", "OKP")
		member("x", encode(pub))
	case *rsa.PublicKey:
		member("e", encode(big.NewInt(int64(pub.E)).Bytes()))
		member("kty", "RSA")
		member("n", encode(pub.N.Bytes()))
	}
	return append(b, '}')
}

// thumbprint returns the SHA-256 thumbprint of the public key (RFC 7638).
func (k *Key) thumbprint() string {
	sum := sha256.Sum256(k.jwk())
	return encode(sum[:])
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// randomString returns 256 random bits in base64url.
func randomString() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return encode(b)
}
