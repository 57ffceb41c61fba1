package oauth

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
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
	defer n.mu.Unlock()
	addr := memoryAddr("127.0.0.1:" + strconv.Itoa(8000+len(n.servers)))
	l := &memoryListener{addr: addr, conns: make(chan net.Conn), done: make(chan struct{})}
	n.servers[string(addr)] = l
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: h}}
	s.Start()
	return s
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

// TestMonthOfTokens: for 30 days of virtual time a token expires every hour, and once
// a day the server refuses one that has not expired, as after a jump of the clock.
// Then there are no calls for a month. The user is asked once, and the store and the
// goroutines are at the end what they were after the second day.
func TestMonthOfTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &memoryNetwork{servers: make(map[string]*memoryListener)}
		e := newEnvOn(t, network.start)
		e.base.DialContext = network.dial
		e.tokenAnswer = func(_ url.Values, m map[string]any) { m["expires_in"] = 3600 }
		robot, store := &robotUser{e: e}, NewMemory()
		open := func() *Transport {
			tr := e.transport(func(o *Options) { o.Authorizer, o.Store = robot, store })
			tr.fetch.rt.DialContext = network.dial
			return tr
		}
		tr := open()
		day := func() {
			for range 48 {
				e.mustGet(tr)
				time.Sleep(30 * time.Minute)
			}
			e.forgetAccess()
			tr.CloseIdleConnections()
			tr = open() // the program restarts
			e.mustGet(tr)
		}
		type use struct{ goroutines, entries, bytes int }
		measure := func() (u use) {
			e.base.CloseIdleConnections()
			synctest.Wait()
			for _, v := range store.data {
				u.bytes += len(v.data)
			}
			u.goroutines, u.entries = runtime.NumGoroutine(), len(store.data)
			return u
		}
		day()
		day()
		early := measure()
		for range 28 {
			day()
		}
		time.Sleep(30 * 24 * time.Hour)
		e.mustGet(tr)
		late := measure()
		if late.goroutines > early.goroutines || late.entries != early.entries || late.bytes > early.bytes+100 {
			t.Errorf("after a month %+v, after two days %+v", late, early)
		}
		if n := e.count("refresh_token"); robot.times != 1 || n < 30*23 || n > 30*30 {
			t.Errorf("the user was asked %d times; %d tokens were refreshed", robot.times, n)
		}
		tr.CloseIdleConnections()
	})
}
