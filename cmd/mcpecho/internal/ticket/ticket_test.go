package ticket

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
)

func TestMain(m *testing.M) { testutil.Main(m) }

func get(t *testing.T, method, url, host string) (status int, location string) {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	testutil.Must(t, err)
	r.Host = host
	resp, err := client.Do(r)
	testutil.Must(t, err)
	_ = resp.Body.Close()
	return resp.StatusCode, resp.Header.Get("Location")
}

// TestTicket leads to the page once, and a second use is noticed. Other requests do not use
// it.
func TestTicket(t *testing.T) {
	const page = "http://127.0.0.1:1/#secret"
	ctx, cancel := context.WithCancel(t.Context())
	warned := make(chan error, 9)
	k, err := New(ctx, page, func(err error) { warned <- err })
	testutil.Must(t, err)
	if strings.Contains(k.URL, "secret") || len(k.path) < 20 {
		t.Error(k.URL)
	}
	for _, other := range [][3]string{{"GET", k.URL + "x", ""}, {"GET", "http://" + k.host + "/favicon.ico", ""}, {"HEAD", k.URL, ""}, {"POST", k.URL, ""}, {"GET", k.URL, "evil.example"}} {
		if status, location := get(t, other[0], other[1], other[2]); status != 404 || location != "" {
			t.Errorf("%v: %d %s", other, status, location)
		}
	}
	if status, location := get(t, "GET", k.URL, ""); status != 302 || location != page {
		t.Errorf("first use: %d %s", status, location)
	}
	<-k.Used
	if status, location := get(t, "GET", k.URL, ""); status != 410 || location != "" || !errors.Is(<-warned, ErrTwice) || len(warned) > 0 {
		t.Errorf("second use: %d %s", status, location)
	}
	cancel()
	if !testutil.Eventually(func() bool { _, err := net.Dial("tcp", k.host); return err != nil }) {
		t.Error("the listener is open")
	}
}

// TestOtherAccount: a request of another account is refused, and does not use the ticket.
func TestOtherAccount(t *testing.T) {
	warned := make(chan error, 9)
	k, err := New(t.Context(), "https://example.com/", func(err error) { warned <- err })
	testutil.Must(t, err)
	own := k.owner
	k.owner = func(*http.Request) error { return errors.New("another account") }
	for range 3 {
		if status, location := get(t, "GET", k.URL, ""); status != 403 || location != "" || len(warned) != 1 {
			t.Errorf("another account: %d %s", status, location)
		}
	}
	k.owner = own
	if status, _ := get(t, "GET", k.URL, ""); status != 302 {
		t.Errorf("the user: %d", status)
	}
}

// TestPeerUID finds the owner of the other end of a connection, over IPv6, too.
func TestPeerUID(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not list connections in files")
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	testutil.Must(t, err)
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	testutil.Must(t, err)
	defer c.Close()
	peer, err := l.Accept()
	testutil.Must(t, err)
	defer peer.Close()
	if uid, known := peerUID(peer.RemoteAddr().String(), peer.LocalAddr().String()); uid != os.Getuid() || !known {
		t.Errorf("uid %d, %v", uid, known)
	}
	if uid, known := peerUID("127.0.0.1:1", peer.LocalAddr().String()); uid != -1 || !known {
		t.Errorf("uid of no connection: %d, %v", uid, known)
	}
}
