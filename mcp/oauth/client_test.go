package oauth

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// A storeFunc is a Store that fails.
type storeFunc func() error

func (f storeFunc) Load(context.Context, StoreKey) ([]byte, error) { return nil, f() }
func (f storeFunc) Save(context.Context, StoreKey, []byte) error   { return f() }
func (f storeFunc) Lock(context.Context, StoreKey) (func(), error) { return nil, f() }

func TestRegistrationOrder(t *testing.T) {
	const clientURL = "https://app.example.com/client.json"
	for _, v := range []struct {
		name           string
		given, url     bool // what the program has
		urls, register bool // what the server has
		ask            bool
		want           string
	}{
		{"given comes first", true, true, true, true, true, "given"},
		{"then the URL", false, true, true, true, true, clientURL},
		{"which the server must know", false, true, false, true, true, "client-"},
		{"then a registration", false, false, true, true, true, "client-"},
		{"AskClient is called", false, true, false, false, true, "asked"},
		{"unless it is nil", false, false, false, false, false, ""},
	} {
		t.Run(v.name, func(t *testing.T) {
			e := newEnv(t)
			e.clients["given"] = map[string]any{}
			e.clients["asked"] = map[string]any{"client_secret": mark}
			e.meta["client_id_metadata_document_supported"] = v.urls
			e.meta["token_endpoint_auth_methods_supported"] = []string{methodPost, methodNone}
			if !v.register {
				delete(e.meta, "registration_endpoint")
			}
			asked := 0
			tr := e.transport(func(o *Options) {
				if v.given {
					o.Client.ID = "given"
				}
				if v.url {
					o.ClientURL = clientURL
				}
				if v.ask {
					o.AskClient = func(_ context.Context, issuer string) (Client, error) {
						asked++
						if issuer != e.as.URL {
							t.Errorf("asked for %q", issuer)
						}
						return Client{ID: "asked", Secret: mark}, nil
					}
				}
			})
			if v.want == "" {
				e.mustFail(tr, "Options.Client")
				return
			}
			e.mustGet(tr)
			if id := e.forms[0].Get("client_id"); !strings.HasPrefix(id, v.want) {
				t.Errorf("client %q, want %q", id, v.want)
			}
			// The same client refreshes, and is known when all else is lost.
			e.forgetAccess()
			e.mustGet(tr)
			if e.count("refresh_token") != 1 {
				t.Error("not refreshed")
			}
			clear(e.refresh)
			e.forgetAccess()
			e.mustGet(tr)
			if asked > 1 || e.count("/register") > 1 {
				t.Errorf("asked %d times, registered %d times", asked, e.count("/register"))
			}
		})
	}
}

func TestRegistration(t *testing.T) {
	e := newEnv(t)
	e.mustGet(e.transport(func(o *Options) { o.ClientName = "the program" }))
	for _, m := range e.clients {
		for name, want := range map[string]any{"client_name": "the program", "application_type": "native", "token_endpoint_auth_method": "none"} {
			if m[name] != want {
				t.Errorf("%s: %v, want %v", name, m[name], want)
			}
		}
		grants, _ := m["grant_types"].([]any)
		if len(grants) != 2 || grants[1] != "refresh_token" {
			t.Errorf("grant_types: %v", grants)
		}
	}

	e = newEnv(t)
	e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/register" {
			reply(rw, 400, map[string]string{"error": "invalid_redirect_uri", "error_description": "web clients use https"})
		}
		return r.URL.Path == "/register"
	}
	err := e.mustFail(e.transport(nil), "/register", "http://127.0.0.1:8976/callback", "invalid_redirect_uri", "web clients use https")
	checkKind(t, err)
	e.handle = serveRaw("/register", `{"client_secret":"`+mark+`"}`)
	e.mustFail(e.transport(nil), "RFC 7591")
}

// A client that was registered just now is not registered again.
func TestRefusedNewClientIsNotRegisteredAgain(t *testing.T) {
	e := newEnv(t)
	robot := &robotUser{e: e}
	e.refuseToken = func(url.Values) string { return "invalid_client" }
	e.mustFail(e.transport(func(o *Options) { o.Authorizer = robot }), "invalid_client")
	if robot.times != 1 || e.count("/register") != 1 {
		t.Errorf("asked %d times, registered %d times", robot.times, e.count("/register"))
	}
}

