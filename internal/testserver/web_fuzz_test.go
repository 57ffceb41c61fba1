package testserver

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/wire"
)

// FuzzServe sends a request to several servers: no server panics, and a response
// with the media type of JSON is JSON.
func FuzzServe(f *testing.F) {
	headers, body := modern(1, "tools/call", "mirror", `"arguments":{"text":"é"}`)
	f.Add("POST", "/mcp", headers+"Mcp-Param-Text: "+encoded("é"), body)
	f.Add("POST", "/mcp", "", initialize)
	f.Add("POST", "/mcp", version("2025-11-25"), toolCall(1, "echo", hi))
	f.Add("POST", "/message?session=x", "", "[]")
	f.Add("GET", "/mcp", "Last-Event-ID: stream-0/0", "")
	f.Add("GET", "/sse", "", "")
	f.Add("DELETE", "/mcp", "Mcp-Session-Id: x", "")
	f.Fuzz(func(t *testing.T, method, url, headers, body string) {
		if strings.Contains(body, "bytes") {
			t.Skip("the tool big may need too much memory")
		}
		if !strings.HasPrefix(url, "/") {
			t.Skip("not a path")
		}
		for fault, o := range map[string]*HTTPOptions{"": nil, "get-ends-early": {Stateless: true, Answers: Stream}} {
			req, err := http.NewRequest(method, "http://localhost", strings.NewReader(body))
			if err != nil {
				t.Skip("not a request")
			}
			if req.URL, err = req.URL.Parse(url); err != nil {
				t.Skip("not a URL")
			}
			req.Header = http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
			for line := range strings.Lines(headers) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
				req.Header.Set(name, value)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // what takes time ends at once
			h := NewHandler(New(&Options{HeaderTool: true, Fault: fault}), o)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, req.WithContext(ctx))
			h.Close()
			if w.Header().Get("Content-Type") == "application/json" {
				if err := wire.Valid(w.Body.Bytes()); err != nil {
					t.Errorf("%q: %v", w.Body, err)
				}
			}
		}
	})
}

// FuzzDecode compares the decoder of headers with an encoder.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "a", " a", "é", "=?base64?YQ==?=", "=?base64?="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, ok := decodeHeader(s); ok && got != s && encoded(got) != s {
			t.Errorf("%q is decoded to %q, which is encoded as %q", s, got, encoded(got))
		}
		if got, ok := decodeHeader(encoded(strings.ToValidUTF8(s, ""))); !ok || got != strings.ToValidUTF8(s, "") {
			t.Errorf("%q: %q, %v", s, got, ok)
		}
	})
}
