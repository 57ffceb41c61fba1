package interop

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/testutil/process"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/stdio"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// peer returns the path of a server of internal/lab/peers/servers, which uses another
// Go library.
func peer(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("STDMCP_PEERS")
	if dir == "" {
		t.Skip("did not run: STDMCP_PEERS does not name the folder with the servers; see scripts/interop")
	}
	return filepath.Join(dir, name)
}

// servePeer starts a peer and returns its origin.
func servePeer(t *testing.T, name string) string {
	t.Helper()
	return serving(t, exec.Command(peer(t, name)))
}

// serving starts a server until the end of the test, and returns the first line
// that it prints: where it listens.
func serving(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	p, err := process.Start(cmd)
	testutil.Must(t, err)
	t.Cleanup(func() {
		p.Kill()
		_ = p.Close()
	})
	line, err := p.Line()
	testutil.Must(t, err)
	return strings.TrimSpace(line)
}

func TestServersOfGoPeers(t *testing.T) {
	all := []string{mcp.ProtocolVersion20260728, mcp.ProtocolVersion20251125, mcp.ProtocolVersion20250618, mcp.ProtocolVersion20250326}
	for name, paths := range map[string]map[string][]string{
		"go-sdk": {"/mcp": all[1:], "/json": all[1:], "/stateless": all}, // with sessions it supports the legacy era only
		"mcp-go": {"/mcp": all, "/stateless": all},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, version := range all {
				useModern(t, stdio.Command(peer(t, name), "stdio"), version, []string{version})
			}
			origin := servePeer(t, name)
			for path, versions := range paths {
				url := origin + path
				// mcp-go sends the progress of a call over the call's stream or
				// the session's, so that its order is not defined.
				opts := &streamhttp.Options{NoStream: name == "mcp-go"}
				for _, version := range versions {
					useModern(t, streamhttp.New(url, opts), version, []string{version})
				}
				useModern(t, mcp.FirstOf(streamhttp.New(url, nil), sse.New(url, nil)), versions[0], nil)
			}
			url := origin + "/sse"
			useModern(t, sse.New(url, nil), mcp.ProtocolVersion20241105, []string{mcp.ProtocolVersion20241105})
			useModern(t, mcp.FirstOf(streamhttp.New(url, nil), sse.New(url, nil)), mcp.ProtocolVersion20251125, nil)
		})
	}
}