func TestRegistrationValidity(t *testing.T) {
	g := &registration{id: "x", redirect: "http://127.0.0.1:1/callback"}
	for _, v := range []struct {
		expires  int64
		redirect string
		want     bool
	}{
		{0, g.redirect, true}, {1, g.redirect, false}, {1 << 40, g.redirect, true}, {0, "http://127.0.0.1:2/callback", false},
	} {
		g.expires = v.expires
		if g.validFor(v.redirect) != v.want {
			t.Errorf("%+v", v)
		}
	}
	if (*registration)(nil).validFor("") {
		t.Error("nil is usable")
	}
}

func TestClientURLs(t *testing.T) {
	for _, raw := range []string{"http://h/c", "https://h", "https://h/", "https:///c", "https://h/c#f", "https://u:p@h/c", ":"} {
		if checkClientURL(raw) == nil {
			t.Errorf("%s is accepted", raw)
		}
	}
	if err := checkClientURL("https://h/c.json"); err != nil {
		t.Error(err)
	}
}

func TestClientAuthentication(t *testing.T) {
	for _, v := range []struct {
		announced []string
		client    Client
		want      string
	}{
		{nil, Client{ID: "c"}, methodNone},
		{nil, Client{ID: "c", Secret: mark + " &%:é"}, methodBasic},
		{[]string{methodPost}, Client{ID: "c", Secret: mark}, methodPost},
		{[]string{methodPost, methodBasic}, Client{ID: "c", Secret: mark}, methodBasic},
		{[]string{methodBasic}, Client{ID: "c", Secret: mark, Method: methodPost}, methodPost},
		{[]string{methodNone}, Client{ID: "c", Secret: mark}, methodNone},
		{[]string{methodKey}, Client{ID: "c", Key: newKey(t, "ES256")}, methodKey},
		{[]string{methodKey}, Client{ID: "c", Key: newKey(t, "RS256")}, methodKey},
		{[]string{methodKey}, Client{ID: "c", Key: newKey(t, "EdDSA")}, methodKey},
	} {
		e := newEnv(t)
		e.clients["c"] = map[string]any{}
		if v.client.Secret != "" && v.want != methodNone {
			e.clients["c"]["client_secret"] = v.client.Secret
		}
		e.meta["token_endpoint_auth_methods_supported"] = v.announced
		e.mustGet(e.transport(func(o *Options) { o.Client = v.client }))
		form, head := e.lastForm(), e.heads[len(e.heads)-1]
		got := methodNone
		switch {
		case head.Get("Authorization") != "":
			got = methodBasic
		case form.Has("client_secret"):
			got = methodPost
		case form.Has("client_assertion"):
			got = methodKey
		}
		if got != v.want {
			t.Errorf("%v, %v: %s, want %s", v.announced, v.client, got, v.want)
		}
	}
}

func TestUnsupportedClientAuthentication(t *testing.T) {
	for _, v := range []struct {
		client Client
		want   string
	}{
		{Client{ID: "c", Key: newKey(t, "RS256")}, "RS256"},
		{Client{ID: "c", Method: methodKey}, "Client.Key"},
		{Client{ID: "c", Method: "tls_client_auth"}, "tls_client_auth"},
	} {
		e := newEnv(t)
		e.clients["c"] = map[string]any{}
		e.meta["token_endpoint_auth_signing_alg_values_supported"] = []string{"ES256"}
		e.mustFail(e.transport(func(o *Options) { o.Client = v.client }), v.want, e.as.URL)
	}
}

