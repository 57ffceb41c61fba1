package oauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
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
			w := newWorld(t)
			w.challenge = func(*http.Request) string { return `Bearer scope="` + v.challenge + `"` }
			if v.resource != "" {
				w.prm["scopes_supported"] = strings.Fields(v.resource)
			}
			if v.server != "" {
				w.meta["scopes_supported"] = strings.Fields(v.server)
			}
			w.mustGet(w.transport(func(o *Options) { o.Scopes = strings.Fields(v.given) }))
			form := w.forms[0]
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
	start := time.Now()
	w := newWorld(t)
	w.prm["scopes_supported"] = many
	tr := w.transport(func(o *Options) {
		o.Authorizer = &robot{w: w, stop: func(context.Context) error { return context.Canceled }}
	})
	w.mustFail(tr, context.Canceled.Error())
	if !within(many, union(many, many)) || time.Since(start) > 10*time.Second {
		t.Error(time.Since(start))
	}
}

// More scopes are asked for beside those there were, and these are kept.
func TestStepUp(t *testing.T) {
	w := newWorld(t)
	who := &robot{w: w}
	w.challenge = func(*http.Request) string { return `Bearer scope="read"` }
	w.needs = func(r *http.Request) string { return r.Header.Get("Mcp-Name") }
	store := NewMemory()
	tr := w.transport(func(o *Options) { o.Authorizer, o.Store = who, store })
	for i, v := range []struct{ needs, want string }{{"read", "read"}, {"write", "read write"}, {"read", ""}, {"admin", "read write admin"}, {"write", ""}} {
		before := who.times
		if _, err := w.ask(tr, v.needs); err != nil {
			t.Fatal(i, err)
		}
		if asked := who.times > before; asked != (v.want != "") {
			t.Errorf("%d: asked: %v", i, asked)
		} else if asked && w.forms[len(w.forms)-2].Get("scope") != v.want {
			t.Errorf("%d: asked for %q", i, w.forms[len(w.forms)-2].Get("scope"))
		}
	}
	// After a refresh and in another process the scopes are known still.
	w.forgetAccess()
	tr = w.transport(func(o *Options) { o.Authorizer, o.Store = who, store })
	if _, err := w.ask(tr, "more"); err != nil {
		t.Fatal(err)
	}
	if got := w.forms[len(w.forms)-2].Get("scope"); got != "read write admin more" {
		t.Errorf("asked for %q", got)
	}
}

// A server that grants less than it asks for is asked three times in all, for
// one operation, and others are not concerned.
func TestStepUpThatDoesNotHelp(t *testing.T) {
	w := newWorld(t)
	who := &robot{w: w}
	w.challenge = func(*http.Request) string { return `Bearer scope="read"` }
	w.needs = func(r *http.Request) string { return r.Header.Get("Mcp-Name") }
	w.tokenAnswer = func(_ url.Values, m map[string]any) {
		k := w.access[m["access_token"].(string)]
		k.scope = strings.TrimSpace(strings.ReplaceAll(k.scope, "admin", ""))
		m["scope"] = k.scope
	}
	tr := w.transport(func(o *Options) { o.Authorizer = who })
	if _, err := w.ask(tr, "read"); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if _, err := w.ask(tr, "admin"); err == nil || !strings.Contains(err.Error(), "given up after 3 rounds") {
			t.Error(err)
		} else {
			checkStatus(t, err, 403)
		}
	}
	if who.times != 1+3 {
		t.Errorf("asked %d times", who.times)
	}
	if _, err := w.ask(tr, "write"); err != nil || who.times != 5 {
		t.Errorf("%v, asked %d times", err, who.times)
	}
}

