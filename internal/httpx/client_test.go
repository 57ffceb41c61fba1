package httpx

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp/httperr"
)

// serve starts a server and returns its URL.
func serve(t *testing.T, h http.HandlerFunc) *url.URL {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	u, err := Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func newClient(t *testing.T, c *http.Client, h http.Header) *Client {
	t.Helper()
	n, err := New("", c, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	return n
}

func TestRedirects(t *testing.T) {
	var foreign int
	other := serve(t, func(http.ResponseWriter, *http.Request) { foreign++ })
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		code := map[string]int{"/301": 301, "/302": 302, "/303": 303, "/307": 307, "/308": 308}[r.URL.Path]
		switch to := r.URL.Query().Get("to"); {
		case code == 0:
			body, _ := io.ReadAll(r.Body)
			io.WriteString(w, r.Method+" "+r.Header.Get("Authorization")+" "+string(body))
		case r.URL.Query().Has("loop"):
			http.Redirect(w, r, r.URL.String(), code)
		case to == "none":
			w.WriteHeader(code)
		default:
			w.Header().Set("Location", to)
			w.WriteHeader(code)
		}
	})
	c := newClient(t, nil, http.Header{"Authorization": {"Bearer hunter2secret"}})
	for _, v := range []struct{ path, err string }{
		{"/307?to=/end", ""},
		{"/308?to=end", ""},
		{"/308?to=/307?to=/end", ""},
		{"/307?to=" + other.String() + "/x%3Fkey=topsecret", "another origin"},
		{"/308?to=https://" + base.Host + "/end", "another origin"},
		{"/307?to=//user:topsecret@" + other.Host, "another origin"},
		{"/307?to=file:///etc/passwd", "another origin"},
		{"/307?to=http:end", "another origin"},
		{"/307?to=:topsecret", "missing or invalid"},
		{"/307?to=none", "missing or invalid"},
		{"/307?to=/" + strings.Repeat("x/../", 4000), "missing or invalid"},
		{"/301?to=/end", "only 307 and 308"},
		{"/302?to=/end", "only 307 and 308"},
		{"/303?to=/end", "only 307 and 308"},
		{"/307?loop", "too many"},
	} {
		u, err := url.Parse(base.String() + v.path)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Do(t.Context(), &Request{Method: "POST", URL: u, Body: []byte("hello")})
		if v.err == "" {
			if err != nil {
				t.Errorf("%s: %v", v.path, err)
				continue
			}
			got, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if string(got) != "POST Bearer hunter2secret hello" || resp.Request.URL.Path != "/end" {
				t.Errorf("%s: %s from %s", v.path, got, resp.Request.URL)
			}
			continue
		}
		var redirect *httperr.RedirectError
		if !errors.As(err, &redirect) || !strings.Contains(err.Error(), v.err) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", v.path, err)
		}
	}
	if foreign != 0 {
		t.Errorf("%d requests to another origin", foreign)
	}
}

func TestCallersClient(t *testing.T) {
	u := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		io.WriteString(w, r.Header.Get("Cookie"))
	})
	jar, _ := cookiejar.New(nil)
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	mine := &http.Client{Transport: tr, Jar: jar, Timeout: time.Nanosecond} // every request takes longer
	before := *mine
	c := newClient(t, mine, nil)
	for _, want := range []string{"", "a=b"} {
		resp, err := c.Do(t.Context(), &Request{Method: "GET", URL: u})
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(got) != want {
			t.Errorf("%q, %v", got, err)
		}
	}
	if mine.Transport != before.Transport || mine.Jar != before.Jar || mine.CheckRedirect != nil ||
		mine.Timeout != before.Timeout || tr.MaxResponseHeaderBytes != 0 {
		t.Error("the caller's client was changed")
	}
}

