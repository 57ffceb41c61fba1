package oauth

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

// GitHub refuses a refresh token with status 200.
func TestRefreshRefusedWith200(t *testing.T) {
	for _, code := range []string{"bad_refresh_token", "invalid_grant"} {
		e := newEnv(t)
		robot, store := &robotUser{e: e}, NewMemory()
		tr := e.transport(func(o *Options) { o.Authorizer, o.Store = robot, store })
		e.mustGet(tr)
		e.forgetAccess()
		e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/token" || r.FormValue("grant_type") != "refresh_token" {
				return false
			}
			reply(rw, 200, map[string]string{"error": code, "error_description": "The refresh token is incorrect or expired."})
			return true
		}
		alone := e.transport(func(o *Options) { o.Authorizer, o.Store = nil, store })
		if err := e.mustFail(alone, "refused the request: "+code); !errors.Is(err, ErrLoginRequired) {
			t.Errorf("%s: %v", code, err)
		}
		if k, err := alone.load(t.Context()); k != nil {
			t.Errorf("%s: the refresh token is kept, %v", code, err)
		}
		e.mustGet(tr)
		if robot.times != 2 {
			t.Errorf("%s: asked %d times", code, robot.times)
		}
	}
}

// Only the codes for it end a refresh token; after any other refusal a program that
// can ask the user does, and the others keep the token.
func TestCodesThatKeepTheRefreshToken(t *testing.T) {
	for _, tt := range []struct {
		code   string
		status int
		asks   bool
	}{
		{"invalid_scope", 400, true}, {"invalid_request", 200, true}, {"unsupported_grant_type", 400, true},
		{"temporarily_unavailable", 200, false}, {"slow_down", 400, false}, {"server_error", 400, false},
	} {
		e := newEnv(t)
		robot, store := &robotUser{e: e}, NewMemory()
		tr := e.transport(func(o *Options) { o.Authorizer, o.Store = robot, store })
		e.mustGet(tr)
		e.forgetAccess()
		e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/token" || r.FormValue("grant_type") != "refresh_token" {
				return false
			}
			reply(rw, tt.status, map[string]string{"error": tt.code})
			return true
		}
		alone := e.transport(func(o *Options) { o.Authorizer, o.Store = nil, store })
		e.mustFail(alone, tt.code)
		if k, err := alone.load(t.Context()); k == nil || k.refresh == "" {
			t.Errorf("%s: the refresh token is gone, %v", tt.code, err)
		}
		if tt.asks {
			e.mustGet(tr)
		} else {
			e.mustFail(tr, tt.code)
			tr.failed, e.handle = failure{}, nil
			e.mustGet(tr)
		}
		if asked := robot.times > 1; asked != tt.asks {
			t.Errorf("%s: asked the user: %v", tt.code, asked)
		}
	}
}

// Any status of success is one, and an error in the body is a refusal.
func TestTokenResponses(t *testing.T) {
	const token = `"access_token":"a","token_type":"bearer"`
	for _, tt := range []struct {
		status int
		kind   string
		body   string
		want   string // the code of a refusal, or part of another error
	}{
		{200, "application/json", `{` + token + `}`, ""},
		{201, "application/json", `{` + token + `}`, ""},
		{206, "text/plain", `{` + token + `,"error":null}`, ""},
		{202, "application/json", `{` + token + `,"error":""}`, ""},
		{200, "application/json", `{` + token + `,"error":"invalid_grant"}`, "invalid_grant"},
		{201, "application/json", `{"error":"bad_refresh_token"}`, "bad_refresh_token"},
		{200, "text/html", `{"error":"invalid_grant"}`, "invalid_grant"},
		{204, "", ``, "invalid token response"},
		{300, "application/json", `{` + token + `}`, "300"},
		{400, "application/json", `{` + token + `}`, "400 Bad Request"},
	} {
		a := &response{status: tt.status, header: http.Header{"Content-Type": {tt.kind}}, body: []byte(tt.body)}
		k, err := a.token(nil)
		if e := a.refusal(); e != nil {
			err = e
		}
		if tt.want == "" && (err != nil || k.access != "a") || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%d %s: %v, %v", tt.status, tt.body, k, err)
		}
	}
}

// The same holds for the other endpoints.
func TestOtherEndpointsSucceedWithAnyStatus(t *testing.T) {
	e := newEnv(t)
	e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case "/register":
			reply(rw, 202, map[string]string{"client_id": "given"})
			e.clients["given"] = map[string]any{}
		case "/revoke":
			rw.WriteHeader(204)
		default:
			return false
		}
		return true
	}
	tr := e.transport(nil)
	e.mustGet(tr)
	if err := tr.Logout(t.Context()); err != nil {
		t.Error(err)
	}
	e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/register" {
			reply(rw, 200, map[string]string{"error": "invalid_redirect_uri"})
		}
		return r.URL.Path == "/register"
	}
	e.mustFail(e.transport(nil), "invalid_redirect_uri")
}
