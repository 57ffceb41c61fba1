package oauth

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"unicode"
	"unicode/utf8"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/recording"
	"github.com/stdmcp/stdmcp/mcp"
)

// The fields in which FuzzTokensAreHidden plants a secret.
const (
	inAccess       = iota // access token
	inRefresh             // refresh token
	inClient              // secret of Options.Client
	inCode                // authorization code
	inRegistration        // secret of a registered client
	inBearer              // token of Bearer
	secretFields
)

// FuzzTokensAreHidden plants a secret in each field of an authorization. The servers
// that receive it quote it; no error, no masked trace and no text from Hide shows it,
// plain or encoded.
func FuzzTokensAreHidden(f *testing.F) {
	for field := range secretFields {
		for form, secret := range []string{"hunter22", "a/b+c=d&e", `quo"te\d<x>`, "p@ss:w%rd", "12345678", "gr\u00fc\u00dfe-aus"} {
			f.Add(field, form, form%2 == 0, secret)
		}
	}
	f.Fuzz(func(t *testing.T, field, form int, unauthorized bool, secret string) {
		if field < 0 || field >= secretFields || len(secret) < 8 || !utf8.ValidString(secret) || strings.Contains(secret, "*") || strings.TrimSpace(secret) != secret || strings.ContainsFunc(secret, unicode.IsControl) {
			return // a star may come from a mask
		}
		if (field == inAccess || field == inBearer) && strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return // no header field can have it
		}
		quoted, _ := json.Marshal(secret)
		forms := []string{secret, url.QueryEscape(secret), string(quoted[1 : len(quoted)-1]), fmt.Sprintf("%q", secret),
			base64.StdEncoding.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte("user:" + secret))}
		said := forms[uint(form)%uint(len(forms))]
		synctest.Test(t, func(t *testing.T) {
			var shown strings.Builder
			show := func(what string, err error) {
				if err != nil {
					fmt.Fprintf(&shown, "%s: %v %+v %q\n", what, err, err, err)
				}
			}
			e, network := newMemoryEnv(t)
			var refuses atomic.Bool // the servers refuse what they get, and quote
			e.handle = func(w http.ResponseWriter, r *http.Request) bool {
				switch {
				case !refuses.Load():
					return false
				case r.URL.Path == "/token" || r.URL.Path == "/revoke":
					reply(w, 400, map[string]string{"error": "invalid_request", "error_description": "refused: " + said})
				case r.URL.Path == "/mcp" && r.Header.Get("Authorization") != "" && (field == inAccess || field == inBearer):
					w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token", error_description="`+strings.ReplaceAll(said, `"`, `\"`)+`"`)
					status := http.StatusForbidden
					if unauthorized {
						status = http.StatusUnauthorized
					}
					http.Error(w, "refused: "+said, status)
				default:
					return false
				}
				return true
			}
			e.tokenAnswer = func(_ url.Values, m map[string]any) {
				switch field {
				case inAccess:
					m["access_token"] = secret
				case inRefresh:
					m["refresh_token"] = secret
				}
			}
			tr := e.transport(func(o *Options) {
				if field == inClient {
					o.Client = Client{ID: "me", Secret: secret}
				}
			})
			tr.fetch.rt.DialContext = network.dial
			defer tr.CloseIdleConnections()
			var rt http.RoundTripper = tr
			refuses.Store(field != inRefresh)
			switch field {
			case inRefresh:
				e.mustGet(tr)
				refuses.Store(true)
			case inClient:
				e.clients["me"] = map[string]any{"client_secret": secret}
			case inCode:
				e.response = func(q url.Values) { q.Set("code", secret) }
			case inRegistration:
				registers := e.handle
				e.handle = func(w http.ResponseWriter, r *http.Request) bool {
					if r.URL.Path == "/register" {
						e.mu.Lock()
						e.clients["registered"] = map[string]any{}
						e.mu.Unlock()
						reply(w, 201, map[string]any{"client_id": "registered", "client_secret": secret, "token_endpoint_auth_method": "client_secret_post"})
						return true
					}
					return registers(w, r)
				}
			case inBearer:
				rt = Bearer(e.url(), Static(secret), e.base)
			}
			if field == inAccess {
				e.meta["token_endpoint_auth_methods_supported"] = []string{"none"}
				refuses.Store(false) // until there is a token
				show("login", tr.Login(t.Context()))
				refuses.Store(true)
			}
			trace, err := recording.MaskJSON([]byte(`{"text":`+string(valid(json.Marshal("refused: "+said)))+`}`), tr.Hide)
			if err != nil {
				t.Fatal(err)
			}
			if field <= inClient { // what Hide replaces
				fmt.Fprintf(&shown, "trace: %s\nhidden: %s\n", trace, tr.Hide("refused: "+said))
			}
			e.forgetAccess()
			c, err := mcp.Connect(t.Context(), stream(e.url(), &http.Client{Transport: rt}), nil)
			if err == nil {
				t.Error("a client is connected")
				_ = c.Close()
			}
			show("connect", err)
			show("logout", tr.Logout(t.Context()))
			e.base.CloseIdleConnections()
			if !strings.Contains(shown.String(), diag.Mask) {
				t.Errorf("field %d: no server quotes the secret: %s", field, shown.String())
			}
			for _, text := range forms {
				if strings.Contains(shown.String(), text) {
					t.Errorf("field %d, %q as %q: shown: %s", field, secret, said, shown.String())
					return
				}
			}
		})
	})
}

func valid[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
