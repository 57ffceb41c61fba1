package oauth

import (
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

func TestPagesThatBrowsersMayOpen(t *testing.T) {
	for page, want := range map[string]bool{
		"https://example.com/a": true, "http://127.0.0.1:1/a": true,
		"file://example.com/etc/passwd": false, "javascript://example.com/%0aalert(1)": false, "vscode://example.com": false,
		"https:///a": false, "https://:80/a": false, "example.com": false,
	} {
		if _, _, err := browserCommand("linux", page); (err == nil) != want {
			t.Errorf("%s: %v", page, err)
		}
	}
}

func TestCallbacksThatAreRefused(t *testing.T) {
	want := expectedCallback{redirect: "http://127.0.0.1/cb", state: "s", issuer: "https://as.example.com"}
	for name, tt := range map[string]struct {
		response string
		state    string
	}{
		"too long":       {"http://127.0.0.1/cb?state=s&code=" + strings.Repeat("x", 64<<10), "s"},
		"empty state":    {"http://127.0.0.1/cb?state=&code=c", ""},
		"no state":       {"http://127.0.0.1/cb?code=c", ""},
		"another state":  {"http://127.0.0.1/cb?state=t&code=c", "s"},
		"another target": {"http://127.0.0.1/other?state=s&code=c", "s"},
	} {
		want.state = tt.state
		if code, err := parseCallback(tt.response, want); err == nil {
			t.Errorf("%s: accepted %.20s", name, code)
		}
	}
}

func TestNoncesThatAreKept(t *testing.T) {
	u, _ := url.Parse("https://example.com/mcp")
	for name, tt := range map[string]struct {
		nonce, sent string
		want        bool
	}{
		"new": {"b", "a", true}, "the same": {"a", "a", false}, "none": {"", "a", false},
		"the longest": {strings.Repeat("x", 1024), "", true}, "too long": {strings.Repeat("x", 1025), "", false},
	} {
		tr := New(u.String(), nil)
		if got := tr.keepNonce(u, http.Header{"Dpop-Nonce": {tt.nonce}}, tt.sent); got != tt.want || (tr.nonceFor(u) != "") != tt.want {
			t.Errorf("%s: kept %v", name, got)
		}
	}
}

func TestKeyOfSteppedUpToken(t *testing.T) {
	s := &server{}
	s.dpop, s.dpopAlgs = true, []string{"ES256"}
	tr := New("https://example.com/mcp", nil)
	if key, _, err := tr.proofKey(s, &token{}, demand{stepUp: true}); key != nil || err != nil {
		t.Errorf("a bearer token steps up with a key: %v, %v", key, err)
	}
	if !(demand{scope: "a"}).satisfiedBy(&token{}) {
		t.Error("the scope of a 401 is compared with that of the token, which the server has not refused for its scope")
	}
}

func TestMalformedTokensAndSignatures(t *testing.T) {
	part := base64.RawURLEncoding.EncodeToString([]byte(`{"a":"` + strings.Repeat("x", 1<<20) + `"}`))
	if _, err := parseJWT("e30." + part + ".e30"); err == nil {
		t.Error("a token of more than 1 MiB is accepted")
	}
	integer := func(n int) []byte {
		return append([]byte{2, byte(n)}, []byte(strings.Repeat("\x7f", n))...)
	}
	for name, pair := range map[string][2]int{"R": {33, 32}, "S": {32, 33}} {
		body := append(integer(pair[0]), integer(pair[1])...)
		if _, err := joinASN1(append([]byte{0x30, byte(len(body))}, body...)); err == nil {
			t.Errorf("a signature whose %s is too long is accepted", name)
		}
	}
}

func TestConfigurationThatIsRefused(t *testing.T) {
	e := newEnv(t)
	e.mustFail(e.transport(func(o *Options) {
		o.Authorizer, o.Issuer, o.Grant, o.Client = nil, e.as.URL, ClientCredentials{}, Client{Secret: mark}
	}), "with an ID")
	e.mustFail(e.transport(func(o *Options) { o.Resource = "https://other.example.com/mcp" }), "resource")
	for _, uri := range []string{"http://example.com/cb", "http://192.168.0.1/cb", "https://127.0.0.1/cb", "http://0.0.0.0/cb"} {
		if r, err := (&Loopback{RedirectURI: uri}).Listen(t.Context(), ""); err == nil {
			_ = r.Close()
			t.Errorf("listens for %s", uri)
		}
	}
}

// TestRedirectsOfMetadata: at most maxRedirects, and none without a valid Location.
func TestRedirectsOfMetadata(t *testing.T) {
	for name, location := range map[string]string{"endless": "/next", "none": "", "malformed": "http://[::1", "long": "/" + strings.Repeat("x/../", 4000)} {
		var n atomic.Int64
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n.Add(1); location != "" {
				w.Header().Set("Location", location)
			}
			w.WriteHeader(http.StatusFound)
		}))
		tr := New(s.URL+"/mcp", nil)
		u, _ := url.Parse(s.URL)
		want := int64(1)
		if name == "endless" {
			want = maxRedirects + 1
		}
		if _, err := tr.fetch.get(t.Context(), u, nil); err == nil || n.Load() != want {
			t.Errorf("%s: %d requests, %v", name, n.Load(), err)
		}
		tr.CloseIdleConnections()
		tr.fetch.rt.CloseIdleConnections()
		s.Close()
	}
}

