package oauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"slices"
	"strings"
)

// knownKeys are the public keys of clients, for private_key_jwt.
var knownKeys = map[string]crypto.PublicKey{}

// verify checks a signed JWT in a way that has nothing in common with how they
// are made. The key is pub, or that in the header, or the one known by its kid.
func verify(s string, pub crypto.PublicKey) (claims, header map[string]any, err error) {
	parts := strings.Split(s, ".")
	if len(parts) != 3 {
		return nil, nil, errors.New("not three parts")
	}
	var raw [3][]byte
	for i := range parts {
		if raw[i], err = base64.RawURLEncoding.DecodeString(parts[i]); err != nil {
			return nil, nil, err
		}
	}
	if err := json.Unmarshal(raw[0], &header); err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(raw[1], &claims); err != nil {
		return nil, nil, err
	}
	if pub == nil {
		if kid, ok := header["kid"].(string); ok {
			pub = knownKeys[kid]
		} else if pub, err = publicKey(header["jwk"]); err != nil {
			return nil, nil, err
		}
	}
	text := []byte(parts[0] + "." + parts[1])
	sum := sha256.Sum256(text)
	ok := false
	switch k := pub.(type) {
	case *ecdsa.PublicKey:
		ok = header["alg"] == "ES256" && len(raw[2]) == 64 &&
			ecdsa.Verify(k, sum[:], new(big.Int).SetBytes(raw[2][:32]), new(big.Int).SetBytes(raw[2][32:]))
	case *rsa.PublicKey:
		ok = header["alg"] == "RS256" && rsa.VerifyPKCS1v15(k, crypto.SHA256, sum[:], raw[2]) == nil
	case ed25519.PublicKey:
		ok = (header["alg"] == "EdDSA" || header["alg"] == "Ed25519") && ed25519.Verify(k, text, raw[2])
	}
	if !ok {
		return nil, nil, errors.New("bad signature")
	}
	return claims, header, nil
}

func publicKey(v any) (crypto.PublicKey, error) {
	jwk, _ := v.(map[string]any)
	if jwk["d"] != nil {
		return nil, errors.New("a private key")
	}
	get := func(name string) []byte {
		s, _ := jwk[name].(string)
		b, _ := base64.RawURLEncoding.DecodeString(s)
		return b
	}
	switch jwk["kty"] {
	case "EC":
		return ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, get("x")...), get("y")...))
	case "OKP":
		return ed25519.PublicKey(get("x")), nil
	}
	return nil, errors.New("unknown key")
}

// thumbprintOf computes the thumbprint of a JWK on another way: encoding/json
// writes maps with sorted keys.
func thumbprintOf(v any) string {
	data, _ := json.Marshal(v)
	sum := sha256.Sum256(data)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

const dpopNonce = "fresh-nonce"

// checkProof returns the thumbprint of the key that a proof is made with.
func (e *env) checkProof(r *http.Request, target, token string) (jkt, nonce string, ok bool) {
	claims, header, err := verify(r.Header.Get("DPoP"), nil)
	if err != nil || len(r.Header["Dpop"]) != 1 {
		return "", "", false
	}
	jti, _ := claims["jti"].(string)
	nonce, _ = claims["nonce"].(string)
	ath := any(nil)
	if token != "" {
		sum := sha256.Sum256([]byte(token))
		ath = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	if jti == "" || e.seenJTI[jti] || header["typ"] != "dpop+jwt" || claims["htm"] != r.Method || claims["htu"] != target || claims["ath"] != ath {
		return "", "", false
	}
	if algs, ok := e.meta["dpop_signing_alg_values_supported"].([]string); !ok || !slices.Contains(algs, header["alg"].(string)) {
		return "", "", false
	}
	e.seenJTI[jti] = true
	return thumbprintOf(header["jwk"]), nonce, true
}

func (e *env) checkTokenProof(rw http.ResponseWriter, r *http.Request) (jkt string, ok bool) {
	if r.Header.Get("DPoP") == "" {
		return "", true
	}
	jkt, nonce, ok := e.checkProof(r, e.as.URL+"/token", "")
	if !ok {
		reply(rw, 400, map[string]string{"error": "invalid_dpop_proof"})
		return "", false
	}
	if e.dpopNonces && nonce != dpopNonce {
		rw.Header().Set("DPoP-Nonce", dpopNonce)
		reply(rw, 400, map[string]string{"error": "use_dpop_nonce"})
		return "", false
	}
	return jkt, true
}

func (e *env) checkResourceProof(rw http.ResponseWriter, r *http.Request, token string, k *issued) bool {
	jkt, nonce, ok := e.checkProof(r, e.url(), token)
	if !ok || jkt != k.jkt {
		rw.Header().Set("WWW-Authenticate", `DPoP error="invalid_token"`)
		rw.WriteHeader(401)
		return false
	}
	if e.dpopNonces && nonce != dpopNonce+"-rs" {
		rw.Header().Set("DPoP-Nonce", dpopNonce+"-rs")
		rw.Header().Set("WWW-Authenticate", `DPoP error="use_dpop_nonce"`)
		rw.WriteHeader(401)
		return false
	}
	return true
}