func TestHeaders(t *testing.T) {
	u := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Header.Get("X-A")+"|"+r.Header.Get("X-B")+"|"+r.Header.Get("Authorization")+"|"+r.Host)
	})
	u.User = url.UserPassword("u", "p")
	mine := http.Header{"x-a": {"1"}, "X-B": {"1"}, "Host": {"example.com"}}
	c := newClient(t, nil, mine)
	mine.Set("X-B", "changed later")
	resp, err := c.Do(t.Context(), &Request{Method: "GET", URL: u, Header: http.Header{"X-B": {"2"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, _ := io.ReadAll(resp.Body); string(got) != "1|2|Basic dTpw|example.com" {
		t.Errorf("got %s", got)
	}
	for name, value := range map[string]string{"X-A": "a\r\nEvil: 1", "X-B": "a\x00", "X-C": "a\nb", "X D": "v", "X-E:": "v", "": "v", "X-\u00e9": "v"} {
		_, err := New("", nil, http.Header{name: {value}})
		if err == nil || strings.Contains(err.Error(), "Evil") {
			t.Errorf("%q: %q: %v", name, value, err)
		}
	}
	if err := CheckHeader(http.Header{"X-A": {"tab\t and \xff", ""}}); err != nil {
		t.Error(err)
	}
}

func TestLargeHeader(t *testing.T) {
	u := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Large", strings.Repeat("x", maxHeader+100))
	})
	if _, err := newClient(t, nil, nil).Do(t.Context(), &Request{Method: "GET", URL: u}); err == nil {
		t.Error("no error")
	}
}

func TestConnectionRefused(t *testing.T) {
	u, _ := Parse("http://" + testutil.FreeAddress(t))
	u.RawQuery = "key=topsecret"
	_, err := newClient(t, nil, nil).Do(t.Context(), &Request{Method: "GET", URL: u})
	if err == nil || !strings.Contains(err.Error(), "onnection refused") || !strings.HasPrefix(err.Error(), "GET http://127.0.0.1:") || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

func TestContextOfTheCaller(t *testing.T) {
	u := serve(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	why := errors.New("changed my mind")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(5*time.Millisecond, func() { cancel(why) })
	if _, err := newClient(t, nil, nil).Do(ctx, &Request{Method: "GET", URL: u}); !errors.Is(err, why) {
		t.Error(err)
	}
}

func TestHTTP2(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Proto)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	u, _ := Parse(s.URL)

	_, err := newClient(t, nil, nil).Do(t.Context(), &Request{Method: "GET", URL: u})
	if err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate of an unknown authority: %v", err)
	}

	c := newClient(t, nil, nil)
	c.own.transport.TLSClientConfig = s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	c.own.transport.TLSClientConfig.NextProtos = nil
	resp, err := c.Do(t.Context(), &Request{Method: "GET", URL: u})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 8)
	if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != "HTTP/2.0" {
		t.Errorf("%q, %v", got, err)
	}
	resp.Body.Close()
	c.Close() // nothing is left of the connection, as TestMain finds out
}

func TestCloseEndsEverything(t *testing.T) {
	u := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	c := newClient(t, nil, nil)
	resp, err := c.Do(t.Context(), &Request{Method: "GET", URL: u})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	c.Close()
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the response goes on")
	}
	if _, err := c.Do(t.Context(), &Request{Method: "GET", URL: u}); err == nil {
		t.Error("a request after Close")
	}
}

// What a server repeats of a request is not told on, whoever has put it there.
func TestSecretsAreRedacted(t *testing.T) {
	const own, added, another = "own-hunter2secret", "added-hunter2secret", "another-hunter2secret"
	u := serve(t, func(w http.ResponseWriter, r *http.Request) {
		said := r.Header.Get("Authorization") + " " + r.Header.Get("X-Api-Key") + " " + r.Header.Get("X-Team")
		if r.URL.Path == "/500" {
			http.Error(w, said, 500)
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(conn, said+"\r\n\r\n")
		conn.Close()
	})
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	adding := roundTripper(func(r *http.Request) (*http.Response, error) {
		made := r.Clone(r.Context())
		made.Header.Set("Authorization", "Bearer "+added)
		made.Header.Set("X-Team", another)
		resp, err := base.RoundTrip(made)
		if err != nil {
			err = Redact(err, made, another)
		}
		return resp, err
	})
	c := newClient(t, &http.Client{Transport: adding}, http.Header{"X-Api-Key": {own}})
	for _, path := range []string{"/500", "/malformed"} {
		at := *u
		at.Path = path
		resp, err := c.Do(t.Context(), &Request{Method: "POST", URL: &at})
		if err == nil {
			if resp.Request.Header.Get("Authorization") != "" {
				t.Error("the request that is returned says too much")
			}
			err = Check(resp)
		}
		if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "***") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
