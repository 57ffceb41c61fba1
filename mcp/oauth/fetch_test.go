package oauth

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestZones(t *testing.T) {
	for addr, want := range map[string]zone{
		"8.8.8.8": public, "2606:4700::1111": public, "::ffff:8.8.8.8": public, "64:ff9b::808:808": public, "2002:808:808::1": public,
		"10.0.0.1": private, "172.16.0.1": private, "172.31.255.255": private, "172.32.0.1": public, "192.168.1.1": private,
		"100.64.0.1": private, "198.18.0.1": private, "fc00::1": private, "fd12::1": private, "fec0::1": private, "64:ff9b:1::a00:1": private,
		"::ffff:10.0.0.1": private, "64:ff9b::a00:1": private, "2002:a00:1::1": private,
		"127.0.0.1": loopback, "127.9.9.9": loopback, "::1": loopback, "::ffff:127.0.0.1": loopback, "64:ff9b::7f00:1": loopback,
		"169.254.169.254": linkLocal, "fe80::1": linkLocal, "fe80::1%eth0": linkLocal, "::ffff:169.254.169.254": linkLocal, "2002:a9fe:a9fe::": linkLocal,
		"0.0.0.0": unroutable, "0.1.2.3": unroutable, "::": unroutable, "224.0.0.1": unroutable, "ff02::1": unroutable, "255.255.255.255": unroutable, "240.0.0.1": unroutable, "192.0.2.1": unroutable,
		"::7f00:1": unroutable, "2001::1": unroutable, "3fff::1": unroutable, "5f00::1": unroutable,
	} {
		if got := zoneOf(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: %v, want %v", addr, got, want)
		}
	}
	for _, v := range []struct {
		from, to zone
		want     bool
	}{
		{public, public, true}, {public, private, false}, {public, loopback, false}, {public, linkLocal, false}, {public, unroutable, false},
		{private, public, true}, {private, private, true}, {private, loopback, false}, {private, linkLocal, false},
		{loopback, loopback, true}, {loopback, private, true}, {loopback, linkLocal, false}, {loopback, unroutable, false},
		{linkLocal, linkLocal, true}, {linkLocal, loopback, false}, {unroutable, unroutable, false},
	} {
		if v.from.mayLeadTo(v.to) != v.want {
			t.Errorf("from %v to %v: %v", v.from, v.to, !v.want)
		}
	}
}

func TestFetchableURLs(t *testing.T) {
	for _, v := range []struct {
		resource, url string
		want          bool
	}{
		{"https://example.com/mcp", "https://as.example.com/x", true},
		{"https://example.com/mcp", "http://as.example.com/x", false},
		{"https://example.com/mcp", "http://127.0.0.1/x", false},
		{"https://example.com/mcp", "http://localhost/x", false},
		{"http://127.0.0.1/mcp", "http://localhost:8080/x", true},
		{"http://localhost/mcp", "http://[::1]/x", true},
		{"http://localhost/mcp", "http://localhost.example.com/x", false},
		{"http://10.0.0.1/mcp", "http://10.0.0.1/x", false},
		{"https://example.com/mcp", "https://u:p@example.com/x", false},
		{"https://example.com/mcp", "https:///x", false},
		{"https://example.com/mcp", "https:x", false},
		{"https://example.com/mcp", "ftp://example.com/x", false},
		{"https://example.com/mcp", "//example.com/x", false},
		{"https://example.com/mcp", "javascript:alert(1)", false},
	} {
		r, _ := url.Parse(v.resource)
		if _, err := newFetcher(nil, r, false).parse(v.url); (err == nil) != v.want {
			t.Errorf("%s for %s: %v", v.url, v.resource, err)
		}
	}
	r, _ := url.Parse("http://mcp.internal/mcp")
	if _, err := newFetcher(nil, r, true).parse("http://as.internal/x"); err != nil {
		t.Error(err)
	}
}

