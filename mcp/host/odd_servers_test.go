package host_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp/host"
	"github.com/stdmcp/stdmcp/mcp/host/config"
)

// TestStreamThatOpensLate: behind a proxy that buffers the stream of a session, a host
// waits for it once, and receives changes.
func TestStreamThatOpensLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWebsite(t, &testserver.Options{Fault: "get-buffered"})
		begun := time.Now()
		h, end := w.host(t, config.HTTP, host.Options{})
		defer end()
		first := time.Since(begun)
		begun = time.Now()
		if err := h.Reconnect(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		if again := time.Since(begun); first != 200*time.Millisecond || again != 0 {
			t.Errorf("%v, then %v", first, again)
		}
		before := len(h.Tools())
		if _, err := h.CallTool(t.Context(), "x", "add_tool", nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if n := len(h.Tools()); n != before+1 {
			t.Errorf("%d tools, then %d", before, n)
		}
	})
}

// TestOddServers: what the server sends is read where that is harmless, else the error has
// what the server sent.
func TestOddServers(t *testing.T) {
	for fault, want := range map[string]struct {
		tools        int // after the call; 17 is all
		text, reason string
	}{
		"lone-surrogate":       {17, "\uFFFD", ""},
		"null-text":            {17, "[resource content: file:///a , 2 bytes]\nhi", ""},
		"tool-result":          {17, "", "the result has no content, only toolResult"},
		"error-with-text-code": {17, "", "no such city"},
		"odd-tool":             {1, "hi", ""},
		"null-params":          {18, "hi", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := fakes{"x": newFake(&testserver.Options{Fault: fault})}.start(t, host.Options{})
			text, err := h.Execute(t.Context(), "mcp__x__echo", raw(`{"message":"hi"}`))
			if text != want.text || (err == nil) != (want.reason == "") || err != nil && !strings.Contains(err.Error(), want.reason) {
				t.Errorf("%s: %q, %v", fault, text, err)
			}
			time.Sleep(time.Second) // until the host has listed the tools again
			if n := len(h.Tools()); n != want.tools {
				t.Errorf("%s: %d tools", fault, n)
			}
		})
	}
}

// TestOddPrograms: the error of a program without a response has what the program wrote.
func TestOddPrograms(t *testing.T) {
	for fault, says := range map[string]string{
		"content-length": "the server writes Content-Length before each message",
		"no-line-break":  "the server wrote no line break after {",
		"serves-http":    "the program printed http://127.0.0.1:8000/mcp",
	} {
		synctest.Test(t, func(t *testing.T) {
			fs := fakes{"x": newFake(&testserver.Options{Fault: fault})}
			if err := newHost(t, fs.with(host.Options{})).SetServers(t.Context(), fs.servers()).Err(); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v", fault, err)
			}
		})
	}
}
