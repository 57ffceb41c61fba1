package dialers_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/diag"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
	"github.com/stdmcp/stdmcp/mcp/host/dialers"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// A mortal is a server that server/discover ends, until the test starts it again.
type mortal struct {
	http.RoundTripper
	mu     sync.Mutex
	dead   bool
	probes int
}

func (m *mortal) RoundTrip(r *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(cmpBody(r.Body))
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.dead:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connect: connection refused")}
	case bytes.Contains(body, []byte(`"server/discover"`)):
		m.dead = true
		m.probes++
		return nil, io.EOF
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return m.RoundTripper.RoundTrip(r)
}

func cmpBody(r io.Reader) io.Reader {
	if r == nil {
		return strings.NewReader("")
	}
	return r
}

func (m *mortal) restart() {
	m.mu.Lock()
	m.dead = false
	m.mu.Unlock()
}

// TestServerThatEndsOnTheProbe: the error names the request, and after two deaths the host
// sends initialize first.
func TestServerThatEndsOnTheProbe(t *testing.T) {
	web, err := testserver.StartHTTP(testserver.New(&testserver.Options{ProtocolVersions: []string{mcp.ProtocolVersion20251125}}), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	m := &mortal{RoundTripper: web.Client().Transport}
	client := &http.Client{Transport: m}
	_, err = mcp.Connect(t.Context(), streamhttp.New(web.URL, &streamhttp.Options{Client: client}), nil)
	if !errors.Is(err, diag.ErrEndedByProbe) || !strings.Contains(err.Error(), "the server ended on server/discover") || !strings.Contains(err.Error(), "EOF") ||
		!strings.Contains(err.Error(), "connection refused") {
		t.Error(err)
	}
	h := host.New(&host.Options{Dialers: host.Dialers{config.HTTP: dialers.HTTP(&streamhttp.Options{Client: client})}, Retry: host.Retry{Max: -1}})
	defer h.Shutdown(context.Background())
	m.restart()
	if err := h.AddServer(t.Context(), &host.Server{Name: "x", URL: web.URL}); !errors.Is(err, diag.ErrEndedByProbe) {
		t.Fatal(err)
	}
	for range 2 {
		m.restart()
		err = h.Reconnect(t.Context(), "x")
	}
	if err != nil || m.probes != 3 {
		t.Errorf("%d probes, %v", m.probes, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, err := h.CallTool(ctx, "x", "echo", map[string]any{"message": "hi"}); err != nil {
		t.Error(err)
	}
}