// Names are looked through.
func TestNamesWithPrivateAddresses(t *testing.T) {
	names := map[string][]string{
		"public.example.com.":   {"8.8.8.8"},
		"inside.example.com.":   {"10.0.0.1"},
		"machine.example.com.":  {"127.0.0.1"},
		"both.example.com.":     {"8.8.8.8", "127.0.0.1"},
		"metadata.example.com.": {"169.254.169.254"},
	}
	resolver := fakeDNS(t, names)
	for _, v := range []struct{ resource, to, want string }{
		{"public.example.com", "inside.example.com", "private"},
		{"public.example.com", "machine.example.com", "loopback"},
		{"public.example.com", "metadata.example.com", "link-local"},
		{"both.example.com", "machine.example.com", "loopback"},
		{"inside.example.com", "machine.example.com", "loopback"},
		{"inside.example.com", "metadata.example.com", "link-local"},
		{"unknown.example.com", "inside.example.com", "private"},
	} {
		r, _ := url.Parse("https://" + v.resource + "/mcp")
		f := newFetcher(nil, r, false)
		f.rt.Proxy, f.resolver = nil, resolver
		_, err := f.get(t.Context(), &url.URL{Scheme: "https", Host: v.to + ":9", Path: "/x"}, nil)
		if err == nil || !strings.Contains(err.Error(), "must not refer to a "+v.want+" address") || !strings.Contains(err.Error(), v.to) {
			t.Errorf("from %s to %s: %v", v.resource, v.to, err)
		}
	}
	// What a name stood for a moment ago does not count (DNS rebinding): what is
	// looked at is the address that is dialed.
	r, _ := url.Parse("https://public.example.com/mcp")
	f := newFetcher(nil, r, false)
	f.rt.Proxy, f.resolver = nil, resolver
	if z := f.resourceZone(t.Context()); z != public {
		t.Error(z)
	}
	f.resolver = fakeDNS(t, map[string][]string{"public.example.com.": {"127.0.0.1"}})
	_, err := f.get(t.Context(), &url.URL{Scheme: "https", Host: "public.example.com:9", Path: "/x"}, nil)
	if err == nil || !strings.Contains(err.Error(), "a public address must not refer to a loopback address") {
		t.Error(err)
	}
	// Without TLS nothing leaves this machine, whatever its names stand for.
	r, _ = url.Parse("http://127.0.0.1/mcp")
	f = newFetcher(nil, r, false)
	f.rt.Proxy, f.resolver = nil, fakeDNS(t, map[string][]string{"as.localhost.": {"8.8.8.8"}})
	_, err = f.get(t.Context(), &url.URL{Scheme: "http", Host: "as.localhost:9", Path: "/x"}, nil)
	if err == nil || !strings.Contains(err.Error(), "resolves to another machine") {
		t.Error(err)
	}
	// Where the program itself says so, it may be anywhere.
	tr := New("https://public.example.com/mcp", &Options{Issuer: "https://inside.example.com:9/x", Base: &http.Transport{}})
	tr.fetch.resolver = resolver
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond) // it is not there
	defer cancel()
	if _, err := tr.fetch.get(ctx, &url.URL{Scheme: "https", Host: "Inside.example.com:9"}, nil); err == nil || strings.Contains(err.Error(), "must not refer") {
		t.Error(err)
	}
	// The machine itself may be asked by a server that is on it.
	r, _ = url.Parse("https://machine.example.com/mcp")
	f = newFetcher(nil, r, false)
	f.rt.Proxy, f.resolver = nil, resolver
	_, err = f.get(t.Context(), &url.URL{Scheme: "https", Host: "machine.example.com:9", Path: "/x"}, nil)
	if err == nil || strings.Contains(err.Error(), "must not refer") {
		t.Error(err)
	}
}

// fakeDNS returns a resolver that knows these names.
func fakeDNS(t *testing.T, names map[string][]string) *net.Resolver {
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { pc.Close(); <-done })
	go func() { // ends when pc is closed
		defer close(done)
		for buf := make([]byte, 1500); ; {
			n, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = pc.WriteTo(dnsAnswer(buf[:n], names), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", pc.LocalAddr().String())
	}}
}

