package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

func TestScopes(t *testing.T) {
	for _, v := range []struct {
		name                       string
		challenge, resource, given string
		server                     string
		want                       string
		prompt                     string
	}{
		{"none", "", "", "", "", "", ""},
		{"challenge", "a b", "c d", "", "", "a b", ""},
		{"resource", "", "c d", "", "", "c d", ""},
		{"given", "", "c d", "e", "", "e", ""},
		{"challenge and given", "a", "c", "a e", "", "a e", ""},
		{"offline", "a", "", "", "a offline_access", "a offline_access", "consent"},
		{"offline alone would ask for nothing else", "", "", "", "offline_access", "", ""},
	} {
		t.Run(v.name, func(t *testing.T) {
			e := newEnv(t)
			e.challenge = func(*http.Request) string { return `Bearer scope="` + v.challenge + `"` }
			if v.resource != "" {
				e.prm["scopes_supported"] = strings.Fields(v.resource)
			}
			if v.server != "" {
				e.meta["scopes_supported"] = strings.Fields(v.server)
			}
			e.mustGet(e.transport(func(o *Options) { o.Scopes = strings.Fields(v.given) }))
			form := e.forms[0]
			if form.Get("scope") != v.want || form.Has("scope") != (v.want != "") || form.Get("prompt") != v.prompt {
				t.Errorf("asked for %q, prompt %q", form.Get("scope"), form.Get("prompt"))
			}
		})
	}
}

// A server that says very many scopes costs no time to speak of.
func TestManyScopes(t *testing.T) {
	var many []string
	for i := range 100_000 {
		many = append(many, strconv.Itoa(i))
	}
	const limit = 10 * time.Second
	if best := testutil.BestOf(limit, func() time.Duration {
		start := time.Now()
		e := newEnv(t)
		e.prm["scopes_supported"] = many
		tr := e.transport(func(o *Options) {
			o.Authorizer = &robotUser{e: e, stop: func(context.Context) error { return context.Canceled }}
		})
		e.mustFail(tr, context.Canceled.Error())
		if !containsAll(many, union(many, many)) {
			t.Error("the union lacks scopes")
		}
		return time.Since(start)
	}); best > limit {
		t.Error(best)
	}
}

// More scopes are asked for beside those there were, and these are kept.
func TestStepUp(t *testing.T) {
	e := newEnv(t)
	robot := &robotUser{e: e}
	e.challenge = func(*http.Request) string { return `Bearer scope="read"` }
	e.needs = func(r *http.Request) string { return r.Header.Get("Mcp-Name") }
	store := NewMemory()
	tr := e.transport(func(o *Options) { o.Authorizer, o.Store = robot, store })
	for i, v := range []struct{ needs, want string }{{"read", "read"}, {"write", "read write"}, {"read", ""}, {"admin", "read write admin"}, {"write", ""}} {
		before := robot.times
		if _, err := e.ask(tr, v.needs); err != nil {
			t.Fatal(i, err)
		}
		if asked := robot.times > before; asked != (v.want != "") {
			t.Errorf("%d: asked: %v", i, asked)
		} else if asked && e.forms[len(e.forms)-2].Get("scope") != v.want {
			t.Errorf("%d: asked for %q", i, e.forms[len(e.forms)-2].Get("scope"))
		}
	}
	// After a refresh and in another process the scopes are known still.
	e.forgetAccess()
	tr = e.transport(func(o *Options) { o.Authorizer, o.Store = robot, store })
	if _, err := e.ask(tr, "more"); err != nil {
		t.Fatal(err)
	}
	if got := e.forms[len(e.forms)-2].Get("scope"); got != "read write admin more" {
		t.Errorf("asked for %q", got)
	}
}

