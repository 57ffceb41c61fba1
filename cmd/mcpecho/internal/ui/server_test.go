package ui

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
)

var update = flag.Bool("update", false, "pack the page again")

const host = "127.0.0.1:4000"

// request returns a request of the page itself, to be changed by an attack.
func request(s *Server, method, target, body string) *http.Request {
	r := httptest.NewRequest(method, "http://"+s.host+target, strings.NewReader(body))
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if strings.HasPrefix(target, "/api/") {
		r.Header.Set(tokenHeader, s.token)
	}
	if method == "POST" {
		r.Header.Set("Origin", "http://"+s.host)
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

func answered(s *Server, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// An attack changes a request that would be accepted.
type attack struct {
	name   string
	change func(s *Server, r *http.Request)
	status int // for the API
	page   int // for the page itself
}

func attacks() []attack {
	set := func(name string, values ...string) func(*Server, *http.Request) {
		return func(_ *Server, r *http.Request) { r.Header[name] = values }
	}
	return []attack{
		{"none", func(*Server, *http.Request) {}, 200, 200},
		{"a name that was bound to 127.0.0.1", func(_ *Server, r *http.Request) { r.Host = "evil.example:4000" }, 403, 403},
		{"0.0.0.0", func(_ *Server, r *http.Request) { r.Host = "0.0.0.0:4000" }, 403, 403},
		{"localhost", func(_ *Server, r *http.Request) { r.Host = "localhost:4000" }, 403, 403},
		{"another port", func(_ *Server, r *http.Request) { r.Host = "127.0.0.1:4001" }, 403, 403},
		{"no port", func(_ *Server, r *http.Request) { r.Host = "127.0.0.1" }, 403, 403},
		{"no host", func(_ *Server, r *http.Request) { r.Host = "" }, 403, 403},
		{"another origin", set("Origin", "http://evil.example"), 403, 403},
		{"the origin of another port", set("Origin", "http://127.0.0.1:4001"), 403, 403},
		{"the origin of another scheme", set("Origin", "https://"+host), 403, 403},
		{"the origin null, of a sandboxed frame or a file", set("Origin", "null"), 403, 403},
		{"an empty origin", set("Origin", ""), 403, 403},
		{"two origins", set("Origin", "http://"+host, "http://evil.example"), 403, 403},
		{"a script of another site", set("Sec-Fetch-Site", "cross-site"), 403, 403},
		{"a page of another port", set("Sec-Fetch-Site", "same-site"), 403, 403},
		{"a frame", func(_ *Server, r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Dest", "iframe")
		}, 403, 403},
		{"a link on another page", func(_ *Server, r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Dest", "document")
		}, 403, 200}, // the page has no token, and no access
		{"a WebSocket", func(_ *Server, r *http.Request) {
			r.Header.Set("Connection", "Upgrade")
			r.Header.Set("Upgrade", "websocket")
		}, 403, 403},
		{"no token", func(_ *Server, r *http.Request) { r.Header.Del(tokenHeader) }, 401, 200},
		{"an empty token", set(tokenHeader, ""), 401, 200},
		{"a prefix of the token", func(s *Server, r *http.Request) { r.Header.Set(tokenHeader, s.token[:5]) }, 401, 200},
		{"the token of an earlier start", set(tokenHeader, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), 401, 200},
		{"two tokens", func(s *Server, r *http.Request) { r.Header[tokenHeader] = []string{"x", s.token} }, 401, 200},
		{"the token as a parameter", func(s *Server, r *http.Request) {
			r.Header.Del(tokenHeader)
			r.URL.RawQuery = tokenHeader + "=" + s.token + "&token=" + s.token
		}, 401, 200},
		{"the token as a cookie", func(s *Server, r *http.Request) {
			r.Header.Del(tokenHeader)
			r.Header.Set("Cookie", tokenHeader+"="+s.token)
		}, 401, 200},
	}
}

func TestRequestsOfOthersAreRefused(t *testing.T) {
	b := New(Config{})
	for _, a := range attacks() {
		s := newServer(b, host)
		for _, c := range []struct {
			method, target, body string
			want                 int
		}{
			{"GET", "/", "", a.page}, {"GET", "/app.js", "", a.page}, {"GET", "/api/recording", "", a.status}, {"POST", "/api/clear", "{}", a.status},
		} {
			if a.name == "a link on another page" && c.target == "/app.js" {
				c.want = 403
			}
			r := request(s, c.method, c.target, c.body)
			a.change(s, r)
			w := answered(s, r)
			if w.Code != c.want {
				t.Errorf("%s: %s %s has status %d, want %d: %s", a.name, c.method, c.target, w.Code, c.want, w.Body)
			}
			if w.Code != 200 && strings.Contains(w.Body.String(), s.token) {
				t.Errorf("%s: the refusal shows the token", a.name)
			}
			checkHeader(t, a.name, w.Header())
		}
	}
}

// checkHeader checks what every response has, and what none has.
func checkHeader(t *testing.T, name string, h http.Header) {
	t.Helper()
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'", "require-trusted-types-for 'script'"} {
		if !strings.Contains(h.Get("Content-Security-Policy"), want) {
			t.Errorf("%s: the policy lacks %s", name, want)
		}
	}
	if strings.Contains(h.Get("Content-Security-Policy"), "unsafe") || strings.Contains(h.Get("Content-Security-Policy"), "*") {
		t.Errorf("%s: the policy is %s", name, h.Get("Content-Security-Policy"))
	}
	for key, want := range map[string]string{
		"Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
		"Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		if h.Get(key) != want {
			t.Errorf("%s: %s is %q, want %q", name, key, h.Get(key), want)
		}
	}
	for key := range h {
		if strings.HasPrefix(key, "Access-Control-") || key == "Set-Cookie" {
			t.Errorf("%s: the response has %s", name, key)
		}
	}
}

// endpoints are all that the page requests.
var endpoints = []string{
	"GET /api/events", "GET /api/item", "GET /api/entry", "GET /api/result", "GET /api/arguments", "GET /api/recording",
	"POST /api/call", "POST /api/cancel", "POST /api/answer", "POST /api/complete", "POST /api/connect", "POST /api/compare", "POST /api/follow", "POST /api/clear",
}

// TestEveryEndpointIsProtected also checks that the list is complete: api.go has no other
// one, and whatever begins with /api/ is checked in the same way.
func TestEveryEndpointIsProtected(t *testing.T) {
	source, err := os.ReadFile("api.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(source), "\tcase \"GET /api/") + strings.Count(string(source), "\tcase \"POST /api/"); n != len(endpoints) {
		t.Errorf("api.go has %d endpoints, and the test %d", n, len(endpoints))
	}
	started := func(context.Context, *Setup) (*mcp.Client, func(), error) {
		t.Error("an attack started the server")
		return nil, nil, errDown
	}
	s := newServer(New(Config{Connect: started}), host)
	for _, endpoint := range append(endpoints, "GET /api/", "POST /api/", "GET /api/../api/recording", "GET /api//recording") {
		method, target, _ := strings.Cut(endpoint, " ")
		for _, a := range attacks()[1:] {
			r := request(s, method, target, "{}")
			a.change(s, r)
			if w := answered(s, r); w.Code != a.status {
				t.Errorf("%s: %s has status %d, want %d", a.name, endpoint, w.Code, a.status)
			}
		}
		if method != "POST" {
			continue
		}
		for _, media := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"} {
			r := request(s, method, target, `{"old":"2025-06-18","new":"2026-07-28"}`)
			r.Header.Set("Content-Type", media)
			if w := answered(s, r); w.Code != http.StatusUnsupportedMediaType {
				t.Errorf("%s as %s has status %d", endpoint, media, w.Code)
			}
		}
	}
}

