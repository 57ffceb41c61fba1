package proxy

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// TestMain makes the test binary a server when its environment says so, and fails if
// the tests leak goroutines.
func TestMain(m *testing.M) {
	childserver.Main()
	if mode := os.Getenv("PROXY_SERVER"); mode != "" {
		runServer(mode)
		os.Exit(0)
	}
	testutil.Main(m)
}

// runServer is a server that does one thing.
func runServer(mode string) {
	in := bufio.NewReader(os.Stdin)
	switch mode {
	case "cat": // returns every line
		_, _ = io.Copy(os.Stdout, in)
	case "die": // on the first request
		_, _ = in.ReadString('\n')
		fmt.Fprintln(os.Stderr, "fatal: no such database")
		os.Exit(3)
	case "stay": // whatever happens
		fmt.Printf(`{"jsonrpc":"2.0","method":"pid","params":{"pid":%d}}`+"\n", os.Getpid())
		for {
			time.Sleep(time.Hour)
		}
	}
}

// program returns options for a server that is a child process in a mode of runServer.
func program(mode string) *Options { return command([]string{os.Args[0]}, "PROXY_SERVER="+mode) }

// echo returns options for the test server as a child process.
func echo(o *testserver.Options) *Options {
	args, env := childserver.Command(o)
	return command(args, env...)
}

func command(args []string, env ...string) *Options {
	t := stdio.Command(args[0], args[1:]...)
	t.Env = append(env, "GORACE=atexit_sleep_ms=0")
	return &Options{Modern: true, Note: func(string) {}, Open: func(ctx context.Context, _ *Tap, dropped func([]byte, string)) (jsonrpc.Stream, error) {
		return t.OpenStream(ctx, jsonrpc.Handler{Dropped: func(_ error, line []byte) { dropped(line, "") }})
	}}
}

// inMemory returns options for a server in the process of the test.
func inMemory(server *testserver.Server) *Options {
	return &Options{Modern: true, Note: func(string) {}, Open: func(ctx context.Context, _ *Tap, dropped func([]byte, string)) (jsonrpc.Stream, error) {
		return stdio.Stream(server.Pipe()).OpenStream(ctx, jsonrpc.Handler{Dropped: func(_ error, line []byte) { dropped(line, "") }})
	}}
}

// A lineClient is a client of ServeLines.
type lineClient struct {
	t    testing.TB
	in   *io.PipeWriter
	out  *bufio.Reader
	end  *io.PipeReader // of out
	done chan error     // the result of ServeLines
}

func serveLines(t testing.TB, o *Options) *lineClient {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &lineClient{t: t, in: inW, out: bufio.NewReader(outR), end: outR, done: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { // ends with the client
		err := ServeLines(ctx, inR, outW, o)
		_ = outW.Close()
		_ = inR.Close()
		c.done <- err
	}()
	t.Cleanup(func() {
		cancel()
		_ = inW.Close()
		_ = outR.Close()
		_ = inR.Close()
	})
	return c
}

func (c *lineClient) send(lines ...string) {
	if _, err := io.WriteString(c.in, strings.Join(lines, "\n")+"\n"); err != nil {
		c.t.Error(err)
	}
}

func (c *lineClient) line() string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

// result returns the error of ServeLines.
func (c *lineClient) result() error {
	c.t.Helper()
	select {
	case err := <-c.done:
		return err
	case <-time.After(2 * testutil.Timeout): // more than stallTime
		c.t.Fatal("the proxy has not ended")
		return nil
	}
}

// request returns a request of the legacy era.
func request(id any, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":%q,"params":%s}`, id, method, params)
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func callEcho(id any, message string) string {
	return request(id, "tools/call", `{"name":"echo","arguments":{"message":`+strconv.Quote(message)+`}}`)
}

// processExists reports whether a process runs.
func processExists(pid string) bool { return exec.Command("kill", "-0", pid).Run() == nil }

// A notes collects what the user sees.
type notes struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (n *notes) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.text.WriteString(line + "\n")
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}
