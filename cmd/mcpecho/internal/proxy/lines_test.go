package proxy

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp/jsonrpc"
	"github.com/stdmcp/stdmcp/mcp/stdio"
)

// TestLinesArriveAsTheyWereSent: requests keep their order, and everything in a line
// its form: ids, _meta, unknown members, batches, JSON over several lines, mistakes.
// The server returns every line, so this is so in both directions.
func TestLinesArriveAsTheyWereSent(t *testing.T) {
	t.Parallel()
	c := serveLines(t, program("cat"))
	lines := []string{
		`{"jsonrpc":"2.0","id":1.50,"method":"x","params":{"_meta":{"progressToken":"é\u00e9","k":[1e3]}},"unknown":{"a":null}}`,
		`[{"jsonrpc":"2.0","id":"a","method":"x"},{"jsonrpc":"2.0","method":"y"},7]`,
		`{"jsonrpc":"1.0","id":1}`,
		`{"id":`, `"broken`,
		"not JSON at all",
		"{", `"jsonrpc":"2.0",`, `"id":7,"method":"several/lines"`, "}",
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"twice"}`,
	}
	for i := range 2000 {
		lines = append(lines, request(i, "n", `{ "i" : `+fmt.Sprint(i)+`}`))
	}
	go c.send(lines...)
	for i, want := range lines {
		if got := c.line(); got != want {
			t.Fatalf("line %d is %s, want %s", i, got, want)
		}
	}
	c.in.Close()
	go io.Copy(io.Discard, c.out) // errors for the requests; ends with the proxy
	if err := c.result(); err != nil {
		t.Error(err)
	}
}

// TestClientsGetNoMark: most clients do not read a byte order mark.
func TestClientsGetNoMark(t *testing.T) {
	t.Parallel()
	c := serveLines(t, program("cat"))
	go c.send("\ufeff" + `{"jsonrpc":"2.0","method":"x"}`)
	if got, want := c.line(), `{"jsonrpc":"2.0","method":"x"}`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestResponsesAfterTheEndOfInput: a client such as printf closes its output after the
// last request, and still gets all responses.
func TestResponsesAfterTheEndOfInput(t *testing.T) {
	t.Parallel()
	c := serveLines(t, echo(nil))
	go func() {
		c.send(initialize, initialized)
		for i := range 500 {
			c.send(callEcho(i+1, strings.Repeat("x", 1000)))
		}
		c.in.Close()
	}()
	seen := map[string]bool{}
	for range 501 {
		m, err := jsonrpc.Parse([]byte(c.line()))
		if err != nil || m.Result == nil {
			t.Fatal(m, err)
		}
		seen[m.ID.String()] = true
	}
	if err := c.result(); err != nil || len(seen) != 501 {
		t.Errorf("%d responses, %v", len(seen), err)
	}
}

// TestServerDiesInInitialize: the client gets the reason as the response, at once.
func TestServerDiesInInitialize(t *testing.T) {
	t.Parallel()
	c := serveLines(t, program("die"))
	c.send(initialize)
	m, err := jsonrpc.Parse([]byte(c.line()))
	if err != nil || m.ID != jsonrpc.NumberID(0) || m.Error == nil || !strings.Contains(m.Error.Message, "exited with status 3: fatal: no such database") {
		t.Errorf("%v, %v", m, err)
	}
	var exit *stdio.ExitError
	if err := c.result(); !errors.As(err, &exit) {
		t.Error(err)
	}
}

func TestServerThatCannotStart(t *testing.T) {
	t.Parallel()
	c := serveLines(t, command([]string{"/nonexistent/server"}))
	c.send(initialize)
	if m, err := jsonrpc.Parse([]byte(c.line())); err != nil || m.Error == nil || !strings.Contains(m.Error.Message, "/nonexistent/server") {
		t.Errorf("%v, %v", m, err)
	}
	if err := c.result(); err == nil {
		t.Error("no error")
	}
}

// TestClientLeaves: the server ends with its client, even if it ignores the end of its
// input, or a request is pending.
func TestClientLeaves(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(c *lineClient){
		"end of input": func(c *lineClient) { c.in.Close() },
		"both ends":    func(c *lineClient) { c.in.Close(); c.end.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := serveLines(t, program("stay"))
			m, err := jsonrpc.Parse([]byte(c.line()))
			if err != nil {
				t.Fatal(err)
			}
			pid := strings.Trim(string(m.Params), `{"pid:}`)
			leave(c)
			if err := c.result(); err != nil {
				t.Error(err)
			}
			if _, err := exec.LookPath("kill"); err == nil && processExists(pid) {
				t.Error("the server is still there")
			}
		})
	}
}