func TestPostsOfFormsAreRefused(t *testing.T) {
	s := newServer(New(Config{}), host)
	for _, media := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json, text/plain", "text/plain; application/json", "application/jsonp"} {
		r := request(s, "POST", "/api/clear", "{}")
		r.Header.Set("Content-Type", media)
		if w := answered(s, r); w.Code != http.StatusUnsupportedMediaType {
			t.Errorf("a POST as %q has status %d", media, w.Code)
		}
	}
	r := request(s, "POST", "/api/clear", "{}")
	r.Header.Del("Origin")
	if w := answered(s, r); w.Code != 403 {
		t.Errorf("a POST without an Origin has status %d", w.Code)
	}
	r = request(s, "POST", "/api/clear", "{}")
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	if w := answered(s, r); w.Code != 200 {
		t.Errorf("a POST as JSON with a charset has status %d", w.Code)
	}
}

func TestOtherMethodsAreRefused(t *testing.T) {
	s := newServer(New(Config{}), host)
	for _, method := range []string{"OPTIONS", "HEAD", "PUT", "DELETE", "PATCH", "TRACE"} {
		for _, target := range []string{"/", "/api/call", "/api/events"} {
			r := request(s, method, target, "")
			r.Header.Set("Access-Control-Request-Method", "POST")
			r.Header.Set("Access-Control-Request-Headers", tokenHeader)
			w := answered(s, r)
			if w.Code != http.StatusMethodNotAllowed {
				t.Errorf("%s %s has status %d", method, target, w.Code)
			}
			checkHeader(t, method+" "+target, w.Header())
		}
	}
	if w := answered(s, request(s, "POST", "/", "{}")); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST / has status %d", w.Code)
	}
	for _, c := range []string{"GET /api/call", "POST /api/events", "POST /api/entry", "GET /api/clear"} {
		method, target, _ := strings.Cut(c, " ")
		if w := answered(s, request(s, method, target, "{}")); w.Code != 404 {
			t.Errorf("%s has status %d", c, w.Code)
		}
	}
}

