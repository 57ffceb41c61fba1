package main

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
)

// TestOddServers: what the server sends is read where that is harmless, else the error has
// what the server sent.
func TestOddServers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fault, command string
		status         int
		stdout, stderr string
	}{
		{"lone-surrogate", "call echo message=hi", failure.Done, "\uFFFD\n", ""},
		{"null-text", "call echo message=hi", failure.Done, "hi\n", "Not shown: unknown type, 2 bytes"},
		{"tool-result", "call echo message=hi", failure.Unreachable, "", "the result has no content, only toolResult"},
		{"error-with-text-code", "call echo message=hi", failure.Refused, "", "no such city"},
		{"error-with-data", "call echo message=hi", failure.Refused, "", "Invalid params (code -32602): city must be one of Rome, Oslo; see http://***@h/"},
		{"odd-tool", "tools", failure.Done, "echo\techo\n", ""},
		{"odd-tool", "call echo message=hi", failure.Done, "hi\n", ""},
		{"null-params", "call echo message=hi", failure.Done, "hi\n", ""},
		{"answers-notifications", "call echo message=hi", failure.Done, "hi\n", "a response without the id of a request"},
		{"refuses-notifications", "call echo message=hi", failure.Done, "hi\n", ""},
	} {
		t.Run(tt.fault+" "+tt.command, func(t *testing.T) {
			t.Parallel()
			runWithFault(t, &testserver.Options{Fault: tt.fault}, strings.Fields(tt.command)...).want(t, tt.status, tt.stdout, tt.stderr)
		})
	}
}

// TestOddWebServers: what servers and load balancers do that a command must cope with.
func TestOddWebServers(t *testing.T) {
	t.Parallel()
	for fault, says := range map[string]string{"session-sticky": "", "json-bom": "", "wrong-id": "a response with the id 987654321 came"} {
		t.Run(fault, func(t *testing.T) {
			web := webServer(t, &testserver.Options{Fault: fault}, nil)
			r := runCommand(t, "call", web.URL, "echo", "message=hi")
			if says != "" {
				r.want(t, failure.Unreachable, "", says)
			} else {
				r.want(t, failure.Done, "hi\n", "")
			}
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
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			runWithFault(t, &testserver.Options{Fault: fault}, "ping", "--connect-timeout", "2s").want(t, failure.Unreachable, "", says)
		})
	}
}

// TestWebPageInPlaceOfServer: mcpecho finds the server at another path of a host that
// responds to every other request with a page.
func TestWebPageInPlaceOfServer(t *testing.T) {
	t.Parallel()
	web := webServer(t, &testserver.Options{Fault: "pages", ProtocolVersions: mcp.ProtocolVersions()}, nil)
	base := strings.TrimSuffix(web.URL, "/mcp")
	for _, path := range []string{"", "/", "/app", "/app -t http", "/app -t sse"} {
		args := append([]string{"tools"}, strings.Fields(base+path)...)
		runCommand(t, args...).want(t, failure.Unreachable, "", " is not an MCP server, but "+web.URL+" is")
	}
}

// TestServerThatEndsOnTheProbe: after two such deaths, a command begins with initialize.
func TestServerThatEndsOnTheProbe(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("did not run: the test sets the folder of caches of Linux")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	web := webServer(t, &testserver.Options{Fault: "discover-ends"}, nil)
	for range 2 {
		runCommand(t, "ping", web.URL).want(t, failure.Unreachable, "", "the server ended on server/discover")
		testutil.Must(t, web.Up())
	}
	runCommand(t, "call", web.URL, "echo", "message=hi").want(t, failure.Done, "hi\n", "")
}

// TestStreamThatOpensLate: behind a proxy that buffers the stream of a session, a command
// waits for it once.
func TestStreamThatOpensLate(t *testing.T) {
	if !apart(t) {
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("did not run: the test sets the folder of caches of Linux")
	}
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	web := webServer(t, &testserver.Options{Fault: "get-buffered"}, nil)
	waits := func() bool {
		begun := time.Now()
		runCommand(t, "call", web.URL, "echo", "message=hi").want(t, failure.Done, "hi\n", "")
		return time.Since(begun) >= 200*time.Millisecond
	}
	if !waits() {
		t.Error("no wait")
	}
	for range 20 { // on a busy machine, each command may be slow
		if !waits() {
			return
		}
	}
	t.Error("each command waits")
}

// TestArgumentsInHeaders: a command repeats arguments in headers as the input schema says,
// without which the server would refuse the call.
func TestArgumentsInHeaders(t *testing.T) {
	t.Parallel()
	web := webServer(t, &testserver.Options{HeaderTool: true}, nil)
	if r := runCommand(t, "call", web.URL, "mirror", "text=us-west1", "count=42", "flag=false"); r.status != 0 {
		t.Errorf("%+v", r)
	}
	for _, r := range web.Requests() {
		if r.Header.Get("Mcp-Name") == "mirror" && (r.Header.Get("Mcp-Param-Text") != "us-west1" || r.Header.Get("Mcp-Param-Count") != "42") {
			t.Errorf("%v", r.Header)
		}
	}
}