// dnsAnswer answers a query for addresses of IPv4 (RFC 1035, section 4).
func dnsAnswer(q []byte, names map[string][]string) []byte {
	name, i := "", 12
	for ; q[i] != 0; i += 1 + int(q[i]) {
		name += string(q[i+1:i+1+int(q[i])]) + "."
	}
	kind, end := binary.BigEndian.Uint16(q[i+1:]), i+5
	a := append([]byte{q[0], q[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, q[12:end]...)
	if names[name] == nil {
		a[3] |= 3 // no such name
	} else if kind == 1 {
		for _, addr := range names[name] {
			a[7]++
			a = append(a, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
			b := netip.MustParseAddr(addr).As4()
			a = append(a, b[:]...)
		}
	}
	return a
}

func TestSlowMetadata(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := url.Parse("https://127.0.0.1/mcp")
		f := newFetcher(nil, r, false)
		f.rt.Proxy = nil
		f.rt.DialTLSContext = func(context.Context, string, string) (net.Conn, error) {
			c, s := net.Pipe()
			go func() { // ends when c is closed
				for buf := make([]byte, 1024); ; {
					if _, err := s.Read(buf); err != nil {
						return
					}
				}
			}()
			return c, nil
		}
		start := time.Now()
		_, err := f.get(t.Context(), r, nil)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no response within 10s") || time.Since(start) != fetchTime {
			t.Error(err, time.Since(start))
		}
	})
}

func TestProxy(t *testing.T) {
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String())
		w.Header().Set("Content-Type", "application/json")
	}))
	defer proxy.Close()
	at, _ := url.Parse(proxy.URL)
	r, _ := url.Parse("https://mcp.example.com/mcp")
	f := newFetcher(&http.Transport{Proxy: http.ProxyURL(at)}, r, true)
	f.resolver = fakeDNS(t, nil)
	// The proxy is on this machine, and resolves names.
	a, err := f.get(t.Context(), &url.URL{Scheme: "http", Host: "as.example.com", Path: "/x"}, nil)
	if err != nil || a.status != 200 || len(asked) != 1 || asked[0] != "http://as.example.com/x" {
		t.Error(err, asked)
	}
	// What needs no resolving is seen through.
	if _, err := f.get(t.Context(), &url.URL{Scheme: "http", Host: "169.254.169.254", Path: "/x"}, nil); err == nil || len(asked) != 1 {
		t.Error(err, asked)
	}
}

// Secrets are not sent on, wherever a server says.
func TestPostsAreNotRedirected(t *testing.T) {
	e := newEnv(t)
	for _, path := range []string{"/token", "/register"} {
		e.handle = redirectTo(path, "/elsewhere")
		e.mustFail(e.transport(nil), "redirect", path) // 302, which turns a POST into a GET
	}
	if e.count("/elsewhere") != 0 {
		t.Error("followed")
	}
	// A redirect that keeps the method and the body, to the same path with a slash: the code stays
	// where it was meant for.
	other := newEnv(t)
	for _, target := range []string{"/token/", other.as.URL + "/token"} {
		e.handle = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/token" {
				http.Redirect(w, r, target, http.StatusTemporaryRedirect)
			} else if r.URL.Path == "/token/" {
				t.Error("the code was sent on")
			}
			return r.URL.Path == "/token"
		}
		e.mustFail(e.transport(nil), "/token: the server redirected a request that has secrets")
	}
	if other.count("/token") != 0 {
		t.Error("the code was sent elsewhere")
	}
}

