package oauth

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestStores(t *testing.T) {
	for name, s := range map[string]Store{"memory": NewMemory(), "file": NewFile(filepath.Join(t.TempDir(), "a", "tokens"))} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			key := StoreKey{"https://as", "https://rs", "client"}
			check := func(key StoreKey, want string) {
				t.Helper()
				if got, err := s.Load(ctx, key); err != nil || string(got) != want || (got == nil) != (want == "") {
					t.Errorf("%v: %q, %v", key, got, err)
				}
			}
			save := func(key StoreKey, data string) {
				t.Helper()
				b := []byte(data)
				if data == "" {
					b = nil
				}
				if err := s.Save(ctx, key, b); err != nil {
					t.Error(err)
				}
				clear(b) // the caller's
			}
			check(key, "")
			save(key, "")
			save(key, `{"a":1}`)
			save(StoreKey{Issuer: "https://as"}, `{"b":"ä\n"}`)
			check(key, `{"a":1}`)
			check(StoreKey{Issuer: "https://as"}, `{"b":"ä\n"}`)
			check(StoreKey{Client: "client"}, "")
			save(key, `{"a":2}`)
			check(key, `{"a":2}`)
			save(key, "")
			check(key, "")

			var all sync.WaitGroup
			var inside atomic.Int32
			for i := range 20 {
				all.Go(func() {
					save(StoreKey{Client: fmt.Sprint(i)}, `1`)
					unlock, err := s.Lock(ctx, key)
					if err != nil {
						t.Error(err)
						return
					}
					if inside.Add(1) != 1 {
						t.Error("locked twice")
					}
					inside.Add(-1)
					unlock()
				})
			}
			all.Wait()
			for i := range 20 {
				check(StoreKey{Client: fmt.Sprint(i)}, `1`)
			}
			unlock, err := s.Lock(ctx, key)
			if err != nil {
				t.Fatal(err)
			}
			short, cancel := context.WithTimeout(ctx, time.Millisecond)
			defer cancel()
			if _, err := s.Lock(short, key); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			if other, err := s.Lock(ctx, StoreKey{Client: "other"}); err != nil {
				t.Error(err)
			} else {
				other()
			}
			unlock()
		})
	}
}