// Where nobody can be asked, what an operation needs is asked for at the next
// login, beside what there is, and only there.
func TestStepUpByLogin(t *testing.T) {
	w := newWorld(t)
	w.challenge = func(*http.Request) string { return `Bearer scope="read"` }
	w.needs = func(r *http.Request) string { return r.Header.Get("Mcp-Name") }
	store := NewMemory()
	login := w.transport(func(o *Options) { o.Store = store })
	asked := func() string {
		t.Helper()
		if err := login.Login(t.Context()); err != nil {
			t.Fatal(err)
		}
		return w.forms[len(w.forms)-2].Get("scope")
	}
	if got := asked(); got != "read" {
		t.Errorf("asked for %q", got)
	}
	for i, v := range []struct{ need, want string }{{"write", "read write"}, {"admin", "read write admin"}} {
		tr := w.transport(func(o *Options) { o.Store, o.Authorizer = store, nil })
		for range 2 {
			if _, err := w.ask(tr, v.need); !errors.Is(err, ErrLoginRequired) {
				t.Error(i, err)
			}
		}
		if _, err := w.ask(tr, "read"); err != nil {
			t.Error(i, err)
		}
		if got := asked(); got != v.want {
			t.Errorf("%d: asked for %q", i, got)
		}
		if _, err := w.ask(w.transport(func(o *Options) { o.Store, o.Authorizer = store, nil }), v.need); err != nil {
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
func TestStepUpsTogether(t *testing.T) {
	for _, v := range []struct {
		name  string
		scope func(call string) string
		asked int
	}{
		{"one scope", func(string) string { return "write" }, 1},
		{"a scope for each operation", func(call string) string { return "write:" + call[:1] }, 8},
	} {
		t.Run(v.name, func(t *testing.T) {
			w := newWorld(t)
			w.base.MaxIdleConnsPerHost = 100
			who := &robot{w: w}
			w.challenge = func(*http.Request) string { return `Bearer scope="read"` }
			w.needs = func(r *http.Request) string { // called with a lock held
				call := r.Header.Get("Mcp-Name")
				if call == "first" {
					return "read"
				}
				return v.scope(call)
			}
			tr := w.transport(func(o *Options) { o.Authorizer = who })
			if _, err := w.ask(tr, "first"); err != nil {
				t.Fatal(err)
			}
			// All have been refused before the first gets a token.
			var mu sync.Mutex
			seen := map[string]bool{}
			w.handle = func(_ http.ResponseWriter, r *http.Request) bool {
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
					req, err := http.NewRequestWithContext(t.Context(), "GET", w.url(), nil)
					if err != nil {
						t.Error(err)
						return
					}
					req.Header.Set("Mcp-Name", strconv.Itoa(i%8))
					req.Header.Set("X-Call", strconv.Itoa(i))
					if _, err := w.do(tr, req); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if who.times != 1+v.asked {
				t.Errorf("asked %d times, want %d", who.times, 1+v.asked)
			}
		})
	}
}

func TestScopesThatTheTokenHas(t *testing.T) {
	w := newWorld(t)
	who := &robot{w: w}
	w.challenge = func(*http.Request) string { return `Bearer scope="admin"` }
	w.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") == "" || r.URL.Path != "/mcp" {
			return false
		}
		rw.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="admin"`)
		rw.WriteHeader(403)
		return true
	}
	w.mustFail(w.transport(func(o *Options) { o.Authorizer = who }), "scopes that the token has")
	if who.times != 1 {
		t.Errorf("asked %d times", who.times)
	}
}

func TestOther403(t *testing.T) {
	for _, c := range []string{"", `Bearer error="insufficient_scope"`, `Bearer error="other", scope="x"`, `Basic error="insufficient_scope", scope="x"`} {
		w := newWorld(t)
		w.handle = func(rw http.ResponseWriter, r *http.Request) bool {
			rw.Header().Set("WWW-Authenticate", c)
			rw.WriteHeader(403)
			return true
		}
		if _, err := w.get(w.transport(nil)); err == nil || err.Error() != "status 403" {
			t.Errorf("%s: %v", c, err)
		}
	}
}

func checkStatus(t *testing.T, err error, code int) {
	t.Helper()
	var e *refusedError
	if !errors.As(err, &e) || e.status.Status != code {
		t.Errorf("%v is no error for status %d", err, code)
	}
}

// A person who said no is not asked again for the next request, but later, and
// when the program wants it.
func TestWhoSaidNoIsNotAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		times := 0
		no := errors.New("no")
		tr := New("http://127.0.0.1/mcp", &Options{Base: refusing{}})
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

type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) { return nil, errors.ErrUnsupported }
