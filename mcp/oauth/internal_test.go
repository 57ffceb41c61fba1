package oauth

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// A server that the client may ask redirects it, over https, to what is inside the
// user's network under any name.
func TestRedirectsToInternalNames(t *testing.T) {
	asked := 0
	inside := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer inside.Close()
	inside.Config.ErrorLog = log.New(io.Discard, "", 0)
	u, _ := url.Parse(inside.URL)
	to := ""
	first := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, to, http.StatusFound)
	}))
	defer first.Close()
	resource, _ := url.Parse("https://8.8.8.8/mcp")
	f := newFetcher(&http.Transport{TLSClientConfig: inside.Client().Transport.(*http.Transport).TLSClientConfig}, resource, false)
	f.trust(first.URL)
	f.rt.Proxy, f.resolver = nil, fakeDNS(t, map[string][]string{
		"example.com.": {"127.0.0.1"}, "metadata.example.com.": {"169.254.169.254"}, "both.example.com.": {"10.0.0.1", "127.0.0.1"},
	})
	for _, host := range []string{
		"127.0.0.1", "localhost", "example.com", "EXAMPLE.com.", "metadata.example.com", "both.example.com", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]",
		"2130706433", "0x7f000001", "127.1", "0177.0.0.1", "0.0.0.0", "[::]", "[::1]", "[fe80::1%25lo]",
	} {
		to = "https://" + host + ":" + u.Port() + "/.well-known/oauth-authorization-server"
		start, _ := url.Parse(first.URL)
		if a, err := f.get(t.Context(), start, nil); err == nil || asked > 0 {
			t.Errorf("%s: %v, %v", to, a, err)
		} else if strings.Contains(err.Error(), "x509") {
			t.Errorf("%s was connected to: %v", to, err)
		}
	}
	for _, bad := range []string{"http://example.com/", "//u:p@example.com/", "https:opaque", "file:///etc/passwd", "https://"} {
		to = bad
		start, _ := url.Parse(first.URL)
		if _, err := f.get(t.Context(), start, nil); err == nil {
			t.Errorf("%s is followed", to)
		}
	}
}

// A RoundTripper of the program has a proxy on this machine. Its address is not that of
// the server, which must not lead the client to this machine.
func TestProxyOfWrappedTransport(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://127.0.0.1:9/x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer proxy.Close()
	at, _ := url.Parse(proxy.URL)
	inner := &http.Transport{Proxy: http.ProxyURL(at)}
	defer inner.CloseIdleConnections()
	tr := New("http://mcp.example.com/mcp", &Options{Base: roundTripper(inner.RoundTrip), AllowHTTP: true, Authorizer: &robotUser{}})
	tr.fetch.rt.Proxy, tr.fetch.resolver = nil, fakeDNS(t, nil)
	req, _ := http.NewRequestWithContext(t.Context(), "POST", "http://mcp.example.com/mcp", nil)
	if _, err := tr.RoundTrip(req); err == nil || !strings.Contains(err.Error(), "a public address must not refer to a loopback address") {
		t.Error(err)
	}
}
