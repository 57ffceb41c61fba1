package httpx

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/mcp/httperr"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
)

func TestOutcome(t *testing.T) {
	s := httptest.NewServer(nil)
	u, _ := Parse(s.URL)
	s.Close()
	_, refused := newClient(t, nil, nil).Do(t.Context(), &Request{Method: "GET", URL: u})
	for _, v := range []struct {
		err     error
		unknown bool
	}{
		{refused, false},
		{&httperr.RedirectError{}, false},
		{&httperr.StatusError{Status: 404}, false},
		{&httperr.StatusError{Status: 503}, false},
		{&httperr.StatusError{Status: 502}, true},
		{&httperr.StatusError{Status: 200}, true},
		{&requestError{err: io.ErrUnexpectedEOF}, true},
		{&net.OpError{Op: "read", Err: io.EOF}, true},
		{&httperr.TimeoutError{}, true},
	} {
		err := Outcome(v.err)
		if !errors.Is(err, v.err) || err.Error() != v.err.Error() || errors.Is(err, jsonrpc.ErrOutcomeUnknown) != v.unknown {
			t.Errorf("%v: unknown must be %v", err, v.unknown)
		}
	}
}

func TestBestEffort(t *testing.T) {
	if ctx := context.Background(); IsBestEffort(ctx) || !IsBestEffort(BestEffort(ctx)) {
		t.Error("quiet is not told from loud")
	}
}

// TestAdvice: what a user can do depends on the error.
func TestAdvice(t *testing.T) {
	dial := func(text string) error { return &net.OpError{Op: "dial", Err: errors.New(text)} }
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, "")
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&net.OpError{Op: "proxyconnect", Err: dial("connection refused")}, "the proxy"},
		{x509.UnknownAuthorityError{}, "SSL_CERT_FILE"},
		{x509.CertificateInvalidError{Reason: x509.Expired}, "renew"},
		{x509.CertificateInvalidError{Reason: x509.NotAuthorizedToSign}, ""},
		{tls.RecordHeaderError{}, "http://"},
		{errors.New("http: server gave HTTP response to HTTPS client"), "http://"},
		{errors.New(`malformed HTTP response "\x15\x03\x01"`), "https://"},
		{errors.New(`malformed HTTP response "220 mail"`), ""},
		{dial("connection refused"), "no server listens"},
		{&net.OpError{Op: "read", Err: errors.New("connection refused")}, ""},
		{dial("too many open files"), "ulimit"},
		{dial("cannot assign requested address"), "no free port"},
		{dial("no such host"), "needs a proxy"},
		{io.EOF, ""},
	} {
		if got := advice(tt.err); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
	t.Setenv("https_proxy", "http://proxy.example:3128")
	if got := advice(dial("no such host")); got != "" {
		t.Errorf("with a proxy: %q", got)
	}
}

// TestBodiesOfErrors: a page is not quoted, and a body that is encoded is none of the
// media types that a client takes.
func TestBodiesOfErrors(t *testing.T) {
	for _, tt := range []struct {
		kind, body string
		page       bool
	}{{"text/html", "x", true}, {"text/plain", "<p>x", true}, {"text/plain", "x", false}} {
		if text := diag.QuoteBody(tt.kind, tt.body); (text == " (a web page)") != tt.page {
			t.Errorf("%s %s: page is %v", tt.kind, tt.body, !tt.page)
		}
	}
	for coding, want := range map[string]bool{"": true, "identity": true, "Identity": true, "br": false} {
		resp := &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {coding}},
			Body: http.NoBody, Request: &http.Request{URL: &url.URL{}}}
		if err := Check(resp, "application/json"); (err == nil) != want {
			t.Errorf("%q: %v", coding, err)
		}
	}
	for _, tt := range []struct {
		err  error
		want bool
	}{{io.EOF, true}, {io.ErrUnexpectedEOF, true}, {io.ErrClosedPipe, false}, {&httperr.StatusError{Status: 503}, true}, {&httperr.StatusError{Status: 500}, false}} {
		if Unreachable(tt.err) != tt.want {
			t.Errorf("%v: %v", tt.err, !tt.want)
		}
	}
}