func TestFilePermissions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	f := NewFile(filepath.Join(dir, "tokens"))
	if err := f.Save(t.Context(), StoreKey{}, []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		for path, want := range map[string]os.FileMode{f.path: 0o600, dir: 0o700, f.path + ".lock": 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v", path, info.Mode(), err)
			}
		}
	}
	// What others could read they no longer can.
	if err := os.Chmod(f.path, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(t.Context(), StoreKey{Client: "x"}, []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(f.path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.tmp")); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestForeignFile(t *testing.T) {
	for _, data := range []string{"{}", "[1]", `[{"issuer":1}]`, `{"version":2,"entries":[]}`, "[" + strings.Repeat(" ", maxFile) + "]"} {
		f := NewFile(filepath.Join(t.TempDir(), "tokens"))
		if err := os.WriteFile(f.path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Load(t.Context(), StoreKey{}); err == nil {
			t.Errorf("%.20q is accepted", data)
		}
		if err := f.Save(t.Context(), StoreKey{}, []byte(`{}`)); err == nil {
			t.Errorf("%.20q is overwritten", data)
		}
	}
	f := NewFile(filepath.Join(t.TempDir(), "tokens"))
	if err := f.Save(t.Context(), StoreKey{}, []byte(`{`)); err == nil {
		t.Error("not JSON is saved")
	}
}

// TestDamagedFile: a token file that a crash has truncated is kept aside, and does not
// block the next login.
func TestDamagedFile(t *testing.T) {
	for _, data := range []string{"", "[\n {\"issuer\":\"i\",\"da", "[{}]x", "\x00\x00\x00"} {
		var reports []string
		f := NewFile(filepath.Join(t.TempDir(), "tokens"))
		f.Report = func(err error) { reports = append(reports, err.Error()) }
		aside := f.path + ".broken"
		for range 2 { // one file is kept
			if err := os.WriteFile(f.path, []byte(data), 0o644); err != nil {
				t.Fatal(err)
			}
			if got, err := f.Load(t.Context(), StoreKey{Client: "a"}); got != nil || err != nil {
				t.Errorf("%q: %q, %v", data, got, err)
			}
			if err := f.Save(t.Context(), StoreKey{Client: "a"}, []byte(`1`)); err != nil {
				t.Errorf("%q: %v", data, err)
			}
			if got, err := f.Load(t.Context(), StoreKey{Client: "a"}); string(got) != "1" || err != nil {
				t.Errorf("%q: %q, %v", data, got, err)
			}
			if kept, err := os.ReadFile(aside); err != nil || string(kept) != data {
				t.Errorf("%q: kept %q, %v", data, kept, err)
			}
		}
		if len(reports) != 1 || !strings.Contains(reports[0], f.path+" is damaged") {
			t.Errorf("%q: reported %q", data, reports)
		}
		if info, err := os.Stat(aside); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Error(info.Mode(), err)
		}
		if files, err := os.ReadDir(filepath.Dir(f.path)); err != nil || len(files) != 3 {
			t.Errorf("%v, %v", files, err)
		}
	}
	// A login and a logout pass, without Report.
	e := newEnv(t)
	path := filepath.Join(t.TempDir(), "tokens")
	tr := e.transport(func(o *Options) { o.Store = NewFile(path) })
	if err := os.WriteFile(path, []byte("["), 0o600); err != nil {
		t.Fatal(err)
	}
	e.mustGet(tr)
	if err := os.WriteFile(path, []byte("["), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := tr.Logout(t.Context()); err != nil {
		t.Error(err)
	}
	if err := tr.Login(t.Context()); err != nil {
		t.Error(err)
	}
}

// What is too large to be read again is not written, and what was there stays.
func TestFileTooLarge(t *testing.T) {
	f := NewFile(filepath.Join(t.TempDir(), "tokens"))
	if err := f.Save(t.Context(), StoreKey{Client: "a"}, []byte(`"small"`)); err != nil {
		t.Fatal(err)
	}
	large := []byte(`"` + strings.Repeat("x", maxFile) + `"`)
	if err := f.Save(t.Context(), StoreKey{Client: "b"}, large); err == nil || !strings.Contains(err.Error(), f.path) {
		t.Error(err)
	}
	if data, err := f.Load(t.Context(), StoreKey{Client: "a"}); err != nil || string(data) != `"small"` {
		t.Error(string(data), err)
	}
}

func TestFailingStore(t *testing.T) {
	e := newEnv(t)
	broken := errors.New("broken")
	tr := e.transport(func(o *Options) { o.Store = storeFunc(func() error { return broken }) })
	if err := e.mustFail(tr, "store"); !errors.Is(err, broken) {
		t.Error(err)
	}
	// The entry of another program is not mistaken for a token.
	s := NewMemory()
	save := func(key StoreKey, data string) {
		if err := s.Save(t.Context(), key, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	tr = e.transport(func(o *Options) { o.Store = s })
	for _, data := range []string{`{"issuer":1}`, `[]`, `x`} {
		save(tr.bindingKey(), data)
		if err := e.mustFail(tr); !errors.Is(err, errStored) {
			t.Errorf("%s: %v", data, err)
		}
	}
	save(tr.bindingKey(), `{"issuer":"i"}`)
	for _, data := range []string{`{}`, `x`, `{"access_token":"a","token_type":"DPoP","dpop_key":"AAAA"}`} {
		save(StoreKey{Issuer: "i"}, data)
		if err := e.mustFail(tr); !errors.Is(err, errStored) {
			t.Errorf("%s: %v", data, err)
		}
	}
}

func TestSavedTokens(t *testing.T) {
	tokens := []*token{
		{access: "a"},
		{access: "a", refresh: "r", scopes: []string{"x", "y"}, granted: []string{"x"}, expires: time.Unix(1<<31, 0)},
	}
	for _, alg := range []string{"ES256", "EdDSA", ed25519Name} {
		key, secret, err := generateKey(alg)
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, &token{access: "a", dpop: true, key: key, secret: secret})
	}
	for _, k := range tokens {
		got, err := parseSaved(k.encode())
		if err != nil || !bytes.Equal(got.encode(), k.encode()) || got.refresh != k.refresh || !got.expires.Equal(k.expires) || len(got.scopes) != len(k.scopes) {
			t.Errorf("%s: %v", k.encode(), err)
		}
		if k.dpop && got.key.thumbprint() != k.key.thumbprint() {
			t.Error("another key")
		}
	}
}

// Version 0.1 stored the keys of tokens as PKCS #8.
func TestSavedKeysOfEarlierVersions(t *testing.T) {
	for _, alg := range []string{"ES256", "EdDSA", ed25519Name} {
		key, _, err := generateKey(alg)
		if err != nil {
			t.Fatal(err)
		}
		der, err := x509.MarshalPKCS8PrivateKey(key.signer)
		if err != nil {
			t.Fatal(err)
		}
		got, err := parseSaved((&token{access: "a", dpop: true, key: key, secret: der}).encode())
		if err != nil || got.key.thumbprint() != key.thumbprint() {
			t.Errorf("%s: %v", alg, err)
		}
	}
}

// A process that is killed holds no lock.
func TestLockOfAKilledProcess(t *testing.T) {
	const env = "STDMCP_TEST_LOCK"
	if path := os.Getenv(env); path != "" {
		if _, err := NewFile(path).Lock(context.Background(), StoreKey{}); err != nil {
			os.Exit(1)
		}
		fmt.Println("locked")
		select {}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Skip("the test cannot start itself: ", err)
	}
	f := NewFile(filepath.Join(t.TempDir(), "tokens"))
	cmd := exec.Command(exe, "-test.run=^TestLockOfAKilledProcess$")
	cmd.Env = append(os.Environ(), env+"="+f.path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if n, err := out.Read(make([]byte, 100)); n == 0 {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := f.Lock(short, StoreKey{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("not locked: %v", err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	unlock, err := f.Lock(t.Context(), StoreKey{})
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestZeroMemory(t *testing.T) {
	var m Memory
	unlock, err := m.Lock(t.Context(), StoreKey{})
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	if err := m.Save(t.Context(), StoreKey{}, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if data, err := m.Load(t.Context(), StoreKey{}); err != nil || string(data) != "{}" {
		t.Errorf("%q, %v", data, err)
	}
}

// What servers make a program store is bounded, and what is in use goes last.
func TestStoredEntriesAreBounded(t *testing.T) {
	synctest.Test(t, storeManyEntries)
	e := newEnv(t)
	e.handle = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/register" {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"client_id":"%s"}`, strings.Repeat("x", 900<<10))
		return true
	}
	memory := NewMemory()
	e.mustFail(e.transport(func(o *Options) { o.Store = memory }), "128 KiB")
	for key, entry := range memory.entriesLocked() {
		if len(entry.data) > maxEntry {
			t.Errorf("%d bytes under %+v", len(entry.data), key)
		}
	}
}

func storeManyEntries(t *testing.T) {
	for name, store := range map[string]Store{"memory": NewMemory(), "file": NewFile(filepath.Join(t.TempDir(), "tokens"))} {
		save := func(key StoreKey) {
			t.Helper()
			if err := store.Save(t.Context(), key, []byte(`{}`)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Millisecond)
		}
		save(StoreKey{Issuer: "used", Client: "c"})
		save(StoreKey{Issuer: "used"})
		save(StoreKey{Issuer: "used", Resource: "r", Client: "c"})
		save(StoreKey{Issuer: "oldest"})
		for i := range 2*maxRegistrations - 1 {
			save(StoreKey{Issuer: fmt.Sprint(i)})
		}
		for issuer, want := range map[string]bool{"used": true, "oldest": false, fmt.Sprint(2*maxRegistrations - 2): true} {
			if data, err := store.Load(t.Context(), StoreKey{Issuer: issuer}); err != nil || (data != nil) != want {
				t.Errorf("%s: registration at %s: %s, %v", name, issuer, data, err)
			}
		}
	}
}

// TestFileOfEarlierVersions: a file that an earlier version wrote, with the entries of two
// servers, serves both, and what is written beside them has the members that the earlier
// version reads.
func TestFileOfEarlierVersions(t *testing.T) {
	one, two := newEnv(t), newEnv(t)
	text := "["
	for i, e := range []*env{one, two} {
		e.access[fmt.Sprint("old-", i, mark)] = &issued{}
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(`{"issuer":"","resource":%q,"client":"","saved":1,"data":{"issuer":%q,"resource":%[1]q,"client_id":"c","resource_metadata":"","wanted_scope":"","zone":""}},`+
			`{"issuer":%[2]q,"resource":%[1]q,"client":"c","saved":1,"data":{"access_token":"old-%[3]d`+mark+`","refresh_token":"r","token_type":"Bearer","expires_at":4102444800}}`, e.url(), e.as.URL, i)
	}
	path := filepath.Join(t.TempDir(), "tokens.json")
	if err := os.WriteFile(path, []byte(text+"]"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, e := range []*env{one, two} {
		e.mustGet(e.transport(func(o *Options) { o.Store, o.Authorizer = NewFile(path), nil }))
	}
	one.forgetAccess()
	one.mustGet(one.transport(func(o *Options) { o.Store = NewFile(path) }))
	two.mustGet(two.transport(func(o *Options) { o.Store, o.Authorizer = NewFile(path), nil }))
	data, err := os.ReadFile(path)
	for _, name := range []string{`"issuer"`, `"resource"`, `"client"`, `"saved"`, `"client_id"`, `"resource_metadata"`, `"access_token"`, `"token_type":"Bearer"`, `"expires_at"`, `"redirect_uri"`} {
		if err != nil || !strings.Contains(string(data), name) {
			t.Errorf("%v, no %s in %s", err, name, data)
		}
	}
}
