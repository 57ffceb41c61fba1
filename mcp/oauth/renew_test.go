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
	w := newWorld(t)
	who := &robot{w: w}
	store := NewMemory()
	tr := w.transport(func(o *Options) { o.Authorizer, o.Store = who, store })
	w.mustGet(tr)
	for range 3 {
		w.forgetAccess()
		w.mustGet(tr)
	}
	if who.times != 1 || w.count("refresh_token") != 3 {
		t.Errorf("asked %d times, refreshed %d times", who.times, w.count("refresh_token"))
	}
	if got := w.lastForm(); got.Get("resource") != w.url() || got.Has("scope") {
		t.Errorf("refreshed with %v", got)
	}
	// The store has the last refresh token.
	w.forgetAccess()
	w.mustGet(w.transport(func(o *Options) { o.Authorizer, o.Store = nil, store }))
}

func TestRefreshTokenThatIsNotRotated(t *testing.T) {
	w := newWorld(t)
	kept := ""
	w.tokenAnswer = func(form url.Values, m map[string]any) {
		if form.Get("grant_type") == "refresh_token" {
			k := w.refresh[m["refresh_token"].(string)]
			w.refresh[kept] = k
			delete(m, "refresh_token")
		} else {
			kept = m["refresh_token"].(string)
		}
	}
	tr := w.transport(nil)
	w.mustGet(tr)
	for range 2 {
		w.forgetAccess()
		w.mustGet(tr)
	}
}

// Tokens are thrown away in stages.
func TestStages(t *testing.T) {
	w := newWorld(t)
	who := &robot{w: w}
	tr := w.transport(func(o *Options) { o.Authorizer = who })
	w.mustGet(tr)

	// The refresh token is of no use: the person is asked.
	w.forgetAccess()
	clear(w.refresh)
	w.mustGet(tr)
	if who.times != 2 || w.count("refresh_token") != 1 {
		t.Fatalf("asked %d times, refreshed %d times", who.times, w.count("refresh_token"))
	}

	// What comes for the refresh token is refused, too.
	w.forgetAccess()
	w.tokenAnswer = func(form url.Values, m map[string]any) {
		if form.Get("grant_type") == "refresh_token" {
			clear(w.access)
		}
	}
	w.mustGet(tr)
	if who.times != 3 || w.count("refresh_token") != 2 {
		t.Fatalf("asked %d times, refreshed %d times", who.times, w.count("refresh_token"))
	}

	// The server has forgotten everything, the client included.
	w.tokenAnswer = nil
	w.forgetAccess()
	w.refuseToken = func(form url.Values) string {
		if w.clients[form.Get("client_id")] == nil {
			return "invalid_client"
		}
		return ""
	}
	clear(w.clients)
	w.mustGet(tr)
	if who.times != 4 || w.count("/register") != 2 {
		t.Fatalf("asked %d times, registered %d times", who.times, w.count("/register"))
	}
}

// A server that cannot refresh right now does not cost the refresh token.
func TestRefreshFailsForAMoment(t *testing.T) {
	w := newWorld(t)
	who := &robot{w: w}
	tr := w.transport(func(o *Options) { o.Authorizer = who })
	w.mustGet(tr)
	w.forgetAccess()
	w.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/token" {
			rw.WriteHeader(503)
		}
		return r.URL.Path == "/token"
	}
	w.mustFail(tr, "503")
	w.handle = func(rw http.ResponseWriter, r *http.Request) bool { // not the authorization server at all
		if r.URL.Path == "/token" {
			http.NotFound(rw, r)
		}
		return r.URL.Path == "/token"
	}
	w.mustFail(tr, "404 Not Found")
	tr.failed = failure{}
	w.handle = nil
	w.mustGet(tr)
	if who.times != 1 {
		t.Errorf("asked %d times", who.times)
	}
}

// Row 41 of the fault matrix.
func TestHundredCallsOneRefresh(t *testing.T) {
	w := newWorld(t)
	w.base.MaxIdleConnsPerHost = 100
	who := &robot{w: w}
	file := filepath.Join(t.TempDir(), "tokens")
	// Two stores at one file stand for two processes.
	transports := []*Transport{
		w.transport(func(o *Options) { o.Authorizer, o.Store = who, NewFile(file) }),
		w.transport(func(o *Options) { o.Authorizer, o.Store = who, NewFile(file) }),
	}
	hundred := func() {
		start := make(chan struct{})
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				<-start
				w.mustGet(transports[i%2])
			})
		}
		close(start)
		all.Wait()
	}
	hundred()
	if who.times != 1 || w.count("/token") != 1 || w.count("/register") != 1 {
		t.Fatalf("asked %d times, %d tokens, registered %d times", who.times, w.count("/token"), w.count("/register"))
	}
	// All are answered with 401 before any of them can refresh.
	w.forgetAccess()
	var answered sync.WaitGroup
	answered.Add(100)
	inner := w.challenge
	w.challenge = func(r *http.Request) string {
		if r.Header.Get("Authorization") != "" {
			answered.Done()
		}
		return inner(r)
	}
	w.handle = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/token" {
			answered.Wait()
		}
		return false
	}
	hundred()
	if who.times != 1 || w.count("refresh_token") != 1 {
		t.Fatalf("asked %d times, refreshed %d times", who.times, w.count("refresh_token"))
	}
}

