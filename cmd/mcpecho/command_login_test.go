package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
	"github.com/stdmcp/stdmcp/mcp/oauth"
)

// authServer runs the echo server behind an authorization server that agrees
// to everything and has only what a login needs. If before is not
// nil, it may answer requests to the server that are authorized.
func authServer(t *testing.T, before http.HandlerFunc) (base string) {
	return authServerWith(t, before, false)
}

// authServerWith is authServer, which may have device authorization.
func authServerWith(t *testing.T, before http.HandlerFunc, device bool) (base string) {
	t.Helper()
	echo := testserver.NewHandler(testserver.New(nil), nil)
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	t.Cleanup(func() { web.Close(); echo.Close() })
	reply := func(v map[string]any) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(v)
		}
	}
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer hunter2hunter2" {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="http://`+r.Host+`/resource"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		a := &responseBuffer{ResponseWriter: w}
		if before != nil {
			before(a, r)
		}
		if !a.answered {
			echo.ServeHTTP(w, r)
		}
	})
	mux.HandleFunc("/resource", func(w http.ResponseWriter, r *http.Request) {
		reply(map[string]any{"resource": "http://" + r.Host + "/mcp", "authorization_servers": []string{web.URL}})(w, r)
	})
	mux.HandleFunc("/device", reply(map[string]any{
		"device_code": "hunter2device2", "user_code": "ABCD-EFGH", "verification_uri": web.URL + "/enter", "expires_in": 600, "interval": 1,
	}))
	metadata := map[string]any{
		"issuer": web.URL, "authorization_endpoint": web.URL + "/authorize", "token_endpoint": web.URL + "/token",
		"registration_endpoint": web.URL + "/register", "response_types_supported": []string{"code"},
		"revocation_endpoint":              web.URL + "/revoke",
		"code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"client_secret_post"},
	}
	if device {
		metadata["device_authorization_endpoint"] = web.URL + "/device"
	}
	mux.HandleFunc("/.well-known/oauth-authorization-server", reply(metadata))
	mux.HandleFunc("/revoke", func(w http.ResponseWriter, r *http.Request) {
		if _ = r.ParseForm(); before == nil {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": "invalid_request", "error_description": r.PostForm.Encode() + " the store"})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		var asked map[string]any
		_ = json.NewDecoder(r.Body).Decode(&asked)
		asked["client_id"], asked["client_secret"] = "one", "hunter2client2"
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(asked)
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("client_id") == "refused" {
			http.Redirect(w, r, q.Get("redirect_uri")+"?error=access_denied&state="+url.QueryEscape(q.Get("state")), http.StatusFound)
			return
		}
		http.Redirect(w, r, q.Get("redirect_uri")+"?code=c&state="+url.QueryEscape(q.Get("state")), http.StatusFound)
	})
	mux.HandleFunc("/token", reply(map[string]any{"access_token": "hunter2hunter2", "refresh_token": "hunter2refresh2", "token_type": "Bearer", "expires_in": 3600}))
	return web.URL
}

// A responseBuffer notes whether there was an answer.
type responseBuffer struct {
	http.ResponseWriter
	answered bool
}

func (a *responseBuffer) WriteHeader(status int) {
	a.answered = true
	a.ResponseWriter.WriteHeader(status)
}

func (a *responseBuffer) Write(b []byte) (int, error) {
	a.answered = true
	return a.ResponseWriter.Write(b)
}