// Nothing is sent without TLS to another machine.
func TestNoTLS(t *testing.T) {
	k := &token{access: mark}
	var sent []string
	base := roundTripper(func(r *http.Request) (*http.Response, error) {
		sent = append(sent, r.Header.Get("Authorization"))
		return &http.Response{StatusCode: 401, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
	})
	for _, allow := range []bool{false, true} {
		sent = nil
		tr := New("http://mcp.internal/mcp", &Options{Base: base, AllowHTTP: allow})
		tr.tok, tr.loaded = k, true
		req, _ := http.NewRequest("GET", "http://mcp.internal/mcp", nil)
		_, err := tr.RoundTrip(req)
		if allow != (len(sent) == 1 && sent[0] == "Bearer "+mark) {
			t.Errorf("AllowHTTP %v: sent %q", allow, sent)
		}
		if err == nil || allow != errors.Is(err, ErrLoginRequired) || !allow && !strings.Contains(err.Error(), "must be https") {
			t.Error(err)
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestInvalidURL(t *testing.T) {
	for _, raw := range []string{"", "x", "ftp://h", "http://u:" + mark + "@h:x/"} {
		tr := New(raw, nil)
		req, _ := http.NewRequest("GET", "http://h/", nil)
		_, err := tr.RoundTrip(req)
		for _, err := range []error{err, tr.Login(t.Context()), tr.Logout(t.Context())} {
			if err == nil || strings.Contains(err.Error(), mark) {
				t.Errorf("%q: %v", raw, err)
			}
		}
	}
}

// The certificates that Options.Base trusts are trusted everywhere.
func TestTLS(t *testing.T) {
	e := newEnvOn(t, httptest.NewTLSServer)
	e.base.TLSClientConfig = e.rs.Client().Transport.(*http.Transport).TLSClientConfig
	e.mustGet(e.transport(nil))
	e.base = &http.Transport{TLSClientConfig: e.base.TLSClientConfig.Clone()}
	for _, s := range []*httptest.Server{e.rs, e.as} {
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
	}
	tr := e.transport(func(o *Options) { o.Authorizer = &robotUser{e: e} })
	tr.fetch.rt.TLSClientConfig = nil
	e.mustFail(tr, "certificate", e.rs.URL)
}

// A transport that is in use can be the base of further Transports.
func TestBaseInUse(t *testing.T) {
	e := newEnvOn(t, httptest.NewTLSServer)
	e.base = &http.Transport{TLSClientConfig: e.rs.Client().Transport.(*http.Transport).TLSClientConfig.Clone(), ForceAttemptHTTP2: true}
	e.base.TLSClientConfig.ServerName = "example.com" // which the certificate of tests has, too
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { e.transport(nil) })
		all.Go(func() {
			req, _ := http.NewRequestWithContext(t.Context(), "GET", e.rs.URL+"/x", nil)
			if resp, err := e.base.RoundTrip(req); err != nil {
				t.Error(err)
			} else {
				resp.Body.Close()
			}
		})
	}
	all.Wait()
	tr := e.transport(nil)
	if name := tr.fetch.rt.TLSClientConfig.ServerName; name != "" {
		t.Errorf("authorization servers are to be %s", name)
	}
	e.mustGet(tr)
}

// The zone of a server is that of the address that it answered from, whatever its
// name resolves to when the client looks for the metadata.
func TestNameOfServerIsReboundToThisMachine(t *testing.T) {
	e := newEnv(t)
	at := e.rs.Listener.Addr().String()
	// The server answers at an address that the client takes for a public one.
	base := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, at)
		return publicConn{c}, err
	}}
	defer base.CloseIdleConnections()
	e.challenge = func(*http.Request) string { return `Bearer resource_metadata="https://127.0.0.1:9/x"` }
	store := NewMemory()
	tr := New("http://rebind.example.com/mcp", &Options{Base: base, Store: store, AllowHTTP: true, Authorizer: &robotUser{e: e}})
	tr.fetch.rt.Proxy = nil
	tr.fetch.resolver = fakeDNS(t, map[string][]string{"rebind.example.com.": {"127.0.0.1"}}) // by now
	for name, f := range map[string]func() error{
		"a request": func() error {
			req, _ := http.NewRequestWithContext(t.Context(), "POST", "http://rebind.example.com/mcp", nil)
			resp, err := tr.RoundTrip(req)
			if err == nil {
				resp.Body.Close()
			}
			return err
		},
		"Login": func() error { return tr.Login(t.Context()) },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), "a public address must not refer to a loopback address") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A later process knows the zone, before it has made a request.
	b := binding{issuer: "https://127.0.0.1:9", resource: "r", client: "c", zone: "public", metadata: "https://127.0.0.1:9/x"}
	for key, data := range map[StoreKey][]byte{tr.bindingKey(): b.encode(), b.key(): (&token{access: "a", refresh: "r"}).encode()} {
		if err := store.Save(t.Context(), key, data); err != nil {
			t.Fatal(err)
		}
	}
	if err := tr.Logout(t.Context()); err == nil || !strings.Contains(err.Error(), "a public address must not refer to a loopback address") {
		t.Errorf("Logout: %v", err)
	}
}

// A publicConn says that its peer has a public address.
type publicConn struct{ net.Conn }

func (publicConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(8, 8, 8, 8), Port: 80} }
