package mcptest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// register is the registration endpoint (RFC 7591).
func (a *AuthServer) register(w http.ResponseWriter, r *http.Request) {
	if a.does.registerRefusal != "" {
		a.fail(w, http.StatusForbidden, "insufficient_scope", a.does.registerRefusal)
		return
	}
	var m map[string]any
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&m); err != nil || !a.does.registers {
		a.fail(w, http.StatusBadRequest, "invalid_client_metadata", "")
		return
	}
	var redirects []string
	uris, _ := m["redirect_uris"].([]any)
	for _, u := range uris {
		s, _ := u.(string)
		redirects = append(redirects, s)
	}
	id := a.nextLocked("registered")
	a.clients[id] = redirects
	m["client_id"] = id
	reply(w, http.StatusCreated, m)
}

// authorize is the authorization endpoint, at which the user agrees at once.
func (a *AuthServer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.Form
	_, known := a.clients[q.Get("client_id")]
	switch {
	case !known && q.Get("client_id") != a.ClientID:
		http.Error(w, "unknown client_id", http.StatusBadRequest)
	case !a.registered(q.Get("client_id"), q.Get("redirect_uri")):
		http.Error(w, "the redirect_uri is not registered", http.StatusBadRequest)
	case q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43:
		a.redirect(w, r, url.Values{"error": {"invalid_request"}, "error_description": {"code_challenge is required"}})
	case a.does.refuseResource != "" && q.Has("resource"):
		a.redirect(w, r, url.Values{"error": {"invalid_request"}, "error_description": {a.does.refuseResource}})
	default:
		code := a.nextLocked("code")
		a.codes[code] = q
		a.redirect(w, r, url.Values{"code": {code}})
	}
}

// redirect answers the browser.
func (a *AuthServer) redirect(w http.ResponseWriter, r *http.Request, answer url.Values) {
	answer.Set("state", r.Form.Get("state"))
	if a.does.iss {
		answer.Set("iss", a.Issuer)
	}
	w.Header().Set("Location", r.Form.Get("redirect_uri")+"?"+answer.Encode())
	w.WriteHeader(http.StatusFound)
}

// client returns the client of a token request, and whether it may make it.
func (a *AuthServer) client(r *http.Request) (id string, ok bool) {
	id, secret := r.Form.Get("client_id"), r.Form.Get("client_secret")
	if user, password, basic := r.BasicAuth(); basic {
		id, _ = url.QueryUnescape(user)
		secret, _ = url.QueryUnescape(password)
	}
	if id == a.ClientID {
		return id, secret == a.ClientSecret
	}
	_, ok = a.clients[id]
	return id, ok
}

func (a *AuthServer) token(w http.ResponseWriter, r *http.Request) {
	form, kind := r.Form, r.Form.Get("grant_type")
	a.counts[kind]++
	id, ok := a.client(r)
	if !ok {
		a.fail(w, a.does.unknownClientStatus(), "invalid_client", "")
		return
	}
	if a.does.refuseResource != "" && form.Has("resource") {
		a.fail(w, http.StatusBadRequest, "invalid_target", a.does.refuseResource)
		return
	}
	g := &grant{client: id, scope: form.Get("scope")}
	first := form // of the login
	switch kind {
	case "authorization_code":
		q := a.codes[form.Get("code")]
		delete(a.codes, form.Get("code"))
		if q == nil || q.Get("client_id") != id || q.Get("redirect_uri") != form.Get("redirect_uri") || q.Get("code_challenge") != challengeOf(form.Get("code_verifier")) {
			if a.does.inMemory { // its provider throws, which is an error of the server
				a.fail(w, http.StatusInternalServerError, "server_error", "Internal Server Error")
				return
			}
			a.fail(w, http.StatusBadRequest, "invalid_grant", "")
			return
		}
		first, g.scope = q, q.Get("scope")
	case deviceGrant:
		d := a.devices[form.Get("device_code")]
		if d == nil || !d.approved {
			code := "authorization_pending"
			if d == nil {
				code = "invalid_grant"
			}
			a.fail(w, http.StatusBadRequest, code, "")
			return
		}
		delete(a.devices, form.Get("device_code"))
		first, g.scope = d.form, d.form.Get("scope")
	case "refresh_token":
		old := a.refresh[form.Get("refresh_token")]
		if old == nil || old.client != id {
			code := "invalid_grant"
			if a.does.refusedRefresh != "" {
				code = a.does.refusedRefresh
			}
			a.fail(w, http.StatusBadRequest, code, "")
			return
		}
		*g = *old
	case "client_credentials":
		if a.ClientSecret == "" || id != a.ClientID {
			a.fail(w, http.StatusBadRequest, "unauthorized_client", "")
			return
		}
	default:
		a.fail(w, http.StatusBadRequest, "unsupported_grant_type", "")
		return
	}
	if kind != "refresh_token" {
		g.audience = first.Has(a.does.needs) || form.Has(a.does.needs)
		a.n++
		g.account = a.n
	}
	a.issue(w, r, first, g)
}

// issue sends new tokens.
func (a *AuthServer) issue(w http.ResponseWriter, r *http.Request, first url.Values, g *grant) {
	life := a.Lifetime
	if life == 0 {
		life = time.Hour
	}
	own := *g
	own.ends = time.Now().Add(life)
	access := a.nextLocked("access")
	a.access[access] = &own
	m := map[string]any{"access_token": access, "token_type": a.does.tokenType}
	if !a.does.endless {
		m["expires_in"] = int(life.Seconds())
	}
	if g.scope != "" {
		m["scope"] = g.scope
		if a.does.commas {
			m["scope"] = strings.ReplaceAll(g.scope, " ", ",")
		}
	}
	if a.does.errorsAre200 {
		m["ok"] = true
	}
	kind := r.Form.Get("grant_type")
	wanted := a.does.refreshes && (a.does.refreshNeeds == "" || strings.Contains(first.Encode(), a.does.refreshNeeds))
	switch old := r.Form.Get("refresh_token"); {
	case kind == "client_credentials":
	case kind != "refresh_token" && wanted, kind == "refresh_token" && a.does.rotates:
		token := a.nextLocked("refresh")
		a.refresh[token], m["refresh_token"] = g, token
		delete(a.refresh, old)
	}
	reply(w, http.StatusOK, m)
}

// device is the device authorization endpoint (RFC 8628).
func (a *AuthServer) device(w http.ResponseWriter, r *http.Request) {
	if _, ok := a.client(r); !ok || !a.does.device {
		a.fail(w, http.StatusUnauthorized, "invalid_client", "")
		return
	}
	if a.does.refuseResource != "" && r.Form.Has("resource") {
		a.fail(w, http.StatusBadRequest, "invalid_target", a.does.refuseResource)
		return
	}
	code, user := a.nextLocked("device"), a.nextLocked("code")[:13]
	a.devices[code] = &deviceLogin{form: r.Form, code: user}
	uri := "verification_uri"
	if a.does.verificationURL {
		uri = "verification_url"
	}
	reply(w, http.StatusOK, map[string]any{"device_code": code, "user_code": user, uri: a.web.URL + "/enter", "expires_in": 600, "interval": 1})
}

// revoke is the revocation endpoint (RFC 7009).
func (a *AuthServer) revoke(w http.ResponseWriter, r *http.Request) {
	if _, ok := a.client(r); !ok {
		a.fail(w, http.StatusUnauthorized, "invalid_client", "")
		return
	}
	delete(a.access, r.Form.Get("token"))
	delete(a.refresh, r.Form.Get("token"))
	reply(w, http.StatusOK, map[string]any{"ok": true})
}