func (a *responseBuffer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// logIn runs login as a user does who opens the page that it prints.
func logIn(t *testing.T, args ...string) result {
	t.Helper()
	stdout, stderr, status := newTranscript(), newTranscript(), make(chan int, 1)
	w := &environment{stdin: strings.NewReader(""), stdout: stdout, stderr: stderr, self: mcpechoPath(t), name: "mcpecho",
		getenv: func(key string) string { return map[string]string{"BROWSER": filepath.Join(t.TempDir(), "none")}[key] }}
	go func() { status <- run(t.Context(), append([]string{"login"}, args...), w) }() // ends with the page
	stderr.until(t, "\n")
	if _, page, ok := strings.Cut(strings.TrimSpace(stderr.String()), "To log in, open this page: "); ok {
		resp, err := http.Get(page)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	return result{<-status, stdout.String(), stderr.String()}
}

func TestLoginAndLogout(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "AppData", "XDG_CONFIG_HOME"} {
		t.Setenv(name, home)
	}
	url := authServer(t, nil) + "/mcp"
	runCommand(t, "ping", url).want(t, failure.Forbidden, "", "type: mcpecho login "+url)
	runCommand(t, "logout", url).want(t, failure.Usage, "", "you are not logged in to "+url)
	if path, exists := tokenFile(); exists {
		t.Errorf("%s is there before the login", path)
	}
	logIn(t, url).want(t, 0, "Logged in to "+url+".\n", "To log in, open this page: ")
	path, _ := tokenFile()
	if info, err := os.Stat(path); err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	runCommand(t, "call", url, "echo", "message=hi").want(t, 0, "hi\n", "")
	runCommand(t, "call", url, "echo", "message=hi", "-t", "http", "--protocol", "2025-11-25").want(t, 0, "hi\n", "")
	runCommand(t, "logout", url).want(t, 0, "Logged out of "+url+".\n", "")
	runCommand(t, "ping", url).want(t, failure.Forbidden, "", "mcpecho login "+url)
}

func TestLoginIsRefused(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "AppData", "XDG_CONFIG_HOME"} {
		t.Setenv(name, home)
	}
	base := authServer(t, nil)
	text := `{"web":{"url":"` + base + `/mcp","oauth":{"clientId":"refused"}}}`
	file := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := logIn(t, file+":web"); o.status != failure.Forbidden || !strings.Contains(o.stderr, "access_denied") {
		t.Errorf("%+v", o)
	}
	web := httptest.NewServer(testserver.NewHandler(testserver.New(nil), nil))
	defer web.Close()
	runCommand(t, "login", web.URL+"/mcp").want(t, 0, web.URL+"/mcp needs no login.\n", "")
	runCommand(t, "login", closedURL(t)).want(t, failure.Unreachable, "", "no server listens on port")
}

// On a machine without a browser a code is shown, if the server has codes.
func TestLoginOnAnotherDevice(t *testing.T) {
	if !apart(t) {
		return
	}
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "AppData", "XDG_CONFIG_HOME"} {
		t.Setenv(name, home)
	}
	base := authServerWith(t, nil, true)
	url := base + "/mcp"
	logIn(t, url).want(t, 0, "Logged in to "+url+".\n", "Open this page on any device:\n\n"+base+"/enter\n\nand enter the code ABCD-EFGH within 10m0s.\n")
	runCommand(t, "call", url, "echo", "message=hi").want(t, 0, "hi\n", "")
	runCommand(t, "logout", url).want(t, 0, "Logged out of "+url+".\n", "")
	elsewhere := strings.Replace(url, "127.0.0.1", "localhost", 1)
	typed := "login " + elsewhere + " --device --issuer " + base
	runCommand(t, "login", "--device", elsewhere).want(t, failure.Forbidden, "", "if you trust "+base+", type: mcpecho "+typed+"\n")
	logIn(t, strings.Fields(typed)[1:]...).want(t, 0, "Logged in to "+elsewhere+".\n", "ABCD-EFGH")
	if o := logIn(t, strings.Replace(authServerWith(t, nil, true)+"/mcp", "127.0.0.1", "localhost", 1)); !strings.Contains(o.stderr, "To log in, open this page: ") {
		t.Errorf("%+v", o)
	}
	without := authServer(t, nil) + "/mcp"
	runCommand(t, "login", "--device", without).want(t, failure.Forbidden, "", "type: mcpecho login "+without+"\n")
}

