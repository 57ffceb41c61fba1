package httpx

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

// answer returns a response as Do would.
func answer(status int, header http.Header, body string) *http.Response {
	u, _ := url.Parse("https://u:passw0rd@example.com/mcp?key=querysecret")
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: &http.Request{
		Method: "POST", URL: u, Header: http.Header{"Authorization": {"Bearer tokensecret"}, "Mcp-Session-Id": {"sessionsecret"}, "Mcp-Protocol-Version": {"2025-06-18"}},
	}}
}

func TestStatusErrors(t *testing.T) {
	const at = "POST https://example.com/mcp?...: "
	page := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	for _, v := range []struct {
		status int
		header http.Header
		body   string
		want   string
	}{
		{200, page, "<!DOCTYPE html>", at + "200 OK with text/html instead of application/json (a web page)"},
		{200, http.Header{}, "", at + "200 OK with no content type instead of application/json"},
		{200, http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"br"}}, "", at + "200 OK with application/json encoded in br instead of application/json"},
		{202, http.Header{}, "Accepted\n", at + "202 Accepted with no content type instead of application/json (Accepted)"},
		{400, http.Header{}, "bad \x1b[31mversion\x00 2025-06-18", at + "400 Bad Request (bad version? 2025-06-18)"},
		{401, http.Header{"Www-Authenticate": {"Bearer"}}, "", at + "401 Unauthorized, the server asks for authorization"},
		{403, http.Header{}, "Bearer tokensecret, tokensecret, sessionsecret, querysecret, passw0rd", at + "403 Forbidden, the server refuses access (***, ***, ***, ***, ***)"},
		{404, http.Header{}, "", at + "404 Not Found, there is nothing at this URL"},
		{405, http.Header{}, "", at + "405 Method Not Allowed, the URL is not one for this transport"},
		{429, http.Header{"Retry-After": {"7"}}, "", at + "429 Too Many Requests, the server asks for fewer requests, try again in 7s"},
		{503, page, "<html>", at + "503 Service Unavailable, the server or something in front of it failed (a web page)"},
		{500, http.Header{}, strings.Repeat("é", 1000), at + "500 Internal Server Error, the server or something in front of it failed (" + strings.Repeat("é", 100) + "...)"},
		{499, http.Header{}, "", at + "499"},
	} {
		err := Check(answer(v.status, v.header, v.body), "application/json")
		if err == nil || err.Error() != v.want {
			t.Errorf("%d: %v\nwant %s", v.status, err, v.want)
			continue
		}
		var e *httperr.StatusError
		if !errors.As(err, &e) || e.Status != v.status || errors.Is(err, jsonrpc.ErrMalformed) != (v.status < 300) {
			t.Errorf("%d: %#v", v.status, e)
		}
		if e.Temporary() != (v.status == 429 || v.status >= 500) {
			t.Errorf("%d: temporary: %v", v.status, e.Temporary())
		}
		if v.status == 401 && len(e.WWWAuthenticate) != 1 {
			t.Error("no challenge")
		}
	}
	for _, ok := range []error{
		Check(answer(204, http.Header{}, "")),
		Check(answer(200, http.Header{"Content-Type": {" Text/Event-Stream ;charset=utf-8"}}, ""), "application/json", "text/event-stream"),
	} {
		if ok != nil {
			t.Error(ok)
		}
	}
	if e := NewStatusError(answer(500, http.Header{}, strings.Repeat("x", 10000)), ""); len(e.Body) != maxPrefix {
		t.Errorf("%d bytes of the body", len(e.Body))
	}
}

// TestLongFieldsOfStatusErrors: a host keeps up to 256 errors in a channel of events.
func TestLongFieldsOfStatusErrors(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	header := http.Header{"Www-Authenticate": {"Bearer", long, long}, "Content-Type": {"text/" + long + ";" + long}, "Content-Encoding": {long}}
	e := NewStatusError(answer(503, header, ""), "")
	if n := len(strings.Join(e.WWWAuthenticate, "")) + len(e.ContentType) + len(e.ContentEncoding); n > 1000 || e.WWWAuthenticate[0] != "Bearer" {
		t.Errorf("%d bytes", n)
	}
}

