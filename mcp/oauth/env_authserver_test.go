package oauth

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

func (e *env) serveAuth(rw http.ResponseWriter, r *http.Request) {
	if e.handle != nil && e.handle(rw, r) {
		return
	}
	e.note(r)
	metaPath := e.metaPath
	if metaPath == "" {
		metaPath = serverPath
	}
	if r.URL.EscapedPath() == metaPath && e.meta != nil {
		reply(rw, 200, e.meta)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch r.URL.Path {
	case "/authorize":
		e.serveAuthorize(rw, r)
	case "/token":
		e.serveToken(rw, r)
	case "/register":
		e.serveRegister(rw, r)
	case "/device":
		e.serveDevice(rw, r)
	case "/revoke":
		_ = r.ParseForm()
		e.revoked = append(e.revoked, r.Form.Get("token"))
		delete(e.access, r.Form.Get("token"))
		delete(e.refresh, r.Form.Get("token"))
	default:
		http.NotFound(rw, r)
	}
}

func (e *env) serveRegister(rw http.ResponseWriter, r *http.Request) {
	var m map[string]any
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		reply(rw, 400, map[string]string{"error": "invalid_client_metadata"})
		return
	}
	e.n++
	id := fmt.Sprintf("client-%d-of-%s", e.n, e.as.URL)
	m["client_id"] = id
	if m["token_endpoint_auth_method"] != "none" {
		m["client_secret"] = e.secret("client")
	}
	e.clients[id] = m
	reply(rw, 201, m)
}

func (e *env) serveAuthorize(rw http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	e.forms = append(e.forms, q)
	id := q.Get("client_id")
	m := e.clients[id]
	uris, _ := m["redirect_uris"].([]any)
	switch {
	case m == nil && !strings.HasPrefix(id, "https://"):
		http.Error(rw, "unknown client", 400)
		return
	case m != nil && uris != nil && !slices.Contains(uris, any(q.Get("redirect_uri"))):
		http.Error(rw, "unregistered redirect", 400)
		return
	case q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43 || q.Get("response_type") != "code" || q.Get("resource") == "":
		http.Error(rw, "a parameter is missing", 400)
		return
	}
	code := e.secret("code")
	e.codes[code] = q
	a := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {e.as.URL}}
	if e.response != nil {
		e.response(a)
	}
	rw.Header().Set("Location", q.Get("redirect_uri")+"?"+a.Encode())
	rw.WriteHeader(302)
}

func (e *env) serveToken(rw http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	form := maps.Clone(r.PostForm)
	e.forms, e.heads = append(e.forms, form), append(e.heads, r.Header.Clone())
	grant := form.Get("grant_type")
	e.grants[grant]++
	fail := func(code string) {
		status := 400
		if code == "invalid_client" {
			status = 401
		}
		reply(rw, status, map[string]string{"error": code, "error_description": "refused: " + form.Encode()})
	}
	if e.refuseToken != nil {
		if code := e.refuseToken(form); code != "" {
			fail(code)
			return
		}
	}
	client, ok := e.checkClient(r, form)
	if !ok {
		fail("invalid_client")
		return
	}
	jkt, ok := e.checkTokenProof(rw, r)
	if !ok {
		return
	}
	k := &issued{client: client, scope: form.Get("scope"), jkt: jkt}
	if form.Get("resource") == "" {
		fail("invalid_target")
		return
	}
	switch grant {
	case "authorization_code":
		q := e.codes[form.Get("code")]
		delete(e.codes, form.Get("code"))
		sum := sha256.Sum256([]byte(form.Get("code_verifier")))
		if q == nil || q.Get("code_challenge") != encode(sum[:]) || q.Get("client_id") != client ||
			q.Get("redirect_uri") != form.Get("redirect_uri") || q.Get("resource") != form.Get("resource") || q.Get("dpop_jkt") != jkt {
			fail("invalid_grant")
			return
		}
		k.scope = q.Get("scope")
	case deviceGrant:
		q := e.devices[form.Get("device_code")]
		if q == nil || q.Get("resource") != form.Get("resource") {
			fail("invalid_grant")
			return
		}
		e.polls = append(e.polls, time.Now())
		if code := e.answer(len(e.polls)); code != "" {
			fail(code)
			return
		}
		k.scope = q.Get("scope")
	case "refresh_token":
		old := e.refresh[form.Get("refresh_token")]
		if old == nil || old.client != client || old.jkt != jkt {
			fail("invalid_grant")
			return
		}
		delete(e.refresh, form.Get("refresh_token"))
		k.scope = old.scope
	}
	e.grantToken(rw, form, k)
}

func (e *env) grantToken(rw http.ResponseWriter, form url.Values, k *issued) {
	access := e.secret("access")
	e.access[access] = k
	m := map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 3600}
	if k.jkt != "" {
		m["token_type"] = "DPoP"
	}
	if g := form.Get("grant_type"); g == "authorization_code" || g == "refresh_token" || g == deviceGrant {
		r := e.secret("refresh")
		e.refresh[r] = k
		m["refresh_token"] = r
	}
	if e.tokenAnswer != nil {
		e.tokenAnswer(form, m)
	}
	reply(rw, 200, m)
}

// offerDevice makes the server one with device authorization, which polls get answer.
func (e *env) offerDevice(answer func(poll int) (code string)) {
	e.meta["device_authorization_endpoint"] = e.as.URL + "/device"
	e.devices, e.answer = map[string]url.Values{}, answer
}

func (e *env) serveDevice(rw http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	form := maps.Clone(r.PostForm)
	e.forms = append(e.forms, form)
	id, ok := e.checkClient(r, form)
	grants, _ := e.clients[id]["grant_types"].([]any)
	switch {
	case !ok:
		reply(rw, 401, map[string]string{"error": "invalid_client"})
		return
	case grants != nil && !slices.Contains(grants, any(deviceGrant)):
		reply(rw, 400, map[string]string{"error": "unauthorized_client"})
		return
	}
	code := e.secret("device")
	e.devices[code] = form
	m := map[string]any{"device_code": code, "user_code": "ABCD-EFGH", "verification_uri": e.as.URL + "/device-page", "expires_in": 900}
	if e.device != nil {
		e.device(form, m)
	}
	reply(rw, 200, m)
}

// checkClient returns who sends a token request, whatever way it says so.
func (e *env) checkClient(r *http.Request, form url.Values) (string, bool) {
	if id, secret, ok := r.BasicAuth(); ok {
		id, _ = url.QueryUnescape(id)
		secret, _ = url.QueryUnescape(secret)
		m := e.clients[id]
		return id, m != nil && m["client_secret"] == secret && !form.Has("client_secret")
	}
	if a := form.Get("client_assertion"); a != "" {
		claims, _, err := verify(a, nil)
		if err != nil || form.Get("client_assertion_type") != assertionType {
			return "", false
		}
		id, _ := claims["sub"].(string)
		m := e.clients[id]
		return id, m != nil && claims["iss"] == id && claims["aud"] == e.as.URL && claims["jti"] != nil
	}
	id := form.Get("client_id")
	if strings.HasPrefix(id, "https://") {
		return id, true
	}
	m := e.clients[id]
	if secret, ok := m["client_secret"]; ok {
		return id, secret == form.Get("client_secret")
	}
	return id, m != nil || form.Get("grant_type") == jwtBearer || e.idp
}

// forgetAccess makes the server refuse all access tokens there are.
func (e *env) forgetAccess() {
	e.mu.Lock()
	defer e.mu.Unlock()
	clear(e.access)
}
