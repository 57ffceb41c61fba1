package oauth

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/httpx"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// Row 40 of the fault matrix: whatever is wrong is refused before a code or a
// token leaves the process.
func TestRefusedBeforeUserIsAsked(t *testing.T) {
	for _, v := range []struct {
		name   string
		change func(e *env)
		want   []string
	}{
		{"resource of another host", func(e *env) { e.prm["resource"] = "https://evil.example.com/mcp" }, []string{"https://evil.example.com/mcp", "RFC 9728, section 3.3"}},
		{"resource beside", func(e *env) { e.prm["resource"] = e.rs.URL + "/mc" }, []string{"RFC 9728"}},
		{"resource below", func(e *env) { e.prm["resource"] = e.rs.URL + "/mcp/x" }, []string{"RFC 9728"}},
		{"resource of another port", func(e *env) { e.prm["resource"] = e.as.URL }, []string{"RFC 9728"}},
		{"no resource", func(e *env) { delete(e.prm, "resource") }, []string{"RFC 9728"}},
		{"no servers", func(e *env) { e.prm["authorization_servers"] = []string{} }, []string{"names no authorization server"}},
		{"private address", func(e *env) { e.prm["authorization_servers"] = []string{"http://10.1.2.3"} }, []string{"http://10.1.2.3", "must be https"}},
		{"metadata in the clouds", func(e *env) { e.prm["authorization_servers"] = []string{"https://169.254.169.254"} }, []string{"link-local"}},
		{"multicast", func(e *env) { e.prm["authorization_servers"] = []string{"https://224.0.0.1"} }, []string{"multicast"}},
		{"http", func(e *env) { e.prm["authorization_servers"] = []string{"http://example.com"} }, []string{"http://example.com", "must be https"}},
		{"file", func(e *env) { e.prm["authorization_servers"] = []string{"file:///etc/passwd"} }, []string{"not an absolute URL"}},
		{"credentials in the issuer", func(e *env) { e.prm["authorization_servers"] = []string{"https://u:" + mark + "@example.com"} }, []string{"credentials"}},
		{"query in the issuer", func(e *env) { e.prm["authorization_servers"] = []string{e.as.URL + "?x=1"} }, []string{"RFC 8414, section 2"}},
		{"wrong issuer", func(e *env) { e.meta["issuer"] = "https://evil.example.com" }, []string{"https://evil.example.com", "RFC 8414, section 3.3"}},
		{"issuer with a path", func(e *env) { e.meta["issuer"] = e.as.URL + "/x" }, []string{"RFC 8414, section 3.3", "Options.Issuer"}},
		{"no issuer", func(e *env) { delete(e.meta, "issuer") }, []string{"RFC 8414, section 3.3"}},
		{"no metadata", func(e *env) { e.meta = nil }, []string{"no authorization server metadata"}},
		{"no PKCE", func(e *env) { delete(e.meta, "code_challenge_methods_supported") }, []string{"PKCE", "code_challenge_methods_supported"}},
		{"plain PKCE", func(e *env) { e.meta["code_challenge_methods_supported"] = []string{"plain"} }, []string{"PKCE"}},
		{"javascript:", func(e *env) { e.meta["authorization_endpoint"] = "javascript:alert(1)" }, []string{"authorization_endpoint", "javascript:..."}},
		{"data:", func(e *env) { e.meta["authorization_endpoint"] = "data:text/html,x" }, []string{"authorization_endpoint"}},
		{"relative endpoint", func(e *env) { e.meta["token_endpoint"] = "/token" }, []string{"token_endpoint"}},
		{"token over http", func(e *env) { e.meta["token_endpoint"] = "http://example.com/token" }, []string{"token_endpoint", "must be https"}},
		{"registration over http", func(e *env) { e.meta["registration_endpoint"] = "http://example.com/r" }, []string{"registration_endpoint"}},
		{"no token endpoint", func(e *env) { delete(e.meta, "token_endpoint") }, []string{"no token_endpoint"}},
		{"no authorization endpoint", func(e *env) { delete(e.meta, "authorization_endpoint") }, []string{"no authorization_endpoint"}},
		{"no registration", func(e *env) { delete(e.meta, "registration_endpoint") }, []string{"Options.Client"}},
		{"10 MiB", func(e *env) { e.meta["x"] = strings.Repeat("x", 10<<20) }, []string{"larger than 1 MiB"}},
		{"twice the same key", func(e *env) { e.handle = serveRaw(serverPath, `{"issuer":"a","issuer":"b"}`) }, []string{"RFC 8414"}},
		{"wrong types", func(e *env) { e.handle = serveRaw(resourcePath+"/mcp", `{"resource":1}`) }, []string{"RFC 9728"}},
		{"redirect to http", func(e *env) { e.handle = redirectTo(serverPath, "http://example.com/") }, []string{"refused redirect", "http://example.com", "must be https"}},
		{"redirect to the clouds", func(e *env) { e.handle = redirectTo(serverPath, "https://169.254.169.254/latest") }, []string{"169.254.169.254", "link-local"}},
		{"redirects without end", func(e *env) { e.handle = redirectTo(serverPath, serverPath) }, []string{"too many redirects"}},
		{"a bad place in the challenge", func(e *env) {
			e.prm = nil
			e.challenge = func(*http.Request) string { return `Bearer resource_metadata="http://example.com/prm"` }
			e.handle = func(rw http.ResponseWriter, r *http.Request) bool { // and nothing elsewhere
				if strings.HasPrefix(r.URL.Path, "/.well-known/") {
					http.NotFound(rw, r)
					return true
				}
				return false
			}
		}, []string{"the challenge", "must be https"}},
		{"failing metadata", func(e *env) {
			e.challenge = func(*http.Request) string { return "" }
			e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == resourcePath+"/mcp" {
					rw.WriteHeader(503)
				}
				return r.URL.Path == resourcePath+"/mcp"
			}
		}, []string{resourcePath, "Service Unavailable"}},
	} {
		t.Run(v.name, func(t *testing.T) {
			e := newEnv(t)
			v.change(e)
			robot := &robotUser{e: e}
			err := e.mustFail(e.transport(func(o *Options) { o.Authorizer = robot }), v.want...)
			if robot.times != 0 || e.count("/token") != 0 {
				t.Errorf("asked %d times, %d token requests", robot.times, e.count("/token"))
			}
			checkKind(t, err)
		})
	}
}

