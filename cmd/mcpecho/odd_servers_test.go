package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
)

// TestOddWebServers: what servers and load balancers do that a command must cope with.
func TestOddWebServers(t *testing.T) {
	t.Parallel()
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
		t.Skip("the folder of caches is elsewhere")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	handler := testserver.NewHandler(testserver.New(&testserver.Options{ProtocolVersions: []string{mcp.ProtocolVersion20251125}}), nil)
	defer handler.Close()
	address := "127.0.0.1:0"
	for _, ends := range []bool{true, true, false} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		address = l.Addr().String()
		s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if strings.Contains(string(body), `"server/discover"`) {
				l.Close()
				panic(http.ErrAbortHandler)
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			handler.ServeHTTP(w, r)
		})}
		go s.Serve(l) // ends with s
		r := runCommand(t, "call", "http://"+address+"/mcp", "echo", "message=hi")
		if ends {
			r.want(t, failure.Unreachable, "", "the server ended on server/discover")
		} else {
			r.want(t, failure.Done, "hi\n", "")
		}
		s.Close()
	}
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
