package oauth

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stdmcp/stdmcp/internal/httpx"
)

func TestRefreshRotates(t *testing.T) {
	e := newEnv(t)
	robot := &robotUser{e: e}
	store := NewMemory()
	tr := e.transport(func(o *Options) { o.Authorizer, o.Store = robot, store })
	e.mustGet(tr)
	for range 3 {
		e.forgetAccess()
		e.mustGet(tr)
	}
	if robot.times != 1 || e.count("refresh_token") != 3 {
		t.Errorf("asked %d times, refreshed %d times", robot.times, e.count("refresh_token"))
	}
	if got := e.lastForm(); got.Get("resource") != e.url() || got.Has("scope") {
		t.Errorf("refreshed with %v", got)
	}
	// The store has the last refresh token.
	e.forgetAccess()
	e.mustGet(e.transport(func(o *Options) { o.Authorizer, o.Store = nil, store }))
}

func TestUnrotatedRefreshToken(t *testing.T) {
	e := newEnv(t)
	kept := ""
	e.tokenAnswer = func(form url.Values, m map[string]any) {
		if form.Get("grant_type") == "refresh_token" {
			k := e.refresh[m["refresh_token"].(string)]
			e.refresh[kept] = k
			delete(m, "refresh_token")
		} else {
			kept = m["refresh_token"].(string)
		}
	}
	tr := e.transport(nil)
	e.mustGet(tr)
	for range 2 {
		e.forgetAccess()
		e.mustGet(tr)
	}
}

// Tokens are thrown away in stages.
func TestDiscardInStages(t *testing.T) {
	e := newEnv(t)
	robot := &robotUser{e: e}
	tr := e.transport(func(o *Options) { o.Authorizer = robot })
	e.mustGet(tr)

	// The refresh token is invalid: the user is asked.
	e.forgetAccess()
	clear(e.refresh)
	e.mustGet(tr)
	if robot.times != 2 || e.count("refresh_token") != 1 {
		t.Fatalf("asked %d times, refreshed %d times", robot.times, e.count("refresh_token"))
	}

	// What comes for the refresh token is refused, too.
	e.forgetAccess()
	e.tokenAnswer = func(form url.Values, m map[string]any) {
		if form.Get("grant_type") == "refresh_token" {
			clear(e.access)
		}
	}
	e.mustGet(tr)
	if robot.times != 3 || e.count("refresh_token") != 2 {
		t.Fatalf("asked %d times, refreshed %d times", robot.times, e.count("refresh_token"))
	}

	// The server has forgotten everything, the client included.
	e.tokenAnswer = nil
	e.forgetAccess()
	e.refuseToken = func(form url.Values) string {
		if e.clients[form.Get("client_id")] == nil {
			return "invalid_client"
		}
		return ""
	}
	clear(e.clients)
	e.mustGet(tr)
	if robot.times != 4 || e.count("/register") != 2 {
		t.Fatalf("asked %d times, registered %d times", robot.times, e.count("/register"))
	}
}

// A server that cannot refresh right now does not cost the refresh token.
func TestRefreshFailsTemporarily(t *testing.T) {
	e := newEnv(t)
	robot := &robotUser{e: e}
	tr := e.transport(func(o *Options) { o.Authorizer = robot })
	e.mustGet(tr)
	e.forgetAccess()
	e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/token" {
			rw.WriteHeader(503)
		}
		return r.URL.Path == "/token"
	}
	e.mustFail(tr, "503")
	e.handle = func(rw http.ResponseWriter, r *http.Request) bool { // not the authorization server at all
		if r.URL.Path == "/token" {
			http.NotFound(rw, r)
		}
		return r.URL.Path == "/token"
	}
	e.mustFail(tr, "404 Not Found")
	tr.failed = failure{}
	e.handle = nil
	e.mustGet(tr)
	if robot.times != 1 {
		t.Errorf("asked %d times", robot.times)
	}
}

// Row 41 of the fault matrix.
func TestHundredCallsOneRefresh(t *testing.T) {
	e := newEnv(t)
	e.base.MaxIdleConnsPerHost = 100
	robot := &robotUser{e: e}
	file := filepath.Join(t.TempDir(), "tokens")
	// Two stores at one file stand for two processes.
	transports := []*Transport{
		e.transport(func(o *Options) { o.Authorizer, o.Store = robot, NewFile(file) }),
		e.transport(func(o *Options) { o.Authorizer, o.Store = robot, NewFile(file) }),
	}
	hundred := func() {
		start := make(chan struct{})
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				<-start
				e.mustGet(transports[i%2])
			})
		}
		close(start)
		all.Wait()
	}
	hundred()
	if robot.times != 1 || e.count("/token") != 1 || e.count("/register") != 1 {
		t.Fatalf("asked %d times, %d tokens, registered %d times", robot.times, e.count("/token"), e.count("/register"))
	}
	// All are answered with 401 before any of them can refresh.
	e.forgetAccess()
	var answered sync.WaitGroup
	answered.Add(100)
	inner := e.challenge
	e.challenge = func(r *http.Request) string {
		if r.Header.Get("Authorization") != "" {
			answered.Done()
		}
		return inner(r)
	}
	e.handle = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/token" {
			answered.Wait()
		}
		return false
	}
	hundred()
	if robot.times != 1 || e.count("refresh_token") != 1 {
		t.Fatalf("asked %d times, refreshed %d times", robot.times, e.count("refresh_token"))
	}
}

