package oauth

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/statefile"
)

// An earlyFile saves as the first version of the package did: without the time of an entry.
type earlyFile struct{ *File }

func (f earlyFile) Save(ctx context.Context, key StoreKey, data []byte) error {
	unlock, err := statefile.Lock(ctx, f.path+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	entries, broken, err := f.read()
	if err != nil || broken != nil {
		return fmt.Errorf("the early version cannot read %q: %w", broken, err)
	}
	if entries[key] = (entry{data: data}); data == nil {
		delete(entries, key)
	}
	text := "["
	for key, e := range entries {
		if len(text) > 1 {
			text += ","
		}
		text += fmt.Sprintf("\n {\"issuer\":%q,\"resource\":%q,\"client\":%q,\"data\":%s}", key.Issuer, key.Resource, key.Client, e.data)
	}
	return statefile.Replace(f.path, []byte(text+"\n]\n"))
}

// A lockTeller writes a line before each lock.
type lockTeller struct{ Store }

func (s lockTeller) Lock(ctx context.Context, key StoreKey) (func(), error) {
	fmt.Println("lock")
	return s.Store.Lock(ctx, key)
}

// TestProcessesAtOneStore: a process of the first version and one of this version refresh one
// token at the same time, log in and log out. No refresh token is used twice, the file can be
// read at any time, and the login of another account stays.
func TestProcessesAtOneStore(t *testing.T) {
	const server, file, version = "STDMCP_TEST_SERVER", "STDMCP_TEST_FILE", "STDMCP_TEST_VERSION"
	const programs = 3 // of each process, each with a Transport of its own
	if os.Getenv(server) != "" {
		store := Store(NewFile(os.Getenv(file)))
		if os.Getenv(version) == "early" {
			store = earlyFile{NewFile(os.Getenv(file))}
		}
		var all sync.WaitGroup
		for range programs {
			all.Go(func() { useStore(t, os.Getenv(server), lockTeller{store}) })
		}
		all.Wait()
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Skip("the test cannot start itself: ", err)
	}
	e := newEnv(t)
	e.refuseToken = func(form url.Values) string {
		if r := form.Get("refresh_token"); r != "" && e.refresh[r] == nil {
			t.Errorf("%s is used again", r)
		}
		return ""
	}
	store := NewFile(filepath.Join(t.TempDir(), "tokens"))
	store.Report = func(err error) { t.Error(err) }
	ann := func(o *Options) { o.Store, o.Account = store, "ann" }
	e.mustGet(e.transport(ann))
	tr := e.transport(func(o *Options) { o.Store, o.Authorizer = earlyFile{store}, &robotUser{e: e} })
	e.mustGet(tr)

	unlock, err := store.Lock(t.Context(), tr.bindingKey())
	if err != nil {
		t.Fatal(err)
	}
	waiting, done := make(chan bool), make(chan error)
	for _, v := range []string{"early", "this"} {
		cmd := exec.Command(exe, "-test.run=^TestProcessesAtOneStore$")
		cmd.Env = append(os.Environ(), server+"="+e.url(), file+"="+store.path, version+"="+v)
		out, err := cmd.StdoutPipe()
		if err == nil {
			cmd.Stderr = cmd.Stdout
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		go func() { // ends with the process
			lines, said := bufio.NewScanner(out), ""
			for n := 0; lines.Scan(); n++ {
				if said += lines.Text() + "\n"; n < programs {
					waiting <- true
				}
			}
			err := cmd.Wait()
			if err != nil {
				err = fmt.Errorf("%s: %w: %s", v, err, said)
			}
			done <- err
		}()
	}
	for range 2 * programs {
		select {
		case <-waiting: // with the token that one of them replaces next
		case err := <-done:
			t.Fatal(err)
		}
	}
	unlock()
	for left := 2; left > 0; {
		select {
		case err := <-done:
			if left--; err != nil {
				t.Error(err)
			}
		case <-time.After(time.Millisecond):
			if _, err := store.Load(t.Context(), StoreKey{}); err != nil {
				t.Error(err)
			}
		}
	}
	if e.count("refresh_token") == 0 {
		t.Error("no token was refreshed")
	}
	e.mustGet(e.transport(func(o *Options) { ann(o); o.Authorizer = nil }))
	e.mustGet(e.transport(func(o *Options) { o.Store, o.Authorizer = store, nil }))
}

// useStore refreshes the stored token, logs out and in, and ends with a request.
func useStore(t *testing.T, server string, store Store) {
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	tr := New(server, &Options{Base: base, Store: store, Authorizer: &robotUser{e: &env{base: base}}})
	for range 2 {
		k, err := tr.load(t.Context())
		if err == nil && k != nil {
			_, err = tr.renew(t.Context(), k, demand{bearer: true, silent: true}, "")
		}
		if err != nil && !errors.Is(err, ErrLoginRequired) { // after another program's logout
			t.Error("refresh:", err)
		}
		if err := tr.Logout(t.Context()); err != nil {
			t.Error("logout:", err)
		}
		if err := tr.Login(t.Context()); err != nil {
			t.Error("login:", err)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server, strings.NewReader("hello"))
	if err != nil {
		t.Error(err)
		return
	}
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Error("request:", err)
		return
	}
	_ = resp.Body.Close()
}

// TestServersOfOneTokenRefreshOnce: two servers share the token of their parent, which both
// refresh at the same time. A second use of the refresh token ended the login of one, or of both.
func TestServersOfOneTokenRefreshOnce(t *testing.T) {
	e := newEnv(t)
	e.prm["resource"] = e.rs.URL
	e.inner = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	var begun atomic.Bool
	var refused atomic.Int32
	e.handle = func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.URL.Path, resourcePath) {
			reply(w, 200, e.prm)
			return true
		}
		if begun.Load() && r.URL.Path == "/token" {
			hold(r, func() bool { return refused.Load() >= 2 })
		}
		return false
	}
	e.challenge = func(*http.Request) string {
		if begun.Load() {
			refused.Add(1)
		}
		return `Bearer resource_metadata="` + e.rs.URL + resourcePath + `"`
	}
	store := NewMemory()
	var trs []*Transport
	user := &robotUser{e: e}
	get := func(i int) {
		req, err := http.NewRequestWithContext(t.Context(), "GET", trs[i].url.String(), nil)
		if err == nil {
			_, err = e.do(trs[i], req)
		}
		if err != nil {
			t.Error(err)
		}
	}
	for i, path := range []string{"/a", "/b"} {
		trs = append(trs, New(e.rs.URL+path, &Options{Base: e.base, Authorizer: user, Store: store}))
		get(i)
	}
	get(0)
	e.forgetAccess()
	begun.Store(true)
	var both sync.WaitGroup
	for i := range trs {
		both.Go(func() { get(i) })
	}
	both.Wait()
	if n := e.count("refresh_token"); n != 1 || user.times != 2 {
		t.Errorf("%d refreshes, %d logins", n, user.times)
	}
}
