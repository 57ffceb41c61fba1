package interop

import (
	"net"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// freePort returns a port that no process listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testutil.Must(t, err)
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// serveEverything starts server-everything over HTTP and returns its origin.
func serveEverything(t *testing.T, kind string) string {
	t.Helper()
	port := freePort(t)
	startEverything(t, kind, port)
	return "http://127.0.0.1:" + port
}

// startEverything starts server-everything over HTTP on a port, and waits until
// it listens. It runs until the end of the test, or until stop kills it.
func startEverything(t *testing.T, kind, port string) (stop func()) {
	t.Helper()
	cmd := exec.Command("node", script(t, "server-everything"), kind)
	cmd.Env = append(os.Environ(), "PORT="+port)
	testutil.Must(t, cmd.Start())
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(stop)
	waitForServer(t, "127.0.0.1:"+port)
	return stop
}

// waitForServer waits until a server listens at an address.
func waitForServer(t *testing.T, address string) {
	t.Helper()
	if !testutil.Eventually(func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	}) {
		t.Fatal("no server listens on " + address)
	}
}

func TestEverythingOverHTTP(t *testing.T) {
	streamable := serveEverything(t, "streamableHttp") + "/mcp"
	old := serveEverything(t, "sse") + "/sse"
	for name, tr := range map[string]mcp.Transport{
		"streamable":      streamhttp.New(streamable, nil),
		"sse":             sse.New(old, nil),
		"first of, new":   mcp.FirstOf(streamhttp.New(streamable, nil), sse.New(streamable, nil)),
		"first of, older": mcp.FirstOf(streamhttp.New(old, nil), sse.New(old, nil)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			useEverything(t, tr)
		})
	}
}