// The same of two processes with one store, neither of which can ask anybody.
func TestTwoProcessesOneRefresh(t *testing.T) {
	const env, calls = "STDMCP_TEST_CALLS", 50
	if told := os.Getenv(env); told != "" {
		url, file, _ := strings.Cut(told, " ")
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
	w := newWorld(t)
	var begun atomic.Bool
	var refused atomic.Int32
	w.challenge = func(*http.Request) string {
		if begun.Load() {
			refused.Add(1)
		}
		return ""
	}
	w.handle = func(_ http.ResponseWriter, r *http.Request) bool {
		if begun.Load() && r.URL.Path == "/token" {
			hold(r, func() bool { return refused.Load() == 2*calls }) // all calls of both
		}
		return false
	}
	file := filepath.Join(t.TempDir(), "tokens")
	if err := w.transport(func(o *Options) { o.Store = NewFile(file) }).Login(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.forgetAccess()
	begun.Store(true)
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestTwoProcessesOneRefresh$")
			cmd.Env = append(os.Environ(), env+"="+w.url()+" "+file)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	both.Wait()
	if n := w.count("refresh_token"); n != 1 {
		t.Errorf("refreshed %d times", n)
	}
	// The file is whole, and has what came last.
	w.mustGet(w.transport(func(o *Options) { o.Store, o.Authorizer = NewFile(file), nil }))
	if n := w.count("/token"); n != 2 {
		t.Errorf("%d token requests", n)
	}
}

func TestExpiredTokenIsRefreshedBefore(t *testing.T) {
	w := newWorld(t)
	w.tokenAnswer = func(form url.Values, m map[string]any) {
		if form.Get("grant_type") == "authorization_code" {
			m["expires_in"] = "1" // as text, as some servers have it
		}
	}
	tr := w.transport(nil)
	w.mustGet(tr)
	refused := 0
	w.challenge = func(*http.Request) string { refused++; return "" }
	tr.mu.Lock()
	tr.tok.expires = tr.tok.issued
	tr.mu.Unlock()
	w.mustGet(tr)
	if w.count("refresh_token") != 1 || refused != 0 {
		t.Errorf("refreshed %d times, refused %d times", w.count("refresh_token"), refused)
	}
}

// When the server moves to another authorization server, what the first gave
// out is not shown to the second.
func TestServerMoves(t *testing.T) {
	w := newWorld(t)
	store := NewMemory()
	tr := w.transport(func(o *Options) { o.Store = store })
	w.mustGet(tr)
	second := newWorld(t)
	w.prm["authorization_servers"] = []string{second.as.URL}
	w.access = second.access // what the resource accepts now
	w.mustGet(tr)
	if second.count("refresh_token") != 0 || second.count("/register") != 1 || w.count("refresh_token") != 0 {
		t.Errorf("the second got %q", second.paths)
	}
	for key := range store.data {
		if key.Issuer == w.as.URL && key.Resource != "" {
			t.Errorf("the token of the first is kept: %+v", key)
		}
	}

	// A client that was given does not move.
	w = newWorld(t)
	w.clients["given"] = map[string]any{"client_secret": "given-" + mark}
	w.meta["token_endpoint_auth_methods_supported"] = []string{methodBasic}
	tr = w.transport(func(o *Options) { o.Client = Client{ID: "given", Secret: "given-" + mark} })
	w.mustGet(tr)
	w.forgetAccess()
	w.prm["authorization_servers"] = []string{second.as.URL}
	before := len(second.forms)
	w.mustFail(tr, "registered with another authorization server", w.as.URL, second.as.URL)
	if len(second.forms) != before {
		t.Error("it was shown to the second")
	}
}

func TestQuietRequestsAskNobody(t *testing.T) {
	w := newWorld(t)
	tr := w.transport(nil)
	quiet := func() error {
		req, err := http.NewRequestWithContext(httpx.BestEffort(t.Context()), "DELETE", w.url(), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.do(tr, req)
		return err
	}
	if err := quiet(); err == nil || err.Error() != "status 401" || len(w.paths) != 0 {
		t.Errorf("%v, asked %q", err, w.paths)
	}
	w.mustGet(tr)
	if err := quiet(); err != nil {
		t.Error(err)
	}
}

func TestBodyThatCannotBeSentAgain(t *testing.T) {
	w := newWorld(t)
	req, err := http.NewRequestWithContext(t.Context(), "POST", w.url(), io.NopCloser(strings.NewReader("hello")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.do(w.transport(nil), req); err == nil || err.Error() != "status 401" || len(w.paths) != 0 {
		t.Errorf("%v, asked %q", err, w.paths)
	}
}

// Tokens go where they are for.
func TestTokensStayAtTheirOrigin(t *testing.T) {
	w := newWorld(t)
	tr := w.transport(nil)
	w.mustGet(tr)
	other := newWorld(t)
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
	w.handle = func(_ http.ResponseWriter, r *http.Request) bool { seen = r.Header.Get("Authorization"); return true }
	req, err := http.NewRequestWithContext(t.Context(), "GET", w.url(), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Basic xyz")
	if _, err := w.do(tr, req); err != nil || seen != "Basic xyz" {
		t.Error(err, seen)
	}
}