// A server that grants less than it asks for is asked three times in all, for
// one operation, and others are not concerned.
func TestUselessStepUp(t *testing.T) {
	e := newEnv(t)
	robot := &robotUser{e: e}
	e.challenge = func(*http.Request) string { return `Bearer scope="read"` }
	e.needs = func(r *http.Request) string { return r.Header.Get("Mcp-Name") }
	e.tokenAnswer = func(_ url.Values, m map[string]any) {
		k := e.access[m["access_token"].(string)]
		k.scope = strings.TrimSpace(strings.ReplaceAll(k.scope, "admin", ""))
		m["scope"] = k.scope
	}
	tr := e.transport(func(o *Options) { o.Authorizer = robot })
	if _, err := e.ask(tr, "read"); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if _, err := e.ask(tr, "admin"); err == nil || !strings.Contains(err.Error(), "still demands authorization after 3 attempts") {
			t.Error(err)
		} else {
			checkStatus(t, err, 403)
		}
	}
	if robot.times != 1+3 {
		t.Errorf("asked %d times", robot.times)
	}
	if _, err := e.ask(tr, "write"); err != nil || robot.times != 5 {
		t.Errorf("%v, asked %d times", err, robot.times)
	}
}

// If no user can be asked, the scopes that an operation needs are requested at the next
// login, beside what there is, and only there.
func TestStepUpByLogin(t *testing.T) {
	e := newEnv(t)
	e.challenge = func(*http.Request) string { return `Bearer scope="read"` }
	e.needs = func(r *http.Request) string { return r.Header.Get("Mcp-Name") }
	store := NewMemory()
	login := e.transport(func(o *Options) { o.Store = store })
	asked := func() string {
		t.Helper()
		if err := login.Login(t.Context()); err != nil {
			t.Fatal(err)
		}
		return e.forms[len(e.forms)-2].Get("scope")
	}
	if got := asked(); got != "read" {
		t.Errorf("asked for %q", got)
	}
	for i, v := range []struct{ need, want string }{{"write", "read write"}, {"admin", "read write admin"}} {
		tr := e.transport(func(o *Options) { o.Store, o.Authorizer = store, nil })
		for range 2 {
			if _, err := e.ask(tr, v.need); !errors.Is(err, ErrLoginRequired) {
				t.Error(i, err)
			}
		}
		if _, err := e.ask(tr, "read"); err != nil {
			t.Error(i, err)
		}
		if got := asked(); got != v.want {
			t.Errorf("%d: asked for %q", i, got)
		}
		if _, err := e.ask(e.transport(func(o *Options) { o.Store, o.Authorizer = store, nil }), v.need); err != nil {
			t.Error(i, err)
		}
	}
	if err := login.Logout(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := asked(); got != "read" {
		t.Errorf("asked for %q after logging out", got)
	}
}

// Calls that need more scopes together cost one authorization for each set of
// scopes, and none of them is given up for want of rounds.
func TestConcurrentStepUps(t *testing.T) {
	for _, v := range []struct {
		name  string
		scope func(call string) string
		asked int
	}{
		{"one scope", func(string) string { return "write" }, 1},
		{"a scope for each operation", func(call string) string { return "write:" + call[:1] }, 8},
	} {
		t.Run(v.name, func(t *testing.T) {
			e := newEnv(t)
			e.base.MaxIdleConnsPerHost = 100
			robot := &robotUser{e: e}
			e.challenge = func(*http.Request) string { return `Bearer scope="read"` }
			e.needs = func(r *http.Request) string { // called with a lock held
				call := r.Header.Get("Mcp-Name")
				if call == "first" {
					return "read"
				}
				return v.scope(call)
			}
			tr := e.transport(func(o *Options) { o.Authorizer = robot })
			if _, err := e.ask(tr, "first"); err != nil {
				t.Fatal(err)
			}
			// All have been refused before the first gets a token.
			var mu sync.Mutex
			seen := map[string]bool{}
			e.handle = func(_ http.ResponseWriter, r *http.Request) bool {
				if call := r.Header.Get("X-Call"); call != "" {
					mu.Lock()
					seen[call] = true
					mu.Unlock()
				}
				if r.URL.Path == "/token" {
					hold(r, func() bool {
						mu.Lock()
						defer mu.Unlock()
						return len(seen) == 100
					})
				}
				return false
			}
			var all sync.WaitGroup
			for i := range 100 {
				all.Go(func() {
					req, err := http.NewRequestWithContext(t.Context(), "GET", e.url(), nil)
					if err != nil {
						t.Error(err)
						return
					}
					req.Header.Set("Mcp-Name", strconv.Itoa(i%8))
					req.Header.Set("X-Call", strconv.Itoa(i))
					if _, err := e.do(tr, req); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if robot.times != 1+v.asked {
				t.Errorf("asked %d times, want %d", robot.times, 1+v.asked)
			}
		})
	}
}

func TestDemandForGrantedScopes(t *testing.T) {
	e := newEnv(t)
	robot := &robotUser{e: e}
	e.challenge = func(*http.Request) string { return `Bearer scope="admin"` }
	e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") == "" || r.URL.Path != "/mcp" {
			return false
		}
		rw.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="admin"`)
		rw.WriteHeader(403)
		return true
	}
	e.mustFail(e.transport(func(o *Options) { o.Authorizer = robot }), "scopes that the token already has")
	if robot.times != 1 {
		t.Errorf("asked %d times", robot.times)
	}
}

func TestOther403(t *testing.T) {
	for _, c := range []string{"", `Bearer error="insufficient_scope"`, `Bearer error="other", scope="x"`, `Basic error="insufficient_scope", scope="x"`} {
		e := newEnv(t)
		e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
			rw.Header().Set("WWW-Authenticate", c)
			rw.WriteHeader(403)
			return true
		}
		if _, err := e.get(e.transport(nil)); err == nil || err.Error() != "status 403" {
			t.Errorf("%s: %v", c, err)
		}
	}
}

func checkStatus(t *testing.T, err error, code int) {
	t.Helper()
	var e *refusedError
	if !errors.As(err, &e) || e.status.Status != code {
		t.Errorf("%v is not an error for status %d", err, code)
	}
}

// A person who said no is not asked again for the next request, but later, and
// when the program wants it.
func TestDenialIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		times := 0
		no := errors.New("no")
		tr := New("http://127.0.0.1/mcp", &Options{Base: failingRoundTripper{}})
		ask := func(d demand) error {
			_, err := tr.renew(t.Context(), nil, d, "")
			return err
		}
		tr.store = storeFunc(func() error { times++; return no })
		for range 3 {
			if err := ask(demand{}); !errors.Is(err, no) {
				t.Fatal(err)
			}
		}
		if times != 1 {
			t.Errorf("tried %d times", times)
		}
		if _ = ask(demand{scope: "other"}); times != 2 {
			t.Error("another demand was not tried")
		}
		time.Sleep(holdTime)
		if _ = ask(demand{scope: "other"}); times != 3 {
			t.Error("not tried later")
		}
	})
}

// A user who said no is asked once a minute, even if the server demands another
// scope each time.
func TestDenialHoldsForAnyDemand(t *testing.T) {
	e := newEnv(t)
	n, asked := 0, 0
	e.challenge = func(*http.Request) string { n++; return fmt.Sprintf(`Bearer scope="s%d"`, n) }
	robot := &robotUser{e: e, stop: func(context.Context) error { asked++; return errors.New("no") }}
	tr := e.transport(func(o *Options) { o.Authorizer = robot })
	for range 10 {
		if _, err := e.get(tr); err == nil {
			t.Fatal("authorized")
		}
	}
	if asked != 1 {
		t.Errorf("the user was asked %d times in 10 requests", asked)
	}
	tr.denied.until = time.Now()
	if _, err := e.get(tr); err == nil || asked != 2 {
		t.Errorf("%v, asked %d times after a minute", err, asked)
	}
	robot.stop = nil
	if err := tr.Login(t.Context()); err != nil { // the program wants it
		t.Error(err)
	}
}

type failingRoundTripper struct{}

func (failingRoundTripper) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.ErrUnsupported
}