func TestRetryAfter(t *testing.T) {
	for field, want := range map[string]time.Duration{
		"": 0, "soon": 0, "-1": 0, "1.5": 0, "0": time.Second, "30": 30 * time.Second,
		"99999999": 5 * time.Minute, "99999999999999999999999": 5 * time.Minute,
		time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat): time.Second,
		time.Now().Add(time.Hour).UTC().Format(http.TimeFormat):  5 * time.Minute,
	} {
		if got := retryAfter(field); got != want {
			t.Errorf("%q: %v, want %v", field, got, want)
		}
	}
}

func TestResolve(t *testing.T) {
	for _, v := range []struct{ base, ref, want string }{
		{"http://h/sse", "/messages?id=1", "http://h/messages?id=1"},
		{"http://h/a/sse", "messages?id=1", "http://h/a/messages?id=1"},
		{"http://h/a/sse/", "messages", "http://h/a/sse/messages"},
		{"http://h/a/sse?x=1", "?id=1", "http://h/a/sse?id=1"},
		{"http://h/a/sse", "../m", "http://h/m"},
		{"http://h/sse", "http://h:80/m", "http://h:80/m"},
		{"https://H/sse", "HTTPS://h:443/m#f", "https://h:443/m"},
		{"https://u:p@h/sse", "https://x:y@h/m", "https://u:p@h/m"},
		{"http://[::1]:8080/sse", "http://[::1]:8080/m", "http://[::1]:8080/m"},
		{"http://h/sse", "", "http://h/sse"},
		{"https://h/sse", "http://h/m", ""},
		{"http://h/sse", "http://h:8080/m", ""},
		{"http://h/sse", "//evil/m?secret", ""},
		{"http://h/sse", "http://h.evil/m", ""},
		{"http://h/sse", "http://h@evil/m", ""},
		{"http://h/sse", "javascript:alert(1)", ""},
		{"http://h/sse", "http:m", ""},
		{"http://h/sse", `http://evil\@h/m`, ""},
		{"http://h/sse", "http://u:secret@[h/", ""},
		{"http://h/sse", "/a\nb", ""},
		{"http://h/sse", "/" + strings.Repeat("x/../", 3000), "http://h/"},
		{"http://h/sse", "/" + strings.Repeat("x", 1<<20) + strings.Repeat("/..", 1<<20), ""},
	} {
		base, err := url.Parse(v.base)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Resolve(base, v.ref)
		switch {
		case v.want == "" && (err == nil || strings.Contains(err.Error(), "secret")):
			t.Errorf("%s at %s: %v, %v", v.ref, v.base, got, err)
		case v.want != "" && (err != nil || got.String() != v.want):
			t.Errorf("%s at %s: %v, %v", v.ref, v.base, got, err)
		}
	}
}

func TestParse(t *testing.T) {
	for _, raw := range []string{"", "h/p", "ftp://h", "http://", "http:///p", "http:p", "mailto:a@b", "http://u:secret@h:x/", "http://u:secret@h/\x7f", "%zz"} {
		if u, err := Parse(raw); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, %v", raw, u, err)
		}
	}
	for raw, want := range map[string]string{"localhost:3000/mcp": "an invalid URL", "u:secret@h/mcp": "an invalid URL", "http://u:p@h/mcp": "http://h/mcp", "/mcp": "/mcp"} {
		if got := Display(raw); got != want {
			t.Errorf("%q is displayed as %q, want %q", raw, got, want)
		}
	}
	u, err := Parse("HTTP://u:secret@h:8080/a%2Fb?key=secret#f")
	if err != nil || Clean(u) != "http://h:8080/a%2Fb?..." || u.String() != "http://u:secret@h:8080/a%2Fb?key=secret" {
		t.Error(u, err)
	}
}