// The same for two processes with one store, neither of which can ask a user.
func TestTwoProcessesOneRefresh(t *testing.T) {
	const variable, calls = "STDMCP_TEST_CALLS", 50
	if requests := os.Getenv(variable); requests != "" {
		url, file, _ := strings.Cut(requests, " ")
		tr := New(url, &Options{Store: NewFile(file)})
		defer tr.CloseIdleConnections()
		var all sync.WaitGroup
		for range calls {
			all.Go(func() {
				resp, err := tr.Client().Get(url)
				if err != nil {
					t.Error(err)
					return
				}
				defer resp.Body.Close()
				if resp.StatusCode != 200 {
					t.Error(resp.Status)
				}
			})
		}
		all.Wait()
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Skip("the test cannot start itself: ", err)
	}
	e := newEnv(t)
	var begun atomic.Bool
	var refused atomic.Int32
	e.challenge = func(*http.Request) string {
		if begun.Load() {
			refused.Add(1)
		}
		return ""
	}
	e.handle = func(_ http.ResponseWriter, r *http.Request) bool {
		if begun.Load() && r.URL.Path == "/token" {
			hold(r, func() bool { return refused.Load() == 2*calls }) // all calls of both
		}
		return false
	}
	file := filepath.Join(t.TempDir(), "tokens")
	if err := e.transport(func(o *Options) { o.Store = NewFile(file) }).Login(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.forgetAccess()
	begun.Store(true)
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestTwoProcessesOneRefresh$")
			cmd.Env = append(os.Environ(), variable+"="+e.url()+" "+file)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	both.Wait()
	if n := e.count("refresh_token"); n != 1 {
		t.Errorf("refreshed %d times", n)
	}
	// The file is whole, and has what came last.
	e.mustGet(e.transport(func(o *Options) { o.Store, o.Authorizer = NewFile(file), nil }))
	if n := e.count("/token"); n != 2 {
		t.Errorf("%d token requests", n)
	}
}

func TestExpiredTokenIsRefreshedBeforeUse(t *testing.T) {
	e := newEnv(t)
	e.tokenAnswer = func(form url.Values, m map[string]any) {
		if form.Get("grant_type") == "authorization_code" {
			m["expires_in"] = "1" // as text, as some servers have it
		}
	}
	tr := e.transport(nil)
	e.mustGet(tr)
	refused := 0
	e.challenge = func(*http.Request) string { refused++; return "" }
	tr.mu.Lock()
	tr.tok.expires = tr.tok.issued
	tr.mu.Unlock()
	e.mustGet(tr)
	if e.count("refresh_token") != 1 || refused != 0 {
		t.Errorf("refreshed %d times, refused %d times", e.count("refresh_token"), refused)
	}
}

// When the server moves to another authorization server, what the first gave
// out is not shown to the second.
func TestServerMoves(t *testing.T) {
	e := newEnv(t)
	store := NewMemory()
	tr := e.transport(func(o *Options) { o.Store = store })
	e.mustGet(tr)
	second := newEnv(t)
	e.prm["authorization_servers"] = []string{second.as.URL}
	e.access = second.access // what the resource accepts now
	e.mustGet(tr)
	if second.count("refresh_token") != 0 || second.count("/register") != 1 || e.count("refresh_token") != 0 {
		t.Errorf("the second got %q", second.paths)
	}
	for key := range store.entriesLocked() {
		if key.Issuer == e.as.URL && key.Resource != "" {
			t.Errorf("the token of the first is kept: %+v", key)
		}
	}

	// A client that was given does not move.
	e = newEnv(t)
	e.clients["given"] = map[string]any{"client_secret": "given-" + mark}
	e.meta["token_endpoint_auth_methods_supported"] = []string{methodBasic}
	tr = e.transport(func(o *Options) { o.Client = Client{ID: "given", Secret: "given-" + mark} })
	e.mustGet(tr)
	e.forgetAccess()
	e.prm["authorization_servers"] = []string{second.as.URL}
	before := len(second.forms)
	e.mustFail(tr, "registered with another authorization server", e.as.URL, second.as.URL)
	if len(second.forms) != before {
		t.Error("it was shown to the second")
	}
}

func TestBestEffortRequestsDoNotAuthorize(t *testing.T) {
	e := newEnv(t)
	tr := e.transport(nil)
	quiet := func() error {
		req, err := http.NewRequestWithContext(httpx.BestEffort(t.Context()), "DELETE", e.url(), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.do(tr, req)
		return err
	}
	if err := quiet(); err == nil || err.Error() != "status 401" || len(e.paths) != 0 {
		t.Errorf("%v, asked %q", err, e.paths)
	}
	e.mustGet(tr)
	if err := quiet(); err != nil {
		t.Error(err)
	}
}

func TestUnrepeatableBody(t *testing.T) {
	e := newEnv(t)
	req, err := http.NewRequestWithContext(t.Context(), "POST", e.url(), io.NopCloser(strings.NewReader("hello")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.do(e.transport(nil), req); err == nil || err.Error() != "status 401" || len(e.paths) != 0 {
		t.Errorf("%v, asked %q", err, e.paths)
	}
}

// Tokens go where they are for.
func TestTokensStayAtTheirOrigin(t *testing.T) {
	e := newEnv(t)
	tr := e.transport(nil)
	e.mustGet(tr)
	other := newEnv(t)
	seen := ""
	other.handle = func(_ http.ResponseWriter, r *http.Request) bool { seen += r.Header.Get("Authorization"); return true }
	resp, err := tr.Client().Get(other.url())
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if seen != "" {
		t.Error("the token went elsewhere")
	}
	// What the program says itself is sent as it is.
	e.handle = func(_ http.ResponseWriter, r *http.Request) bool { seen = r.Header.Get("Authorization"); return true }
	req, err := http.NewRequestWithContext(t.Context(), "GET", e.url(), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Basic xyz")
	if _, err := e.do(tr, req); err != nil || seen != "Basic xyz" {
		t.Error(err, seen)
	}
}