// checkKind checks that callers can tell that nothing was done.
func checkKind(t *testing.T, err error) {
	t.Helper()
	var status *httperr.StatusError
	if !errors.As(err, &status) || status.Status != 401 || errors.Is(httpx.Outcome(err), jsonrpc.ErrOutcomeUnknown) {
		t.Errorf("the error does not match a StatusError of 401: %#v", err)
	}
	var refusal *Error
	var server *ServerError
	if !errors.As(err, &refusal) && !errors.As(err, &server) {
		t.Errorf("the error is none of this package: %#v", err)
	}
}

func serveRaw(path, body string) func(http.ResponseWriter, *http.Request) bool {
	return func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != path {
			return false
		}
		rw.Header().Set("Content-Type", "application/json")
		_, _ = rw.Write([]byte(body))
		return true
	}
}

func redirectTo(path, target string) func(http.ResponseWriter, *http.Request) bool {
	return func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == path {
			http.Redirect(rw, r, target, http.StatusFound)
		}
		return r.URL.Path == path
	}
}

func TestRefusedAuthorizationResponses(t *testing.T) {
	for _, v := range []struct {
		name     string
		claimed  bool // that answers name the issuer
		response func(e *env, q url.Values)
		want     string // empty means that it is accepted
	}{
		{"iss announced and right", true, func(*env, url.Values) {}, ""},
		{"iss announced and absent", true, func(_ *env, q url.Values) { q.Del("iss") }, "RFC 9207"},
		{"iss announced and wrong", true, func(_ *env, q url.Values) { q.Set("iss", "https://evil.example.com") }, "RFC 9207"},
		{"iss not announced and right", false, func(*env, url.Values) {}, ""},
		{"iss not announced and absent", false, func(_ *env, q url.Values) { q.Del("iss") }, ""},
		{"iss not announced and wrong", false, func(_ *env, q url.Values) { q.Set("iss", "https://evil.example.com") }, "RFC 9207"},
		{"iss with a slash", true, func(e *env, q url.Values) { q.Set("iss", e.as.URL+"/") }, "RFC 9207"},
		{"iss in capitals", true, func(e *env, q url.Values) { q.Set("iss", strings.Replace(e.as.URL, "http", "HTTP", 1)) }, "RFC 9207"},
		{"empty iss", false, func(_ *env, q url.Values) { q.Set("iss", "") }, "RFC 9207"},
		{"iss twice", true, func(e *env, q url.Values) { q.Add("iss", "https://evil.example.com") }, "iss twice"},
		{"all twice", true, func(_ *env, q url.Values) {
			for name := range q {
				q.Add(name, q.Get(name))
			}
		}, ""},
		{"code twice", true, func(_ *env, q url.Values) { q.Add("code", "other") }, "code twice"},
		{"wrong state", true, func(_ *env, q url.Values) { q.Set("state", "x") }, "state"},
		{"no state", true, func(_ *env, q url.Values) { q.Del("state") }, "state"},
		{"state twice", true, func(_ *env, q url.Values) { q.Add("state", "other") }, "state twice"},
		{"no code", true, func(_ *env, q url.Values) { q.Del("code") }, "no code"},
		{"a person who says no", true, func(_ *env, q url.Values) { q.Del("code"); q.Set("error", "access_denied") }, "access_denied"},
		{"an error from elsewhere", true, func(_ *env, q url.Values) {
			q.Set("iss", "https://evil.example.com")
			q.Set("error", "evil_words")
		}, "RFC 9207"},
	} {
		t.Run(v.name, func(t *testing.T) {
			e := newEnv(t)
			e.meta["authorization_response_iss_parameter_supported"] = v.claimed
			e.response = func(q url.Values) { v.response(e, q) }
			if v.want == "" {
				e.mustGet(e.transport(nil))
				return
			}
			err := e.mustFail(e.transport(nil), v.want, e.as.URL)
			if e.count("/token") != 0 {
				t.Error("the code was sent")
			}
			if strings.Contains(err.Error(), "evil_words") {
				t.Errorf("repeats who cannot be trusted: %v", err)
			}
			checkKind(t, err)
		})
	}
}

