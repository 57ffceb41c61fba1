package httpx

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"strings"

	"github.com/stdmcp/stdmcp/internal/diag"
)

// advice returns what a user can do about a request that got no response, after a
// semicolon, or "".
func advice(err error) string {
	op, _ := diag.Find[*net.OpError](err)
	_, unknownAuthority := diag.Find[x509.UnknownAuthorityError](err)
	certificate, invalid := diag.Find[x509.CertificateInvalidError](err)
	_, noTLS := diag.Find[tls.RecordHeaderError](err)
	switch {
	case op != nil && op.Op == "proxyconnect":
		return "; this is the proxy that the environment names: check HTTP_PROXY, HTTPS_PROXY and NO_PROXY"
	case unknownAuthority:
		return "; if a private authority or a proxy has signed the certificate, set SSL_CERT_FILE to the authority's"
	case invalid && certificate.Reason == x509.Expired:
		return "; renew the server's certificate, or check the clock of this machine"
	case noTLS || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "; the server speaks plain HTTP: use http://"
	case strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`):
		return "; the server speaks TLS: use https://"
	case IsRefused(err):
		return "; no server listens there: check the host and the port, and that the server runs"
	case op != nil && op.Op == "dial" && strings.Contains(err.Error(), "too many open files"):
		return "; this process has all the files and connections open that it may (ulimit -n): close clients, or let them share an http.Client"
	case op != nil && op.Op == "dial" && strings.Contains(err.Error(), "assign requested address"): // macOS: "can't assign"
		return "; this machine has no free port for a connection to there: let clients share an http.Client"
	case op != nil && op.Op == "dial" && !hasProxy():
		return "; check the host, and whether this network needs a proxy (HTTPS_PROXY)"
	}
	return ""
}

// IsRefused reports whether err says that no server listens at an address.
func IsRefused(err error) bool {
	op, _ := diag.Find[*net.OpError](err)
	return op != nil && op.Op == "dial" && strings.Contains(err.Error(), "refused") // on any system
}

// hasProxy reports whether the environment names a proxy.
func hasProxy() bool {
	for _, name := range [...]string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		if os.Getenv(name) != "" {
			return true
		}
	}
	return false
}