func TestFilesAreOnlyThoseOfThePage(t *testing.T) {
	s := newServer(New(Config{}), host)
	for target, want := range map[string]string{"/": "text/html; charset=utf-8", "/app.js": "text/javascript; charset=utf-8", "/style.css": "text/css; charset=utf-8"} {
		if w := answered(s, request(s, "GET", target, "")); w.Code != 200 || w.Header().Get("Content-Type") != want || strings.Contains(w.Body.String(), s.token) {
			t.Errorf("%s: status %d, %s", target, w.Code, w.Header())
		}
	}
	for _, target := range []string{"/../server.go", "/%2e%2e/server.go", "//evil.example/app.js", "/page/app.js", "/favicon.ico", "/app.js/", "/.", "/api"} {
		if w := answered(s, request(s, "GET", target, "")); w.Code != 404 {
			t.Errorf("%s has status %d", target, w.Code)
		}
	}
}

func TestBodiesAreLimited(t *testing.T) {
	s := newServer(New(Config{}), host)
	for body, want := range map[string]int{
		`{"call":` + strings.Repeat(" ", maxBody) + "1}": http.StatusRequestEntityTooLarge,
		"":                                  http.StatusBadRequest,
		"[":                                 http.StatusBadRequest,
		`"text"`:                            http.StatusBadRequest,
		`{"x":"` + strings.Repeat("[", 100): http.StatusBadRequest,
	} {
		if w := answered(s, request(s, "POST", "/api/cancel", body)); w.Code != want {
			t.Errorf("a body of %d bytes has status %d, want %d", len(body), w.Code, want)
		}
	}
}

// TestPageIsSmall also checks that no script or style is inline.
func TestPageIsSmall(t *testing.T) {
	size := 0
	for name, data := range pageFiles(t) {
		size += len(data)
		for _, word := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "http://", "javascript:", "style=", "onclick=", "<style", "document.cookie", "localStorage"} {
			if strings.Contains(data, word) {
				t.Errorf("%s contains %s", name, word)
			}
		}
	}
	if limit := 70 << 10; size > limit {
		t.Errorf("the page is %d bytes, want at most %d", size, limit)
	}
}

// TestPageIsPacked: the server serves each file of the folder page unchanged, and packed
// has no other. It compares the decompressed files, as versions of Go compress
// differently.
func TestPageIsPacked(t *testing.T) {
	const pack = "go test ./cmd/mcpecho/internal/ui -run TestPageIsPacked -update"
	files := pageFiles(t)
	if *update {
		writePacked(t, files)
		return // this test binary still has the old packed files
	}
	s := newServer(New(Config{}), host)
	for name, want := range files {
		w := answered(s, request(s, "GET", "/"+name, ""))
		if w.Code != http.StatusOK {
			t.Errorf("/%s has status %d: type %s", name, w.Code, pack)
		} else if w.Body.String() != want {
			t.Errorf("the packed %s differs from page/%s: type %s", name, name, pack)
		}
	}
	entries, err := packed.ReadDir("packed")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".gz"); files[name] == "" {
			t.Errorf("packed/%s has no source in the folder page: type %s", e.Name(), pack)
		}
	}
}

// pageFiles returns the contents of the files of the page by their names.
func pageFiles(t *testing.T) map[string]string {
	t.Helper()
	entries, err := os.ReadDir("page")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		if e.Name() == "go.mod" {
			continue
		}
		data, err := os.ReadFile(filepath.Join("page", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// writePacked writes the folder packed again.
func writePacked(t *testing.T, files map[string]string) {
	t.Helper()
	if err := errors.Join(os.RemoveAll("packed"), os.Mkdir("packed", 0o777)); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.WriteString(w, text)
		if err := errors.Join(err, w.Close(), os.WriteFile(filepath.Join("packed", name+".gz"), b.Bytes(), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestServerIsLoopbackOnly over a real listener, with the token in the fragment only.
func TestServerIsLoopbackOnly(t *testing.T) {
	s, err := Listen(New(Config{}), "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	address, fragment, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), "/#")
	if name, port, err := net.SplitHostPort(address); err != nil || name != "127.0.0.1" || port == "0" || fragment != s.token || len(s.token) < 26 {
		t.Fatalf("the URL is %s", s.URL)
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// HTTP/1.0 without a Host, and a request for a proxy.
	for _, text := range []string{"GET / HTTP/1.0\r\n\r\n", "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n"} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, text)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || res.StatusCode != 403 {
			t.Errorf("%q: %v, %v", text, res, err)
		} else {
			res.Body.Close()
		}
		conn.Close()
	}
}

// TestEndAfterThePageIsClosed: a minute after the last page, once one was open.
func TestEndAfterThePageIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Config{})
		s := newServer(b, host)
		began := time.Now()
		ended := make(chan error, 1)
		go func() { ended <- s.Wait(t.Context()) }() // ends with the pages
		time.Sleep(time.Hour)                        // no page was open
		b.page(1)
		b.page(1)
		b.page(-1)
		time.Sleep(time.Hour)
		b.page(-1)
		time.Sleep(50 * time.Second)
		b.page(1) // the page was reloaded
		time.Sleep(time.Hour)
		b.page(-1)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if d := time.Since(began); d != 3*time.Hour+50*time.Second+time.Minute {
			t.Errorf("ended after %v", d)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errDown)
		if err := s.Wait(ctx); !errors.Is(err, errDown) {
			t.Errorf("after an interrupt: %v", err)
		}
	})
}
