package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// serveHTTP is the server over HTTP. It writes its URL to out, and ends with
// in.
func serveHTTP(in io.Reader, out io.Writer, modern bool) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "http://%s\n", l.Addr())
	go func() { // ends with the process
		_, _ = io.Copy(io.Discard, in)
		os.Exit(0)
	}()
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		id := between(body, `"id":`, ",")
		switch {
		case err != nil:
			w.WriteHeader(http.StatusBadRequest)
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case id == nil:
			w.WriteHeader(http.StatusAccepted)
		default:
			b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
			b = append(b, answer(string(between(body, `"method":"`, `"`)), string(between(body, `"name":"`, `"`)), modern)...)
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(b)
		}
	}))
}

// httpServer starts the server and returns its URL.
func httpServer(tb testing.TB, era string) string {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serverEnv+"=http-"+era)
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		tb.Fatal(err)
	}
	return strings.TrimSpace(url)
}

// What the calls of the benchmarks send.
var (
	legacyHeader = http.Header{
		"Content-Type":         {"application/json"},
		"Accept":               {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2025-11-25"},
	}
	modernHeader = http.Header{
		"Content-Type":         {"application/json"},
		"Accept":               {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"},
		"Mcp-Method":           {"tools/call"},
		"Mcp-Name":             {"echo"},
	}
)

const modernCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"},"_meta":{` +
	`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"stdmcp","version":"0.1.0"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}}}}`

// floorHTTP returns what posts the same and reads the response, but looks at
// nothing.
func floorHTTP(tb testing.TB, era string) func() {
	url, header, body := httpServer(tb, era), legacyHeader, smallCall
	if era == "modern" {
		header, body = modernHeader, modernCall
	}
	hc := &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	tb.Cleanup(hc.CloseIdleConnections)
	msg := []byte(strings.TrimSpace(body))
	return func() {
		req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(msg))
		if err != nil {
			tb.Fatal(err)
		}
		for name, values := range header {
			req.Header[name] = values
		}
		resp, err := hc.Do(req)
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			tb.Fatal(err)
		}
		resp.Body.Close()
	}
}

// callHTTP returns what makes a small call.
func callHTTP(tb testing.TB, era string) func() {
	ctx := context.Background()
	c, err := mcp.Connect(ctx, streamhttp.New(httpServer(tb, era), nil), nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	args := map[string]any{"message": "hello"}
	return func() {
		res, err := c.CallTool(ctx, "echo", args)
		if err != nil || res.Text() != "Echo: hello" {
			tb.Fatal(res, err)
		}
	}
}

func loop(b *testing.B, f func()) {
	b.ReportAllocs()
	for b.Loop() {
		f()
	}
}

func BenchmarkFloorHTTPLegacy(b *testing.B) { loop(b, floorHTTP(b, "legacy")) }

func BenchmarkFloorHTTPModern(b *testing.B) { loop(b, floorHTTP(b, "modern")) }

func BenchmarkCallHTTPLegacy(b *testing.B) { loop(b, callHTTP(b, "legacy")) }

func BenchmarkCallHTTPModern(b *testing.B) { loop(b, callHTTP(b, "modern")) }

// ratioHTTP returns how a small call compares with the floor. They take turns
// of a millisecond each, and the best turns count, as a tenth of the time is
// less than what other programs on the machine may take.
func ratioHTTP(tb testing.TB, era string) float64 {
	const rounds, calls = 1000, 20
	floor, call := floorHTTP(tb, era), callHTTP(tb, era)
	turn := func(f func()) time.Duration {
		start := time.Now()
		for range calls {
			f()
		}
		return time.Since(start)
	}
	var floors, times []time.Duration
	for range rounds {
		floors = append(floors, turn(floor))
		times = append(times, turn(call))
	}
	slices.Sort(floors)
	slices.Sort(times)
	return float64(times[rounds/20]) / float64(floors[rounds/20])
}
