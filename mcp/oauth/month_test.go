package oauth

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

// A memoryNetwork has servers in this process, which a bubble needs.
type memoryNetwork struct {
	mu      sync.Mutex
	servers map[string]*memoryListener
}

type memoryListener struct {
	addr  memoryAddr
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

type memoryAddr string

func (a memoryAddr) Network() string { return "memory" }
func (a memoryAddr) String() string  { return string(a) }

func (l *memoryListener) Addr() net.Addr { return l.addr }
func (l *memoryListener) Close() error   { l.once.Do(func() { close(l.done) }); return nil }

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (n *memoryNetwork) start(h http.Handler) *httptest.Server {
	n.mu.Lock()
	addr := "127.0.0.1:" + strconv.Itoa(8000+len(n.servers))
	n.mu.Unlock()
	s := &httptest.Server{Listener: n.listen(addr), Config: &http.Server{Handler: h}}
	s.Start()
	return s
}

func (n *memoryNetwork) listen(addr string) net.Listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := &memoryListener{addr: memoryAddr(addr), conns: make(chan net.Conn), done: make(chan struct{})}
	n.servers[addr] = l
	return l
}

func (n *memoryNetwork) dial(_ context.Context, _, addr string) (net.Conn, error) {
	n.mu.Lock()
	l := n.servers[addr]
	n.mu.Unlock()
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// newMemoryEnv returns an env whose servers are in a memoryNetwork. The fetcher of a
// Transport needs dial, too.
func newMemoryEnv(t *testing.T) (*env, *memoryNetwork) {
	network := &memoryNetwork{servers: make(map[string]*memoryListener)}
	e := newEnvOn(t, network.start)
	e.base.DialContext = network.dial
	return e, network
}

// TestMonthOfTokens: for 30 days of virtual time a token expires every six hours, and once
// a day the server refuses one that has not expired, as after a jump of the clock.
// Every few days the clock was set while the program did not run: the stored token
// claims to have expired, or to be valid for a year. Then there are no calls for a
// month. The user is asked once, and the files of the store and the goroutines are at
// the end what they were after the second day.
func TestMonthOfTokens(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		e, network := newMemoryEnv(t)
		e.tokenAnswer = func(_ url.Values, m map[string]any) { m["expires_in"] = 6 * 3600 }
		robot, store := &robotUser{e: e}, NewFile(filepath.Join(folder, "tokens"))
		open := func() *Transport {
			tr := e.transport(func(o *Options) { o.Authorizer, o.Store = robot, store })
			tr.fetch.rt.DialContext = network.dial
			return tr
		}
		tr := open()
		// jump sets the clock by d, which changes when the stored token expires.
		jump := func(d time.Duration) {
			b := tr.currentBinding()
			data, err := store.Load(t.Context(), b.key())
			if err != nil {
				t.Fatal(err)
			}
			k, err := parseSaved(data)
			if err != nil || k == nil {
				t.Fatal(k, err)
			}
			k.expires = k.expires.Add(-d)
			if err := store.Save(t.Context(), b.key(), k.encode()); err != nil {
				t.Fatal(err)
			}
		}
		day := func(n int) {
			for range 48 {
				e.mustGet(tr)
				time.Sleep(30 * time.Minute)
			}
			e.forgetAccess()
			tr.CloseIdleConnections()
			switch n % 7 {
			case 3:
				jump(365 * 24 * time.Hour)
			case 5:
				jump(-365 * 24 * time.Hour)
			}
			tr = open() // the program restarts
			e.mustGet(tr)
		}
		type use struct{ goroutines, entries, files, bytes int }
		measure := func() (u use) {
			e.base.CloseIdleConnections()
			synctest.Wait()
			entries, _, err := store.read()
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range entries {
				u.bytes += len(v.data)
			}
			files, err := os.ReadDir(folder)
			if err != nil {
				t.Fatal(err)
			}
			u.goroutines, u.entries, u.files = testutil.BubbleGoroutines(), len(entries), len(files)
			return u
		}
		day(1)
		day(2)
		early := measure()
		for n := 3; n <= 30; n++ {
			day(n)
		}
		time.Sleep(30 * 24 * time.Hour)
		e.mustGet(tr)
		late := measure()
		if late.goroutines > early.goroutines || late.entries != early.entries || late.files != early.files || late.bytes > early.bytes+100 {
			t.Errorf("after a month %+v, after two days %+v", late, early)
		}
		if n := e.count("refresh_token"); robot.times != 1 || n < 30*4 || n > 30*6 {
			t.Errorf("the user was asked %d times; %d tokens were refreshed", robot.times, n)
		}
		tr.CloseIdleConnections()
	})
}
