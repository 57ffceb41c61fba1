package httpx

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestOwnCookies: a connection keeps the cookies of its server, unless the caller has a
// client or cookies of its own.
func TestOwnCookies(t *testing.T) {
	for name, tt := range map[string]struct {
		client *http.Client
		header http.Header
		want   string
	}{
		"no client":           {nil, nil, "a=b"},
		"a client of ours":    {&http.Client{Jar: OwnCookies}, nil, "a=b"},
		"the caller's client": {&http.Client{}, nil, ""},
		"the caller's cookie": {nil, http.Header{"cookie": {"x=y"}}, "x=y"},
	} {
		t.Run(name, func(t *testing.T) {
			u := serve(t, func(w http.ResponseWriter, r *http.Request) {
				http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
				if r.URL.Path == "/from" {
					http.Redirect(w, r, "/to", http.StatusPermanentRedirect)
				}
				io.WriteString(w, r.Header.Get("Cookie"))
			})
			u.Path = "/from"
			c := newClient(t, tt.client, tt.header)
			if c.cookies.Load() != nil {
				t.Error("cookies before the first response")
			}
			for range 2 {
				resp, err := c.Do(t.Context(), &Request{Method: "GET", URL: u})
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || string(got) != tt.want {
					t.Errorf("after the redirect: %q, %v", got, err)
				}
			}
		})
	}
}

func TestCookies(t *testing.T) {
	parse := func(lines ...string) []*http.Cookie {
		return (&http.Response{Header: http.Header{"Set-Cookie": lines}}).Cookies()
	}
	at := func(raw string) *url.URL {
		u, err := Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	many := make([]string, 60)
	for i := range many {
		many[i] = fmt.Sprintf("k%d=v", i)
	}
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			from string
			set  []string
			to   string
			want string
		}{
			{"https://h/mcp", []string{"a=1", "b=2; Path=/; HttpOnly"}, "https://h/other/x", "a=1 b=2"},
			{"https://h", []string{"a=1"}, "https://h", "a=1"},
			{"https://h/v1/sse", []string{"a=1", "b=2; Path=/", "c=3; Path=relative"}, "https://h/messages", "b=2"},
			{"https://h/v1/sse", []string{"a=1", "b=2; Path=/v1", "c=3; Path=/v1/", "d=4; Path=/v"}, "https://h/v1/messages", "a=1 b=2 c=3"},
			{"https://h/v1", []string{"a=1; Path=/v1/", "b=2; Path=/v1"}, "https://h/v1", "b=2"},
			{"https://h/", []string{"a=1; Secure"}, "https://h/", "a=1"},
			{"http://h/", []string{"a=1; Secure", "b=2"}, "http://h/", "b=2"},
			{"https://a.example.com/", []string{"a=1; Domain=example.com", "b=2; Domain=.A.example.com", "c=3; Domain=b.example.com", "d=4; Domain=ample.com"}, "https://a.example.com/", "a=1 b=2"},
			{"https://h/", []string{"a=1", "a=2; Path=/", "b=1", "b=; Max-Age=0"}, "https://h/", "a=2"},
			{"https://h/", []string{"a=1", "a=2; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "b=1; Expires=nonsense"}, "https://h/", "b=1"},
			{"https://h/", []string{"a=1; Max-Age=30", "b=1; Max-Age=90", "c=1; Max-Age=9223372036854775807", "d=1; Max-Age=90; Expires=Thu, 01 Jan 1970 00:00:00 GMT"}, "https://h/", "b=1 c=1 d=1"},
			{"https://h/", []string{`a="quoted"`}, "https://h/", `a="quoted"`},
			{"https://h/", many, "https://h/", strings.Join(many[10:], " ")},
			{"https://h/", []string{"a=" + strings.Repeat("x", 8<<10), "b=" + strings.Repeat("y", 8<<10), "c=1"}, "https://h/", "b=" + strings.Repeat("y", 8<<10) + " c=1"},
			{"https://h/", []string{"a=1", "b=" + strings.Repeat("y", 17<<10)}, "https://h/", "a=1"},
		} {
			c := new(cookies)
			c.SetCookies(at(tt.from), parse(tt.set...))
			time.Sleep(time.Minute)
			req := &http.Request{Header: make(http.Header)}
			for _, k := range c.Cookies(at(tt.to)) {
				req.AddCookie(k)
			}
			if got := strings.ReplaceAll(req.Header.Get("Cookie"), "; ", " "); got != tt.want {
				t.Errorf("%s sets %.80q: %.80q, want %.80q", tt.from, tt.set, got, tt.want)
			}
		}
	})
	OwnCookies.SetCookies(at("https://h/"), parse("a=1"))
	if got := OwnCookies.Cookies(at("https://h/")); got != nil {
		t.Error(got)
	}
}

// TestManyCookies: the header of a response has room for 60,000 cookies, of which package
// net/http returned all until Go 1.25.2.
func TestManyCookies(t *testing.T) {
	const n = 10_000
	list := make([]*http.Cookie, n)
	for i := range list {
		list[i] = &http.Cookie{Name: fmt.Sprint("k", i), Value: "v"}
	}
	var before, after runtime.MemStats
	c := new(cookies)
	runtime.ReadMemStats(&before)
	c.SetCookies(&url.URL{Scheme: "https", Host: "h", Path: "/"}, list)
	runtime.ReadMemStats(&after)
	if of := after.TotalAlloc - before.TotalAlloc; len(c.list) != maxCookies || of > n*maxCookies*40 {
		t.Errorf("%d cookies stay, and take %d MB", len(c.list), of>>20)
	}
}
