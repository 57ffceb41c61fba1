package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testserver"
)

// TestOddWebServers: what servers and load balancers do that a command must cope with.
func TestOddWebServers(t *testing.T) {
	for _, tt := range []struct {
		fault          string
		status         int
		stdout, stderr string
	}{
		{"session-sticky", 0, "hi\n", ""},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			web := webServer(t, &testserver.Options{Fault: tt.fault}, nil)
			runCommand(t, "call", web.URL, "echo", "message=hi").want(t, tt.status, tt.stdout, tt.stderr)
		})
	}
}

// TestOddPrograms: the reason for a timeout is in what the program wrote.
func TestOddPrograms(t *testing.T) {
	t.Parallel()
	for fault, says := range map[string]string{
		"content-length": "the server writes Content-Length before each message",
		"no-line-break":  "the server wrote no line break after {",
		"serves-http":    "the program printed http://127.0.0.1:8000/mcp: if it serves MCP there, connect to that URL",
	} {
		runWithFault(t, &testserver.Options{Fault: fault}, "ping", "--connect-timeout", "2s").want(t, failure.Unreachable, "", says)
	}
}

// TestWebPageInPlaceOfServer: mcpecho finds the server at another path of a host that
// responds to every other request with a page.
func TestWebPageInPlaceOfServer(t *testing.T) {
	t.Parallel()
	handler := testserver.NewHandler(testserver.New(nil), nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/mcp" {
			handler.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<html>Welcome</html>")
	}))
	t.Cleanup(func() { web.Close(); handler.Close() })
	for _, path := range []string{"", "/", "/app", "/app -t http", "/app -t sse"} {
		args := append([]string{"tools"}, strings.Fields(web.URL+path)...)
		runCommand(t, args...).want(t, failure.Unreachable, "", " is not an MCP server, but "+web.URL+"/mcp is")
	}
}
