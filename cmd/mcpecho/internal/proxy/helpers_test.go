package proxy

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"testing"

	"github.com/stdmcp/stdmcp/internal/eventstream"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/internal/wire"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

const modernMeta = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}`

// jsonrpcPipe returns both ends of a connection in memory.
func jsonrpcPipe() (near, far net.Conn) { return net.Pipe() }

// openStream returns a function that opens a stream of conn.
func openStream(conn io.ReadWriteCloser) func(context.Context, *Tap, func([]byte, string)) (jsonrpc.Stream, error) {
	return func(ctx context.Context, _ *Tap, dropped func([]byte, string)) (jsonrpc.Stream, error) {
		t := stdio.Stream(conn)
		t.MaxMessage = maxMessage
		return t.OpenStream(ctx, jsonrpc.Handler{Dropped: func(_ error, line []byte) { dropped(line, "") }})
	}
}

func newEvents(r io.Reader) *eventstream.Reader { return eventstream.NewReader(r, 0) }

// skipMeasurement skips a test of times where these are not those of a program alone.
func skipMeasurement(t *testing.T) {
	if testing.Short() || raceEnabled || os.Getenv("STDMCP_BESIDE") != "" {
		t.Skip("measures time alone: without -short, -race and STDMCP_BESIDE")
	}
}

// directCalls starts the test server and returns a function that calls it over pipes,
// as a client without a proxy does.
func directCalls(t *testing.T) func() {
	args, env := childserver.Command(nil)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), append(env, "GORACE=atexit_sleep_ms=0")...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	out := bufio.NewReader(stdout)
	send := func(line string) { _, _ = io.WriteString(in, line+"\n") }
	send(initialize)
	_, _ = out.ReadString('\n')
	send(initialized)
	return func() {
		send(callEcho(1, "x"))
		_, _ = out.ReadString('\n')
	}
}

// lookup returns the JSON text of a member.
func lookup(text []byte, path ...string) string { return string(wire.Lookup(text, path...)) }