func TestRefusedTokens(t *testing.T) {
	for _, v := range []struct {
		name   string
		change func(m map[string]any)
		want   string
	}{
		{"no token", func(m map[string]any) { delete(m, "access_token") }, "no valid access_token"},
		{"a line break", func(m map[string]any) { m["access_token"] = "a\r\nX: " + mark }, "no valid access_token"},
		{"an unknown type", func(m map[string]any) { m["token_type"] = "mac" }, "unsupported token_type"},
		{"a MAC", func(m map[string]any) { m["token_type"] = "user;mac" }, "unsupported token_type"},
		{"no access token type", func(m map[string]any) { m["token_type"] = "N_A" }, "unsupported token_type"},
		{"a bound one without a request", func(m map[string]any) { m["token_type"] = "DPoP" }, "not bound to the DPoP key"},
		{"a number", func(m map[string]any) { m["access_token"] = 1 }, "RFC 6749, section 5.1"},
	} {
		e := newEnv(t)
		e.tokenAnswer = func(_ url.Values, m map[string]any) { v.change(m) }
		t.Run(v.name, func(*testing.T) { e.mustFail(e.transport(nil), v.want, e.as.URL) })
	}
}

// Who says to be the authorization server that the program trusts gets nothing.
func TestImpostor(t *testing.T) {
	e, evil := newEnv(t), newEnv(t)
	trusted := e.as.URL
	e.clients["c"] = map[string]any{"client_secret": mark}
	e.meta["token_endpoint_auth_methods_supported"] = []string{methodPost}
	store := NewMemory()
	trust := func(o *Options) {
		o.Store, o.Issuer, o.Client = store, trusted, Client{ID: "c", Secret: mark}
	}
	e.mustGet(e.transport(trust))
	e.forgetAccess()
	clear(e.refresh)
	e.prm["authorization_servers"] = []string{evil.as.URL}
	evil.meta["issuer"] = trusted
	e.mustGet(e.transport(trust))
	if len(evil.paths) != 0 {
		t.Errorf("the impostor was asked %q", evil.paths)
	}
}

