package oauth

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// TestKeysThatAreTooWeak: a key has at least 2048 bits, or is on the curve P-256.
func TestKeysThatAreTooWeak(t *testing.T) {
	modulus := func(bits uint) *rsa.PublicKey {
		return &rsa.PublicKey{N: new(big.Int).Lsh(big.NewInt(1), bits-1), E: 65537}
	}
	p384, _ := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	for name, tt := range map[string]struct {
		pub  crypto.PublicKey
		want bool
	}{"RSA 2048": {modulus(2048), true}, "RSA 2047": {modulus(2047), false}, "P-384": {p384.Public(), false}, "another": {1, false}} {
		k, err := NewKey(publicOnly{tt.pub}, "")
		if (err == nil) != tt.want {
			t.Errorf("%s: %v", name, err)
		}
		if k != nil {
			if _, err := k.sign([]byte("{}"), []byte("{}")); err == nil {
				t.Errorf("%s: signs without a private key", name)
			}
		}
	}
	key, _, _ := generateKey("EdDSA")
	if key.forAlgorithms([]string{"RS256"}) != nil || key.forAlgorithms(nil) != key || key.forAlgorithms([]string{ed25519Name}) == nil {
		t.Error("a key is used for the algorithms of others")
	}
}

func TestSignaturesThatAreNoSequence(t *testing.T) {
	const r, s = "\x02\x01\x07", "\x02\x01\x08"
	for name, tt := range map[string]struct {
		der  string
		want bool
	}{
		"right": {"\x30\x06" + r + s, true}, "no sequence": {"\x31\x06" + r + s, false}, "length": {"\x30\x07" + r + s, false},
		"R is not an integer": {"\x30\x06\x03\x01\x07" + s, false}, "S is not an integer": {"\x30\x06" + r + "\x04\x01\x08", false},
		"more": {"\x30\x07" + r + s + "\x00", false}, "R alone": {"\x30\x03" + r, false}, "cut off": {"\x30\x05" + r + s[:2], false}, "empty": {"", false},
	} {
		if out, err := joinASN1([]byte(tt.der)); (err == nil) != tt.want || tt.want && (len(out) != 64 || out[31] != 7 || out[63] != 8) {
			t.Errorf("%s: %x, %v", name, out, err)
		}
	}
}

func TestTokensThatNoHeaderCanHold(t *testing.T) {
	for access, want := range map[string]bool{"abc~!": true, "": false, "a b": false, "t\u00f6ken": false, "a\\u0000b": false, "a\\u007fb": false} {
		a := &response{status: 200, body: []byte(`{"access_token":"` + access + `","token_type":"bearer"}`)}
		if _, err := a.token(nil); (err == nil) != want {
			t.Errorf("%q: %v", access, err)
		}
	}
	for body, want := range map[string]time.Duration{"1e300": maxLife * time.Second, `"99999999999"`: maxLife * time.Second, "0": 0, "-5": 0, `"x"`: 0, "true": 0} {
		a := &response{status: 200, body: []byte(`{"access_token":"a","token_type":"bearer","expires_in":` + body + `}`)}
		k, err := a.token(nil)
		if err != nil || k.expires.IsZero() != (want == 0) || want != 0 && k.expires.Sub(k.issued) > want {
			t.Errorf("expires_in %s: %v, %v", body, k, err)
		}
	}
}

// TestMediaTypesOfMetadata: a JSON object is metadata, whatever its media type, because
// servers send it as text, too. A page is none.
func TestMediaTypesOfMetadata(t *testing.T) {
	for body, want := range map[string]bool{"{}": true, " \n{}": true, "[]": false, "": false, "<html>{}": false, "\"{}\"": false} {
		a := &response{status: 200, header: http.Header{"Content-Type": {"text/html"}}, body: []byte(body)}
		if a.isObject() != want {
			t.Errorf("%q: %v", body, !want)
		}
		if a.status = 404; a.isObject() {
			t.Errorf("%q with 404", body)
		}
	}
}

// TestFailuresThatPass: an attempt is made again at once after these only.
func TestFailuresThatPass(t *testing.T) {
	for status, want := range map[int]bool{400: false, 401: false, 403: false, 429: true, 499: false, 500: true, 503: true} {
		err := error(&ServerError{Status: status, isOAuthCode: true})
		if isTransient(err) != want || isRefusal(err) == want {
			t.Errorf("%d: %v, %v", status, isTransient(err), isRefusal(err))
		}
	}
	if isRefusal(&ServerError{Status: 400}) || isRefusal(io.EOF) || isTransient(io.EOF) {
		t.Error("other errors are refusals of an authorization server")
	}
}