// TestPendingRequestAfterTheEndOfInput: a server that does not respond has ten seconds.
func TestPendingRequestAfterTheEndOfInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := testserver.New(&testserver.Options{Fault: "never-answers"})
		c := serveLines(t, inMemory(server))
		c.send(initialize)
		c.line()
		c.send(initialized, callEcho(1, "never"))
		go io.Copy(io.Discard, c.out) // ends with the proxy
		began := time.Now()
		c.in.Close()
		if err := c.result(); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took < drainTime || took > 2*drainTime {
			t.Errorf("it took %v", took)
		}
	})
}

// TestClientStopsReading: the proxy waits for its client only for so long, even in the
// middle of a message of 64 MiB, and keeps only that message.
func TestClientStopsReading(t *testing.T) {
	long := `{"jsonrpc":"2.0","id":1,"method":"x","params":{"text":"` + strings.Repeat("x", 4<<20) + `"}}`
	synctest.Test(t, func(t *testing.T) {
		near, far := jsonrpcPipe()
		o := inMemory(nil)
		o.Open = openStream(near)
		c := serveLines(t, o)
		go func() { _, _ = far.Write([]byte(long + "\n" + long + "\n")) }()
		if _, err := c.out.Peek(1000); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := c.result(); err != errStalled {
			t.Error(err)
		}
		if took := time.Since(began); took != stallTime {
			t.Errorf("it took %v", took)
		}
		c.end.Close()
	})
}

// TestErasThatDiffer: the refusal arrives as it was sent, and the proxy says why the
// client and the server do not understand each other, and ends.
func TestErasThatDiffer(t *testing.T) {
	for name, test := range map[string]struct{ speaks, request, want string }{
		"modern server": {"2026-07-28", initialize, "this server speaks 2026-07-28 only, the client 2025-11-25"},
		"legacy server": {"2025-11-25", request(1, "server/discover", modernMeta), "the client 2026-07-28"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := serveLines(t, inMemory(testserver.New(&testserver.Options{ProtocolVersions: []string{test.speaks}})))
				c.send(test.request)
				m, err := jsonrpc.Parse([]byte(c.line()))
				if err != nil || m.Error == nil {
					t.Errorf("%v, %v", m, err)
				}
				var mismatch *MismatchError
				if err := c.result(); !errors.As(err, &mismatch) || !strings.Contains(err.Error(), test.want) {
					t.Error(err)
				}
			})
		})
	}
}

// TestClientOfBothEras may be refused once, in whatever order it asks.
func TestClientOfBothEras(t *testing.T) {
	for _, speaks := range []string{"2026-07-28", "2025-11-25"} {
		synctest.Test(t, func(t *testing.T) {
			c := serveLines(t, inMemory(testserver.New(&testserver.Options{ProtocolVersions: []string{speaks}})))
			first, second := initialize, request(1, "server/discover", modernMeta)
			if speaks == "2025-11-25" {
				first, second = second, first
			}
			c.send(first)
			if m, err := jsonrpc.Parse([]byte(c.line())); err != nil || m.Error == nil {
				t.Errorf("%v, %v", m, err)
			}
			time.Sleep(mismatchTime - time.Second)
			c.send(second)
			if m, err := jsonrpc.Parse([]byte(c.line())); err != nil || m.Result == nil {
				t.Errorf("%v, %v", m, err)
			}
			time.Sleep(10 * mismatchTime)
			c.in.Close()
			if err := c.result(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAddedTime prints what the proxy adds to a small call over stdio: at most 0.3 ms.
func TestAddedTime(t *testing.T) {
	skipMeasurement(t)
	direct := directCalls(t)
	c := serveLines(t, echo(nil))
	c.send(initialize)
	c.line()
	c.send(initialized)
	const n, limit = 200, 300 * time.Microsecond
	roundTrips := func(call func()) time.Duration {
		return testutil.Best(func() {
			for range n {
				call()
			}
		}) / n
	}
	through := roundTrips(func() { c.send(callEcho(1, "x")); c.line() })
	alone := roundTrips(direct)
	t.Logf("a small call takes %v through the proxy and %v without it", through, alone)
	if through-alone > limit {
		t.Errorf("the proxy adds %v, want at most %v", through-alone, limit)
	}
	c.in.Close()
	_ = c.result()
}