// A client that is known by a URL may have a key; one that is asked for may not.
func TestClientKeys(t *testing.T) {
	const clientURL = "https://app.example.com/client.json"
	e := newEnv(t)
	e.clients[clientURL] = map[string]any{}
	e.meta["client_id_metadata_document_supported"] = true
	e.meta["token_endpoint_auth_methods_supported"] = []string{methodKey, methodNone}
	key := newKey(t, "ES256")
	store := NewMemory()
	e.mustGet(e.transport(func(o *Options) { o.ClientURL, o.Client.Key, o.Store = clientURL, key, store }))
	e.forgetAccess()
	e.mustGet(e.transport(func(o *Options) { o.ClientURL, o.Client.Key, o.Store, o.Authorizer = clientURL, key, store, nil }))
	for _, form := range e.forms[1:] {
		if !form.Has("client_assertion") || form.Has("client_id") {
			t.Errorf("asked with %v", form)
		}
	}
	delete(e.meta, "registration_endpoint")
	e.meta["client_id_metadata_document_supported"] = false
	for _, c := range []Client{{}, {ID: "c", Key: key}} {
		e.mustFail(e.transport(func(o *Options) {
			o.AskClient = func(context.Context, string) (Client, error) { return c, nil }
		}), "Options.AskClient", e.as.URL)
	}
}

// Servers that know EdDSA by its new name get it under that.
func TestEd25519AlgorithmName(t *testing.T) {
	for _, algs := range [][]string{{"Ed25519"}, {"EdDSA", "Ed25519"}} {
		e := newEnv(t)
		e.clients["c"] = map[string]any{}
		e.meta["token_endpoint_auth_signing_alg_values_supported"] = algs
		e.mustGet(e.transport(func(o *Options) { o.Client = Client{ID: "c", Key: newKey(t, "EdDSA")} }))
		if _, header, err := verify(e.lastForm().Get("client_assertion"), nil); err != nil || header["alg"] != algs[0] {
			t.Errorf("%v: %v, %v", algs, header, err)
		}
	}
}

// newKey returns a key by way of a PEM file, and lets the server know it.
func newKey(t *testing.T, alg string) *Key {
	t.Helper()
	var signer crypto.Signer
	var err error
	switch alg {
	case "ES256":
		signer, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case "RS256":
		signer, err = rsa.GenerateKey(rand.Reader, 2048)
	case "EdDSA":
		_, signer, err = ed25519.GenerateKey(rand.Reader)
	}
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(signer)
	if err != nil {
		t.Fatal(err)
	}
	k, err := ParseKey(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), "kid-"+alg)
	if err != nil || k.alg != alg {
		t.Fatal(err)
	}
	knownKeys["kid-"+alg] = signer.Public()
	return k
}

func TestKeys(t *testing.T) {
	ec, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	sec1, _ := x509.MarshalECPrivateKey(ec)
	r, _ := rsa.GenerateKey(rand.Reader, 2048)
	for _, der := range [][]byte{sec1, x509.MarshalPKCS1PrivateKey(r)} {
		if _, err := ParseKey(pem.EncodeToMemory(&pem.Block{Type: "X", Bytes: der}), ""); err != nil {
			t.Error(err)
		}
	}
	p384, _ := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if _, err := NewKey(p384, ""); err == nil {
		t.Error("P-384 is accepted")
	}
	for _, data := range []string{"", "x", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"} {
		if _, err := ParseKey([]byte(data), ""); err == nil {
			t.Errorf("%q is accepted", data)
		}
	}
	// Signatures whose numbers are short or have the highest bit set come out
	// of many.
	k, err := NewKey(ec, "")
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		s, err := k.sign([]byte(`{"alg":"ES256"}`), []byte(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := verify(s, ec.Public()); err != nil {
			t.Fatal(err, s)
		}
	}
	for _, bad := range []string{"", "\x30", "\x30\x00", "\x30\x02\x02\x00", "\x30\x06\x02\x01\x01\x02\x02\x01", "\x30\x07\x02\x01\x01\x02\x01\x01\x00"} {
		if _, err := joinASN1([]byte(bad)); err == nil {
			t.Errorf("%x is accepted", bad)
		}
	}
}

// The example of RFC 7638, section 3.1.
func TestThumbprint(t *testing.T) {
	pub := &rsa.PublicKey{N: bigOf(t, "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"), E: 65537}
	k := &Key{signer: publicOnly{pub}}
	if got := k.thumbprint(); got != "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs" {
		t.Error(got)
	}
}

type publicOnly struct{ crypto.PublicKey }

func (p publicOnly) Public() crypto.PublicKey { return p.PublicKey }
func (publicOnly) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) {
	return nil, errors.ErrUnsupported
}

func bigOf(t *testing.T, s string) *big.Int {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return new(big.Int).SetBytes(b)
}
