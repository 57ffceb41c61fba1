package oauth

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
)

func FuzzChallenges(f *testing.F) {
	for _, s := range []string{`Bearer realm="a, b", scope="x y"`, `Basic abc==, DPoP algs="ES256", error=x`, `Bearer a="\"\\", ,b = c,Negotiate`,
		`Bearer scope=a error=b`, "Bearer a=,b=c", "A B=C D", `Bearer a="x`, "Bearer,DPoP", "Bearer a b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, malformed := parseChallenges([]string{s})
		var b strings.Builder
		for i, c := range got {
			if i > 0 && c.scheme == "" {
				return // without the one before, it would be that of the scheme before
			}
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(c.scheme)
			sep := " "
			for name, value := range c.params {
				fmt.Fprintf(&b, "%s%s=\"%s\"", sep, name, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value))
				sep = ", "
			}
			if c.scheme == "" && !malformed {
				t.Errorf("%q: a parameter without a scheme is not malformed", s)
			}
		}
		if again, _ := parseChallenges([]string{b.String()}); !reflect.DeepEqual(got, again) {
			t.Errorf("%q: %v, and after it is written again %v", s, got, again)
		}
	})
}

func FuzzMetadata(f *testing.F) {
	for _, s := range []string{
		`{"resource":"https://h/mcp","authorization_servers":["https://as"],"scopes_supported":["a","b"],"dpop_bound_access_tokens_required":true}`,
		`{"issuer":"https://as","authorization_endpoint":"https://as/a","token_endpoint":"https://as/t","registration_endpoint":null,"code_challenge_methods_supported":["S256"]}`,
		`{"client_id_metadata_document_supported":true,"authorization_response_iss_parameter_supported":false,"x":{"y":[1]}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, rerr := parseResourceMetadata(data)
		s, serr := parseServerMetadata(data)
		var m map[string]any
		if json.Unmarshal(data, &m) != nil {
			if rerr == nil || serr == nil {
				t.Fatalf("%q is not JSON", data)
			}
			return
		}
		check := func(name string, got, want any) {
			if got == "" || reflect.ValueOf(got).IsZero() {
				got = nil
			}
			if l, ok := want.([]any); ok && len(l) == 0 || want == "" || want == false {
				want = nil
			}
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(want)
			if string(a) != string(b) {
				t.Errorf("%s: %s, want %s", name, a, b)
			}
		}
		if rerr == nil {
			check("resource", r.resource, m["resource"])
			check("authorization_servers", r.servers, m["authorization_servers"])
			check("scopes_supported", r.scopes, m["scopes_supported"])
			check("dpop", r.dpopRequired, m["dpop_bound_access_tokens_required"])
		}
		if serr == nil {
			check("issuer", s.issuer, m["issuer"])
			check("authorization_endpoint", s.authorize, m["authorization_endpoint"])
			check("token_endpoint", s.token, m["token_endpoint"])
			check("registration_endpoint", s.register, m["registration_endpoint"])
			check("revocation_endpoint", s.revoke, m["revocation_endpoint"])
			check("scopes", s.scopes, m["scopes_supported"])
			check("signing algorithms", s.signingAlgs, m["token_endpoint_auth_signing_alg_values_supported"])
			check("DPoP algorithms", s.dpopAlgs, m["dpop_signing_alg_values_supported"])
			check("methods", s.authMethods, m["token_endpoint_auth_methods_supported"])
			check("challenges", s.pkceMethods, m["code_challenge_methods_supported"])
			check("client URLs", s.clientURLs, m["client_id_metadata_document_supported"])
			check("iss", s.issInResponses, m["authorization_response_iss_parameter_supported"])
		}
	})
}

func FuzzJWT(f *testing.F) {
	f.Add(unsigned(map[string]any{"typ": "JWT"}, map[string]any{"aud": "a", "exp": 1700000000, "client_id": "c", "resource": "r"}))
	f.Add(unsigned(map[string]any{"alg": "none"}, map[string]any{"aud": []string{"a", "b"}, "exp": 1.5}))
	f.Add("a.b.c")
	f.Fuzz(func(t *testing.T, s string) {
		j, err := parseJWT(s)
		if err != nil {
			return
		}
		parts := strings.Split(s, ".")
		var header struct{ Typ string }
		var claims struct {
			Aud, Resource any
			Client        string  `json:"client_id"`
			Exp           float64 `json:"exp"`
		}
		for i, v := range []any{&header, &claims} {
			data, err := base64.RawURLEncoding.DecodeString(parts[i])
			if err != nil {
				t.Fatal(err)
			}
			// encoding/json takes keys of any case; exact ones win here.
			var exact map[string]json.RawMessage
			if err := json.Unmarshal(data, &exact); err != nil {
				t.Fatal(err)
			}
			for name := range exact {
				if strings.ToLower(name) != name {
					return
				}
			}
			if err := json.Unmarshal(data, v); err != nil {
				return // null, which is nothing to one of them
			}
		}
		audience := []any{}
		for _, a := range j.audience {
			audience = append(audience, a)
		}
		if list, ok := claims.Aud.([]any); ok && (len(list) > 0 || len(audience) > 0) && !reflect.DeepEqual(list, audience) {
			t.Errorf("aud: %v, want %v", audience, list)
		}
		if one, ok := claims.Aud.(string); ok && !reflect.DeepEqual([]any{one}, audience) {
			t.Errorf("aud: %v, want %v", audience, one)
		}
		if j.typ != header.Typ || j.client != claims.Client || !j.expires.IsZero() && j.expires.Unix() != int64(claims.Exp) {
			t.Errorf("%+v, want %+v %+v", j, header, claims)
		}
		_ = j.checkGrant(&server{}, "")
	})
}

func FuzzCallback(f *testing.F) {
	f.Add("http://127.0.0.1/callback?code=c&state=s&iss=https://as", "s", "https://as", true)
	f.Add("http://127.0.0.1/callback?error=e&state=s#x", "s", "https://as", false)
	f.Add("http://127.0.0.1/callback?code=%zz&state=s;x", "s", "", false)
	f.Fuzz(func(t *testing.T, response, state, issuer string, said bool) {
		const redirect = "http://127.0.0.1/callback"
		want := expectedCallback{redirect, state, issuer, said, nil}
		code, err := parseCallback(response, want)
		if err == nil {
			// The second way is that of package url.
			u, perr := url.Parse(response)
			if perr != nil {
				return // a fragment that nothing depends on
			}
			q := u.Query()
			if u.Scheme+"://"+u.Host+u.Path != redirect || len(q["code"]) != 1 || q.Get("code") != code || code == "" ||
				len(q["state"]) != 1 || q.Get("state") != state || state == "" || q.Get("error") != "" ||
				said && !q.Has("iss") || q.Has("iss") && q.Get("iss") != issuer {
				t.Errorf("%q: %q", response, code)
			}
		}
		// What is right is accepted, whatever it consists of.
		if state == "" || response == "" {
			return
		}
		q := url.Values{"code": {response}, "state": {state}, "iss": {issuer}}
		if code, err := parseCallback(redirect+"?"+q.Encode(), want); len(q.Encode()) < 60<<10 && (err != nil || code != response) {
			t.Errorf("%q: %q, %v", q, code, err)
		}
	})
}

func FuzzTokenAnswer(f *testing.F) {
	f.Add([]byte(`{"access_token":"a","token_type":"Bearer","expires_in":"60","refresh_token":"r","scope":"x y"}`))
	f.Add([]byte(`{"access_token":"a","token_type":"DPOP","expires_in":1e30}`))
	f.Add([]byte(`{"client_id":"c","client_secret":null,"redirect_uri":"u","client_secret_expires_at":1.5}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		a := &response{status: 200, header: http.Header{"Content-Type": {"application/json"}}, body: data}
		if k, err := a.token(url.Values{"scope": {"z"}}); err == nil {
			var m map[string]any
			if err := json.Unmarshal(data, &m); err != nil || m["access_token"] != k.access {
				t.Errorf("%q: %v", data, err)
			}
			if !k.expires.IsZero() && time.Until(k.expires) > 11*365*24*time.Hour {
				t.Errorf("expires %v", k.expires)
			}
			if !k.dpop { // which needs a key
				saved, err := parseSaved(k.encode())
				if err != nil || string(saved.encode()) != string(k.encode()) {
					t.Errorf("%q: saved as %q: %v", data, k.encode(), err)
				}
			}
		}
		if g, err := parseRegistration(data); err == nil && g.id != "" {
			again, err := parseRegistration(g.encode())
			if err != nil || *again != *g {
				t.Errorf("%q: saved as %q: %v", data, g.encode(), err)
			}
		}
		_, _ = parseBinding(data)
		_ = a.refusal()
	})
}