func TestHeadersOfPrograms(t *testing.T) {
	var got atomic.Pointer[string]
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := strings.Join(r.Header.Values("X-Key"), ",")
		got.Store(&v)
	}))
	defer s.Close()
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	req, _ := http.NewRequest(http.MethodGet, s.URL, nil)
	req.Header.Set("X-Key", "own")
	resp, err := StaticHeader(s.URL, "X-Key", Static("valid"), base).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if *got.Load() != "own" {
		t.Errorf("the program's own value became %q", *got.Load())
	}
	called := false
	recorder := roundTripFunc(func(*http.Request) (*http.Response, error) { called = true; return nil, io.EOF })
	req, _ = http.NewRequest(http.MethodGet, s.URL, nil)
	if _, err := StaticHeader(s.URL, "X-Key", Static("a\r\nX-Other: b"), recorder).RoundTrip(req); err == nil || called {
		t.Errorf("a value with a line break is sent: %v", err)
	}
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestLongRequestToLoopback: what the receiver reads of a request is limited.
func TestLongRequestToLoopback(t *testing.T) {
	ours, theirs := net.Pipe()
	ended := make(chan struct{})
	go func() { // ends when the request is refused
		defer close(ended)
		u, _ := url.Parse("http://127.0.0.1/cb")
		(&receiver{uri: u}).serveOne(theirs, expectation{state: "s"}, func() {}, func(string) { t.Error("a request of 128 KiB is accepted") })
		_ = theirs.Close()
	}()
	go func() { _, _ = io.Copy(io.Discard, ours) }() // ends with the pipe
	_, _ = io.WriteString(ours, "GET /cb?state=s&code=c HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "+strings.Repeat("x", 128<<10)+"\r\n\r\n")
	_ = ours.Close()
	<-ended
}

// TestRequestsThatAreNoResponse: the receiver takes GET requests with its state only.
func TestRequestsThatAreNoResponse(t *testing.T) {
	const rest = " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n"
	for request, tt := range map[string]struct {
		state string
		want  bool
	}{
		"GET /cb?state=s&code=c":         {"s", true},
		"POST /cb?state=s&code=c":        {"s", true},
		"HEAD /cb?state=s&code=c":        {"s", false},
		"GET /cb?state=&code=c":          {"", false},
		"GET /cb?state=x&state=s&code=c": {"s", false},
		"GET /other?state=s&code=c":      {"s", true}, // only a server that knows the state can send it
	} {
		ours, theirs := net.Pipe()
		taken, ended := false, make(chan struct{})
		go func() { // ends with the request
			defer close(ended)
			u, _ := url.Parse("http://127.0.0.1/cb")
			(&receiver{l: &Loopback{}, uri: u}).serveOne(theirs, expectation{state: tt.state}, func() {}, func(string) { taken = true })
			_ = theirs.Close()
		}()
		_, _ = io.WriteString(ours, request+rest)
		_, _ = io.Copy(io.Discard, ours)
		<-ended
		if _ = ours.Close(); taken != tt.want {
			t.Errorf("%s, for the state %q: taken is %v", request, tt.state, taken)
		}
	}
}
