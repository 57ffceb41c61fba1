package oauth

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestNoAuthorizer(t *testing.T) {
	e := newEnv(t)
	store := NewMemory()
	tr := e.transport(func(o *Options) { o.Authorizer, o.Store = nil, store })
	err := e.mustFail(tr, e.url())
	if !errors.Is(err, ErrLoginRequired) || len(e.paths) != 0 {
		t.Errorf("%v, asked %q", err, e.paths)
	}
	checkKind(t, err)
	// A program that only ever reads tokens writes nothing.
	dir := t.TempDir()
	e.mustFail(e.transport(func(o *Options) { o.Authorizer, o.Store = nil, NewFile(filepath.Join(dir, "tokens")) }))
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("written: %v, %v", files, err)
	}
	// After a login by another program, it works.
	if err := e.transport(func(o *Options) { o.Store = store }).Login(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.mustGet(tr)
}

// Who waits together gives up together: the person is not left with a page that
// no request waits for, nor asked twice.
func TestAttemptEndsWithoutWaiters(t *testing.T) {
	e := newEnv(t)
	asked, ended := make(chan struct{}), make(chan struct{})
	robot := &robotUser{e: e, stop: func(ctx context.Context) error {
		close(asked)
		<-ctx.Done()
		close(ended)
		return ctx.Err()
	}}
	tr := e.transport(func(o *Options) { o.Authorizer = robot })
	ctx, cancel := context.WithCancel(t.Context())
	ctx2, cancel2 := context.WithCancel(t.Context())
	errs := make(chan error, 2)
	for _, ctx := range []context.Context{ctx, ctx2} {
		go func() {
			req, _ := http.NewRequestWithContext(ctx, "GET", e.url(), nil)
			_, err := tr.RoundTrip(req)
			errs <- err
		}()
	}
	<-asked
	for tr.waiting() != 2 {
		runtime.Gosched()
	}
	cancel()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	select {
	case <-ended:
		t.Error("ended although a request waits")
	default:
	}
	cancel2()
	<-ended
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	robot.stop = nil
	e.mustGet(tr)
}

// A person who is asked for more scopes, and says no, does not cost those who
// just need a new token theirs.
func TestRefreshAfterUserDenies(t *testing.T) {
	e := newEnv(t)
	asked, no := make(chan struct{}), make(chan struct{})
	robot := &robotUser{e: e}
	e.needs = func(r *http.Request) string { return r.Header.Get("Mcp-Name") }
	tr := e.transport(func(o *Options) { o.Authorizer = robot })
	e.mustGet(tr)
	robot.stop = func(context.Context) error {
		close(asked)
		<-no
		return errors.New("no")
	}
	errs := make(chan error, 2)
	go func() {
		_, err := e.ask(tr, "admin")
		errs <- err
	}()
	<-asked
	e.forgetAccess()
	refused := make(chan struct{})
	inner := e.challenge
	e.challenge = func(r *http.Request) string { close(refused); return inner(r) }
	go func() {
		_, err := e.ask(tr, "")
		errs <- err
	}()
	<-refused
	close(no)
	first, second := <-errs, <-errs
	if first == nil {
		first, second = second, first
	}
	if first == nil || second != nil || e.count("refresh_token") != 1 {
		t.Errorf("%v, %v, refreshed %d times", first, second, e.count("refresh_token"))
	}
}

func (t *Transport) waiting() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.renewing == nil {
		return 0
	}
	return t.renewing.waiting
}

// A refusal whose body never ends delays no request.
func TestRefusalWithEndlessBody(t *testing.T) {
	e := newEnv(t)
	over := make(chan struct{})
	first := true
	e.handle = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/mcp" || !first {
			return false
		}
		first = false
		rw.WriteHeader(401)
		_ = http.NewResponseController(rw).Flush()
		<-over
		return true
	}
	defer close(over)
	e.mustGet(e.transport(nil))
}

// Two resources with one authorization server: when the second needs another
// registration, the first goes on with its own.
func TestTwoRegistrationsAtOneIssuer(t *testing.T) {
	e := newEnv(t)
	store := NewMemory()
	first := e.transport(func(o *Options) { o.Store = store })
	e.mustGet(first)
	second := newEnv(t)
	second.prm["authorization_servers"] = []string{e.as.URL}
	second.access = e.access
	tr := New(second.url(), &Options{Base: e.base, Store: store, Authorizer: &Loopback{Open: e.open, RedirectURI: "http://127.0.0.1/second"}})
	second.mustGet(tr)
	if e.count("/register") != 2 {
		t.Errorf("registered %d times", e.count("/register"))
	}
	e.forgetAccess()
	e.mustGet(e.transport(func(o *Options) { o.Store, o.Authorizer = store, nil }))
	if e.count("refresh_token") != 1 {
		t.Error("not refreshed")
	}
}

type valueKey struct{}

// What a request's context holds reaches the functions of the program.
func TestContextValues(t *testing.T) {
	e := newEnv(t)
	var got any
	tr := e.transport(func(o *Options) {
		o.Grant = Assertion{func(ctx context.Context) (string, error) {
			got = ctx.Value(valueKey{})
			return unsigned(map[string]any{}, map[string]any{"aud": e.as.URL}), nil
		}}
	})
	req, err := http.NewRequestWithContext(context.WithValue(t.Context(), valueKey{}, "value"), "GET", e.url(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.do(tr, req); err != nil || got != "value" {
		t.Error(err, got)
	}
}
