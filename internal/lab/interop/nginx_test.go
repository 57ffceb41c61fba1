package interop

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/testutil/wrapped"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

func TestBehindNginx(t *testing.T) {
	path := os.Getenv("STDMCP_NGINX")
	if path == "" {
		t.Skip("did not run: STDMCP_NGINX does not name the program; see scripts/interop")
	}
	origin := strings.TrimSuffix(serveEverything(t, "http /mcp").url, "/mcp")
	modern := strings.TrimSuffix(serveModern(t, true), "/mcp")
	dir := t.TempDir()
	pool := writeCertificate(t, dir)
	backend, secure := freePort(t), freePort(t)
	text, err := os.ReadFile("testdata/nginx.conf")
	testutil.Must(t, err)
	config := strings.NewReplacer("%DIR%", dir, "%PLAIN%", backend, "%TLS%", secure, "%ORIGIN%", origin, "%MODERN%", modern).Replace(string(text))
	testutil.Must(t, os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(config), 0o600))
	cmd := exec.Command(path, "-p", dir, "-c", filepath.Join(dir, "nginx.conf"))
	cmd.Stderr = os.Stderr
	testutil.Must(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
	waitForServer(t, "127.0.0.1:"+backend)

	t.Run("buffered", func(t *testing.T) {
		t.Parallel()
		useEverything(t, streamhttp.New("http://127.0.0.1:"+backend+"/mcp", nil))
		useModern(t, streamhttp.New("http://127.0.0.1:"+backend+"/modern/mcp", nil), mcp.ProtocolVersion20260728, nil)
		longStream(t, streamhttp.New("http://127.0.0.1:"+backend+"/modern/mcp", nil))
	})
	t.Run("HTTP/2 and TLS", func(t *testing.T) {
		t.Parallel()
		rt := &http2Only{rt: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}, t: t}
		defer rt.rt.CloseIdleConnections()
		opts := &streamhttp.Options{Client: &http.Client{Transport: rt}}
		useEverything(t, streamhttp.New("https://127.0.0.1:"+secure+"/mcp", opts))
		useModern(t, streamhttp.New("https://127.0.0.1:"+secure+"/modern/mcp", opts), mcp.ProtocolVersion20260728, nil)
		longStream(t, streamhttp.New("https://127.0.0.1:"+secure+"/modern/mcp", opts))
		if rt.seen.Load() == 0 {
			t.Error("no response arrived over HTTP/2")
		}
	})
	t.Run("unknown certificate", func(t *testing.T) {
		_, err := mcp.Connect(t.Context(), streamhttp.New("https://127.0.0.1:"+secure+"/mcp", nil), nil)
		if err == nil || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("got %v", err)
		}
	})
}

// longStream makes a call whose stream exceeds every buffer of the proxy and lasts
// several seconds.
func longStream(t *testing.T, tr mcp.Transport) {
	t.Helper()
	c, err := mcp.Connect(t.Context(), wrapped.Again(tr), nil)
	testutil.Must(t, err)
	defer c.Close()
	const steps = 3000
	n, first := 0, time.Time{}
	res, err := c.Do(t.Context(), &mcp.ToolCall{Name: "slow", Arguments: map[string]any{"steps": steps, "wait": 1},
		Progress: func(mcp.Progress) {
			if n++; n == 1 {
				first = time.Now()
			}
		}})
	if err != nil || res.Text() != "done" || n != steps {
		t.Errorf("%d steps, %+v, %v", n, res, err)
	}
	if time.Since(first) < time.Second {
		t.Error("all progress arrived at the end")
	}
}

// http2Only counts responses over HTTP/2, and fails the test for any other.
type http2Only struct {
	rt   *http.Transport
	t    *testing.T
	seen atomic.Int32
}

func (h *http2Only) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := h.rt.RoundTrip(req)
	if err == nil {
		if resp.ProtoMajor != 2 {
			h.t.Errorf("%s over %s", req.Method, resp.Proto)
		}
		h.seen.Add(1)
	}
	return resp, err
}

// writeCertificate writes the certificate of package httptest, which is valid for
// 127.0.0.1, and its key, and returns a pool that trusts it.
func writeCertificate(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	key, err := x509.MarshalPKCS8PrivateKey(s.TLS.Certificates[0].PrivateKey)
	testutil.Must(t, err)
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: s.Certificate().Raw},
		"key.pem":  {Type: "PRIVATE KEY", Bytes: key},
	} {
		testutil.Must(t, os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600))
	}
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return pool
}
