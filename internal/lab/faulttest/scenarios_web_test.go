package faulttest

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/sse"
	"github.com/stdmcp/stdmcp/mcp/streamhttp"
)

// refusesConnections connects to an address where no server listens any more.
func refusesConnections(t *testing.T, w *env) {
	w.start(t)
	w.running.Refuse()
	if w.transport == 'E' {
		w.checkRefused(t, sse.New(w.running.SSE, nil), contains("refused"), request)
	} else {
		w.checkRefused(t, streamhttp.New(w.running.URL, nil), contains("refused"), request)
	}
}

// packedStream answers the request for the stream of HTTP+SSE with a gzip bomb.
func packedStream(t *testing.T, w *env) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = io.CopyN(z, zeros{}, 4<<20)
	_ = z.Close()
	w.tamper = func(resp *http.Response) {
		if resp.Request.Method == http.MethodGet {
			_ = resp.Body.Close()
			resp.Header.Set("Content-Encoding", "gzip")
			resp.Body = io.NopCloser(&bomb)
		}
	}
	w.checkRefused(t, w.start(t), web)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// falseLength has the responses to messages of HTTP+SSE announce a length that is
// too large or too small.
func falseLength(t *testing.T, w *env) {
	var responses atomic.Int64
	w.tamper = func(resp *http.Response) {
		if resp.Request.Method == http.MethodPost {
			resp.ContentLength = 100_000 * (responses.Add(1) % 2)
		}
	}
	client := w.connect(t, w.options())
	for range 4 {
		w.checkAdd(t, client)
	}
}

// idles calls a server that keeps the connection open but sends nothing more.
// Over HTTP+SSE, where there is one stream for all, the connection ends.
func idles(fault string) func(*testing.T, *env) {
	return func(t *testing.T, w *env) {
		w.engine.Fault, w.idle = fault, 3*time.Second
		client := w.connect(t, w.options())
		ctx, cancel := context.WithTimeout(t.Context(), callTime)
		defer cancel()
		start := time.Now()
		_, err := w.echo(ctx, client, "x")
		want := fails(deadline, unknown, contains("3s"))
		want.checkError(t, err)
		if took := time.Since(start); took > w.idle+lateness {
			t.Errorf("noticed after %v", took)
		}
		if ended := client.Err() != nil; ended != (w.transport == 'E') {
			t.Errorf("the connection has ended: %v", ended)
		}
	}
}

// waits drops the stream of a call. The client resumes it after the time that the
// server requests, kept within limits.
func waits(fault string, want time.Duration) func(*testing.T, *env) {
	return func(t *testing.T, w *env) {
		w.engine.Fault = fault
		o := w.options()
		o.Timeout = 2 * time.Minute
		client := w.connect(t, o)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		start := time.Now()
		w.checkEcho(t, ctx, client)
		if took := time.Since(start); took < want || took > want+want/2 {
			t.Errorf("resumed after %v, want %v", took, want)
		}
	}
}

// seesOnce has a server send a log message again when its stream is resumed.
func seesOnce(t *testing.T, w *env) {
	w.engine.Fault = "replays"
	o := w.options()
	var seen atomic.Int64
	o.LogLevel, o.Log = mcp.LevelDebug, func(context.Context, *mcp.LogMessage) { seen.Add(1) }
	client := w.connect(t, o)
	w.checkEcho(t, t.Context(), client)
	synctest.Wait()
	if n := seen.Load(); n != 1 {
		t.Errorf("seen %d times", n)
	}
}

// oddArguments are mirrored into headers, where they can't go as they are.
func oddArguments(t *testing.T, w *env) {
	w.engine.HeaderTool = true
	client := w.connect(t, w.options())
	if _, err := client.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"a\r\nHost: elsewhere.example", "a\nb", "\x00", "\x7f", " spaces ", "Grüße", "", "=?base64?YQ==?="} {
		res, err := client.CallTool(t.Context(), "mirror", map[string]any{"text": text, "count": int64(1<<53 - 1), "flag": true})
		if err != nil || !strings.Contains(res.Text(), `"flag":true`) {
			t.Errorf("%q: %v, %v", text, res, err)
		}
	}
}

// longArgument would make a header of 1 MiB.
func longArgument(t *testing.T, w *env) {
	w.engine.HeaderTool = true
	client := w.connect(t, w.options())
	if _, err := client.ListTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), callTime)
	defer cancel()
	_, err := client.CallTool(ctx, "mirror", map[string]any{"text": strings.Repeat("x", 1<<20)})
	if err == nil || !isDocumented(err) {
		t.Errorf("error is %v", err)
	}
	w.checkAdd(t, client)
}

// losesSession makes calls while a session is lost and another one is opened. All
// of them succeed, and none arrives before the session is open, which the server
// would report as a violation.
func losesSession(t *testing.T, w *env) {
	w.engine.Fault, w.web.Latency = "session-lost", 10*time.Millisecond
	client := w.connect(t, w.options())
	var all sync.WaitGroup
	for i := range 100 {
		time.Sleep(time.Millisecond)
		all.Go(func() {
			if i != 20 {
				w.checkAdd(t, client)
			} else if text, err := w.echo(t.Context(), client, greeting); text != greeting {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
	all.Wait()
	if n := w.received("initialize"); n != 2 {
		t.Errorf("%d sessions", n)
	}
}