// What a login has is in no error, no JSON and no trace, though the server
// repeats it wherever it can.
func TestSecretsOfALogin(t *testing.T) {
	if !apart(t) {
		return
	}
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "AppData", "XDG_CONFIG_HOME"} {
		t.Setenv(name, home)
	}
	const all = "Bearer hunter2hunter2 hunter2refresh2"
	var how atomic.Value // what goes wrong; best-effort requests may come late
	how.Store("")
	url := authServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var m struct{ ID json.RawMessage }
		_ = json.Unmarshal(body, &m)
		switch how.Load() {
		case "status":
			http.Error(w, all, http.StatusInternalServerError)
		case "refusal":
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+all+`", error_description="`+all+`"`)
			http.Error(w, all, http.StatusForbidden)
		case "challenge":
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://`+"hunter2hunter2"+`@h/x", scope="`+all+`"`)
			http.Error(w, all, http.StatusUnauthorized)
		case "error":
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"error":{"code":-32000,"message":"`+all+`","data":"`+all+`"}}`)
		case "no HTTP":
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, strings.ReplaceAll(all, " ", "|")+"\r\n\r\n")
			_ = conn.Close()
			w.(*responseBuffer).answered = true
		}
	}) + "/mcp"
	trace := filepath.Join(home, "trace")
	check := func(what string, o result) {
		t.Helper()
		data, _ := os.ReadFile(trace)
		for name, text := range map[string]string{"output": o.stdout, "errors": o.stderr, "trace": string(data)} {
			if strings.Contains(text, "hunter2") {
				t.Errorf("%s: a secret in %s: %s", what, name, text)
			}
		}
	}
	check("login", logIn(t, url))
	file, _ := tokenFile()
	if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), "hunter2refresh2") || !strings.Contains(string(data), "hunter2client2") {
		t.Fatalf("%s, %v", data, err)
	}
	for _, wrong := range []string{"", "status", "refusal", "challenge", "error", "no HTTP"} {
		how.Store(wrong)
		for _, args := range [][]string{{"ping"}, {"info", "-v"}, {"tools", "--json"}, {"call", "echo", "message=hi", "--json", "-t", "http"}} {
			args = append([]string{args[0], url, "--trace", trace}, args[1:]...)
			o := runCommand(t, args...)
			if (o.status == 0) != (wrong == "") {
				t.Errorf("%s: %q: %+v", wrong, args, o)
			}
			check(wrong, o)
		}
	}
	how.Store("")
	o := runCommand(t, "logout", url) // the server repeats what it revokes
	if o.status == 0 || !strings.Contains(o.stderr, "invalid_request") || !strings.Contains(o.stderr, "the server may still accept them") {
		t.Errorf("%+v", o)
	}
	check("logout", o)
}

// A server of the TypeScript SDK forgets its clients when it restarts, and says so to the
// program only if that asks.
func TestLoginAtProviders(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "AppData", "XDG_CONFIG_HOME"} {
		t.Setenv(name, home)
	}
	as := mcptest.NewAuthServer(t, "mcpAuthRouter")
	web := httptest.NewServer(as.Protect(mcptest.New(t).Handler(nil)))
	defer web.Close()
	url := web.URL + "/mcp"
	for range 2 {
		if o := logIn(t, url); o.status != 0 {
			t.Fatalf("%+v", o)
		}
		if o := runCommand(t, "ping", url); o.status != 0 {
			t.Errorf("%+v", o)
		}
		as.Restart()
	}
	if as.Requests("register") != 2 {
		t.Errorf("%d registrations", as.Requests("register"))
	}
	// The error of a provider names the setting in the entry of the server.
	as = mcptest.NewAuthServer(t, "cognito")
	web2 := httptest.NewServer(as.Protect(mcptest.New(t).Handler(nil)))
	defer web2.Close()
	if o := logIn(t, web2.URL+"/mcp"); o.status == 0 || !strings.Contains(o.stderr, "oauth.assumePKCE") || strings.Contains(o.stderr, "Options.") {
		t.Errorf("%+v", o)
	}
}

// TestSettingsInMessages: an error of package oauth names the settings of an entry, and what
// a server says stays as it is.
func TestSettingsInMessages(t *testing.T) {
	t.Parallel()
	said := &oauth.ServerError{URL: "https://a.test", Code: "invalid_target", Description: "set Options.Client"}
	for _, test := range []struct {
		err  error
		want string
	}{
		{&oauth.Error{Rule: "register the program there and set Options.Client"}, "oauth: register the program there and set oauth.clientId in the server's entry"},
		{&oauth.Error{Rule: "use NoResource", Err: said}, `oauth: use "none": ` + strings.TrimPrefix(said.Error(), "oauth: ")},
		{said, said.Error()},
		{&jsonrpc.Error{Code: 1, Message: "Options.Issuer"}, (&jsonrpc.Error{Code: 1, Message: "Options.Issuer"}).Error()},
		{fmt.Errorf("connect: %w", oauth.ErrLoginRequired), "connect: oauth: the user must log in"},
	} {
		var stderr bytes.Buffer
		c := &invocation{environment: &environment{stderr: &stderr, getenv: func(string) string { return "" }, name: "mcpecho"}}
		c.report(t.Context(), test.err)
		if got, _, _ := strings.Cut(stderr.String(), "\n"); got != "mcpecho: "+test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}