func TestRegistrationsOfServers(t *testing.T) {
	g, err := parseRegistration([]byte(`{"client_id":"a","client_secret_expires_at":null}`))
	if err != nil || g.expires != 0 || !g.validFor("x:") {
		t.Errorf("%+v, %v", g, err)
	}
	for name, tt := range map[string]struct {
		g    *registration
		want bool
	}{
		"none": {nil, false}, "no id": {&registration{}, false}, "any redirect": {&registration{id: "a"}, true},
		"the redirect": {&registration{id: "a", redirect: "r:"}, true}, "another": {&registration{id: "a", redirect: "s:"}, false},
		"expired": {&registration{id: "a", expires: 1}, false}, "lasts": {&registration{id: "a", expires: 1 << 40}, true},
	} {
		if tt.g.validFor("r:") != tt.want {
			t.Errorf("%s: %v", name, !tt.want)
		}
	}
	for redirect, want := range map[string]string{"http://127.0.0.1/cb": "native", "https://example.com/cb": "web"} {
		if got := applicationType(redirect); got != want {
			t.Errorf("%s: %s", redirect, got)
		}
	}
	for raw, want := range map[string]bool{
		"https://example.com/c": true, "http://example.com/c": false, "https:///c": false, "https://example.com": false,
		"https://example.com/": false, "https://example.com/c#f": false, "https://u@example.com/c": false,
	} {
		if err := checkClientURL(raw); (err == nil) != want {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

// TestCountedOperations: a server can name any number of tools.
func TestCountedOperations(t *testing.T) {
	tr := New("https://example.com/mcp", nil)
	for i := range 3 * maxOperations {
		if err := tr.countStepUp(stepUp{operation: strconv.Itoa(i)}); err != nil || len(tr.stepUps) > maxOperations {
			t.Fatalf("%d operations are counted, %v", len(tr.stepUps), err)
		}
	}
	for i := range maxStepUps + 1 {
		if err := tr.countStepUp(stepUp{operation: "one"}); (err == nil) != (i < maxStepUps) {
			t.Errorf("attempt %d: %v", i+1, err)
		}
	}
	req, _ := http.NewRequest(http.MethodPost, "https://example.com/mcp", nil)
	o := &operation{t: tr, req: req, stepUp: true}
	tr.stepUps = map[string]int{o.name(): 2}
	if o.succeeded(&http.Response{StatusCode: 403}); tr.stepUps[o.name()] != 2 {
		t.Error("a refusal resets the count")
	}
	if o.succeeded(&http.Response{StatusCode: 200}); tr.stepUps[o.name()] != 0 {
		t.Error("a success does not reset the count")
	}
}

// TestKeysOfTokens: which tokens are bound to a key, and to which.
func TestKeysOfTokens(t *testing.T) {
	key, secret, _ := generateKey("ES256")
	old := &token{dpop: true, key: key, secret: secret}
	for name, tt := range map[string]struct {
		mode     DPoP
		required bool // by the resource
		algs     []string
		old      *token
		d        demand
		want     string
	}{
		"never":                        {DPoPNever, true, []string{"ES256"}, nil, demand{dpop: true}, "none"},
		"never, with an old key":       {DPoPNever, true, []string{"ES256"}, old, demand{stepUp: true}, "none"},
		"auto, not demanded":           {DPoPAuto, false, []string{"ES256"}, nil, demand{bearer: true}, "none"},
		"auto, demanded":               {DPoPAuto, false, []string{"ES256"}, nil, demand{dpop: true}, "new"},
		"auto, required":               {DPoPAuto, true, []string{"EdDSA"}, nil, demand{}, "new"},
		"auto, no algorithm, a choice": {DPoPAuto, false, []string{"RS256"}, nil, demand{dpop: true, bearer: true}, "none"},
		"auto, no algorithm":           {DPoPAuto, false, []string{"RS256"}, nil, demand{dpop: true}, "error"},
		"required, no algorithm":       {DPoPAuto, true, nil, nil, demand{bearer: true}, "error"},
		"always, no algorithm":         {DPoPAlways, false, nil, nil, demand{bearer: true}, "error"},
		"always":                       {DPoPAlways, false, []string{"ES256"}, nil, demand{bearer: true}, "new"},
		"always, with a bearer token":  {DPoPAlways, false, []string{"ES256"}, &token{}, demand{stepUp: true}, "new"},
		"more scopes":                  {DPoPAuto, false, nil, old, demand{stepUp: true}, "old"},
		"another token":                {DPoPAuto, true, []string{"ES256"}, old, demand{}, "new"},
	} {
		s := &server{dpop: tt.required}
		s.dpopAlgs = tt.algs
		got, data, err := New("https://example.com/mcp", &Options{DPoP: tt.mode}).proofKey(s, tt.old, tt.d)
		is := "new"
		switch {
		case err != nil:
			is = "error"
		case got == nil:
			is = "none"
		case got == key:
			is = "old"
		}
		if is != tt.want || (got == nil) != (data == nil) {
			t.Errorf("%s: %s key, %v", name, is, err)
		}
	}
}

// TestAttemptThatIsOver: what it loads is not taken over, as a newer attempt may have
// loaded newer data.
func TestAttemptThatIsOver(t *testing.T) {
	tr := New("https://example.com/mcp", nil)
	b := binding{issuer: "https://as.example.com", resource: "https://example.com/mcp"}
	_ = tr.store.Save(t.Context(), tr.bindingKey(), b.encode())
	_ = tr.store.Save(t.Context(), b.key(), (&token{access: "stored"}).encode())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tr.load(ctx); !errors.Is(err, context.Canceled) || tr.loaded || tr.tok != nil {
		t.Errorf("loaded %v, %v", tr.tok, err)
	}
	k, err := tr.load(t.Context())
	if err != nil || k == nil || k.access != "stored" {
		t.Fatalf("%v, %v", k, err)
	}
	if again, err := tr.load(t.Context()); again != k || err != nil {
		t.Errorf("the same token becomes another one, which the server has not accepted: %v", err)
	}
	_ = tr.store.Save(t.Context(), b.key(), (&token{access: "other"}).encode())
	if other, err := tr.load(t.Context()); err != nil || other.access != "other" {
		t.Errorf("%v, %v", other, err)
	}
}

// TestConnectionsToAuthorizationServers: each is checked, and made without the settings
// that are those of the MCP server.
func TestConnectionsToAuthorizationServers(t *testing.T) {
	base := &http.Transport{TLSClientConfig: &tls.Config{ServerName: "mcp.example.com", NextProtos: []string{"x"}, MinVersion: tls.VersionTLS13}}
	u, _ := url.Parse("https://mcp.example.com/")
	f := newFetcher(base, u, false)
	if c := f.rt.TLSClientConfig; c.ServerName != "" || c.NextProtos != nil || c.MinVersion != tls.VersionTLS13 || base.TLSClientConfig.ServerName == "" {
		t.Errorf("server name %q, protocols %q", c.ServerName, c.NextProtos)
	}
	if !f.rt.DisableKeepAlives {
		t.Error("a connection is used for another request, for which its address was not checked")
	}
}

func TestFormsOfRequests(t *testing.T) {
	for body, want := range map[string]bool{"none": true, "empty": true, "buffer": true, "stream": false} {
		req := &http.Request{}
		switch body {
		case "empty":
			req.Body = http.NoBody
		case "buffer":
			req, _ = http.NewRequest(http.MethodPost, "https://example.com", strings.NewReader("x"))
		case "stream":
			req.Body = io.NopCloser(strings.NewReader("x"))
		}
		if canReplay(req) != want {
			t.Errorf("%s: %v", body, !want)
		}
	}
	r := &http.Request{}
	if err := (&token{access: "a"}).attach(r, ""); err != nil || r.Header.Get("Authorization") != "Bearer a" {
		t.Errorf("%v, %v", r.Header, err)
	}
	j := &jwt{}
	if err := j.readClaims([]byte(`{"resource":["a","b"],"client_id":"c"}`)); err != nil || string(j.resource) != `["a","b"]` || j.client != "c" {
		t.Errorf("a list of resources: %+v, %v", j, err)
	}
	reader := wire.NewReader([]byte(`"7"`))
	if seconds(&reader) != 7 {
		t.Error("a number in a string is not read")
	}
}