// What an authorization server says is quoted, but not what was secret in the
// request, which it may repeat.
func TestServerErrors(t *testing.T) {
	e := newEnv(t)
	e.meta["token_endpoint_auth_methods_supported"] = []string{"client_secret_post"}
	e.refuseToken = func(url.Values) string { return "server_says_no" }
	err := e.mustFail(e.transport(nil), "server_says_no", "refused:", "***")
	var se *ServerError
	if !errors.As(err, &se) || se.Code != "server_says_no" || se.Status != 400 || se.URL != e.as.URL+"/token" {
		t.Errorf("%#v", se)
	}
	checkKind(t, err)
}

// Answers that are not HTTP are quoted in errors, but not what they repeat.
func TestEchoedSecrets(t *testing.T) {
	e := newEnv(t)
	at := ""
	e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != at || at == "/mcp" && r.Header.Get("Authorization") == "" && r.Header.Get("X-Team") == "" {
			return false
		}
		_ = r.ParseForm()
		said := r.Header.Get("Authorization") + " " + r.Header.Get("X-Team")
		for _, values := range r.PostForm {
			said += " " + strings.Join(values, " ")
		}
		conn, _, err := http.NewResponseController(rw).Hijack()
		if err != nil {
			t.Error(err)
			return true
		}
		_, _ = io.WriteString(conn, strings.ReplaceAll(said, " ", "|")+"\r\n\r\n") // one word, which is quoted
		conn.Close()
		return true
	}
	for _, method := range []string{methodNone, methodBasic, methodPost} {
		for _, at = range []string{"/token", "/mcp"} {
			e.meta["token_endpoint_auth_methods_supported"] = []string{method}
			c := Client{ID: "c", Secret: mark + "-of-the-client"}
			e.clients["c"] = map[string]any{"client_secret": c.Secret}
			if method == methodNone {
				c.Secret, e.clients["c"] = "", map[string]any{}
			}
			e.mustFail(e.transport(func(o *Options) { o.Client = c }), "malformed", "***")
		}
	}
	e.mustFail(StaticHeader(e.url(), "X-Team", Static("the-"+mark), e.base), "malformed", "***")
}

// A server that refuses every token is not given token after token.
func TestServerRefusesEveryToken(t *testing.T) {
	e := newEnv(t)
	robot := &robotUser{e: e}
	e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/mcp" {
			rw.WriteHeader(401)
		}
		return r.URL.Path == "/mcp"
	}
	tr := e.transport(func(o *Options) { o.Authorizer = robot })
	for range 3 {
		e.mustFail(tr, "refuses the token that was just issued for it")
	}
	if robot.times != 1 {
		t.Errorf("asked %d times", robot.times)
	}
}

// A server that wants ever more scopes ends the operation after three rounds.
func TestEndlessStepUp(t *testing.T) {
	e := newEnv(t)
	robot := &robotUser{e: e}
	n := 0
	e.needs = func(*http.Request) string { n++; return "scope" + strconv.Itoa(n) }
	e.mustFail(e.transport(func(o *Options) { o.Authorizer = robot }), "still demands authorization after 3 attempts")
	if robot.times != 3 {
		t.Errorf("asked %d times", robot.times)
	}
}
