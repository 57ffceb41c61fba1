package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

// webServer runs the echo server on a socket. When the test ends, the commands must
// have left nothing behind and done nothing wrong.
func webServer(t *testing.T, engine *testserver.Options, o *testserver.HTTPOptions) *testserver.HTTPServer {
	t.Helper()
	server := testserver.New(engine)
	web, err := testserver.StartHTTP(server, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if leaks := web.Leaks(); leaks != nil {
			t.Errorf("left open: %q", leaks)
		}
		web.Close()
		if v := server.Violations(); v != nil {
			t.Errorf("violations: %q", v)
		}
	})
	return web
}

func TestEveryTransportServesEveryCommand(t *testing.T) {
	t.Parallel()
	web := webServer(t, nil, nil)
	for _, way := range [][]string{
		{web.URL},
		{web.URL, "--protocol", "2026-07-28"},
		{web.URL, "--protocol", "2025-11-25", "-t", "http"},
		{web.URL, "--transport=auto", "--protocol", "2025-03-26"},
		{web.SSE},
		{web.SSE, "-t", "sse", "--protocol", "2024-11-05"},
	} {
		t.Run(strings.TrimPrefix(strings.Join(way, " "), web.Base), func(t *testing.T) {
			for _, line := range []string{"tools", "resources", "templates", "prompts", "info", "info add", "call echo message=hi",
				"call slow seconds=0.01", "read echo://text", "prompt review language=go", "complete prompt review language g", "ping"} {
				words := strings.Fields(line)
				args := append(append(words[:1:1], way...), words[1:]...)
				for _, args := range [][]string{args, append(args, "--json")} {
					o := runCommand(t, args...)
					if o.status != 0 || o.stdout == "" || o.stderr != "" {
						t.Errorf("%v: %+v", args, o)
					}
				}
			}
		})
	}
}

func TestFallBackToHTTPSSE(t *testing.T) {
	t.Parallel()
	web := webServer(t, nil, &testserver.HTTPOptions{SSEOnly: true})
	runCommand(t, "call", web.SSE, "echo", "message=hi").want(t, 0, "hi\n", "")
	runCommand(t, "call", web.SSE, "echo", "message=hi", "-t", "http").want(t, failure.Unreachable, "", "to try both transports, type: mcpecho call "+web.SSE+" echo message=hi\n")
	for _, url := range []string{web.URL, web.Base} {
		runCommand(t, "ping", url).want(t, failure.Unreachable, "", "type: mcpecho ping "+web.SSE+"\n")
	}
	nothing := anyServer(t, &testserver.HTTPOptions{SSEOnly: true})
	nothing.Close()
	runCommand(t, "ping", nothing.Base).want(t, failure.Unreachable, "", "start the server, or correct the port")
}

// closedURL returns a URL where no server listens.
func closedURL(t *testing.T) string { return "http://" + testutil.FreeAddress(t) + "/mcp" }

func TestFailuresOverHTTP(t *testing.T) {
	t.Parallel()
	answer := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	modern, legacy := []string{"2026-07-28"}, []string{"2025-06-18"}
	for _, test := range []struct {
		name   string
		serve  http.Handler // none refuses connections
		args   string
		status int
		kind   string
		says   string
	}{
		{"connection refused", nil, "", failure.Unreachable, "unreachable", "refused"},
		{"401", answer(401, "text/plain", "who are you"), "", failure.Forbidden, "authorization", "401 Unauthorized"},
		{"403", answer(403, "text/plain", ""), "", failure.Forbidden, "authorization", "403 Forbidden"},
		{"403 in JSON", answer(403, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}`), "",
			failure.Forbidden, "authorization", "no"},
		{"404", http.NotFoundHandler(), "", failure.Unreachable, "unreachable", "HTTP+SSE: GET "},
		{"500", answer(500, "text/plain", "out of luck"), "", failure.Unreachable, "unreachable", "out of luck"},
		{"a web page", answer(200, "text/html", "<html>"), "", failure.Unreachable, "protocol", "text/html"},
		{"silence", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.ReadAll(r.Body); <-r.Context().Done() }),
			"--connect-timeout 200ms", failure.Unreachable, "timeout", "within 200ms"},
		{"other versions", testserver.NewHandler(testserver.New(&testserver.Options{ProtocolVersions: modern}), nil), "--protocol 2025-06-18",
			failure.Refused, "server_error", "2026-07-28"},
		{"older versions", testserver.NewHandler(testserver.New(&testserver.Options{ProtocolVersions: legacy}), nil), "--protocol 2026-07-28",
			failure.Refused, "server_error", "2025-06-18"},
	} {
		t.Run(test.name, func(t *testing.T) {
			url := closedURL(t)
			if test.serve != nil {
				web := httptest.NewServer(test.serve)
				defer web.Close()
				url = web.URL + "/mcp"
			}
			o := runCommand(t, append([]string{"tools", url, "--json"}, strings.Fields(test.args)...)...)
			var line struct {
				Error struct{ Kind, Message string }
			}
			if err := json.Unmarshal([]byte(o.stderr), &line); err != nil || strings.Count(o.stderr, "\n") != 1 {
				t.Fatalf("standard error: %q, %v", o.stderr, err)
			}
			if o.status != test.status || o.stdout != "" || line.Error.Kind != test.kind || !strings.Contains(line.Error.Message, test.says) {
				t.Errorf("status %d, output %q, error %+v", o.status, o.stdout, line.Error)
			}
		})
	}
}

// tokenServer runs the echo server behind a token.
func tokenServer(t *testing.T, token string) (url string) {
	t.Helper()
	echo := testserver.NewHandler(testserver.New(nil), nil)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("Authorization") {
		case "Bearer " + token:
			echo.ServeHTTP(w, r)
		case "Bearer broken-" + token:
			http.Error(w, "cannot check "+r.Header.Get("Authorization"), http.StatusInternalServerError)
		default:
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(func() { web.Close(); echo.Close() })
	return web.URL
}

func TestTokenOpensTheServer(t *testing.T) {
	t.Parallel()
	const token = "hunter2hunter2"
	url := tokenServer(t, token)
	for _, path := range []string{"/mcp", "/sse"} {
		runCommand(t, "call", url+path, "echo", "message=hi", "-H", "authorization:Bearer "+token).want(t, 0, "hi\n", "")
		runCommand(t, "ping", url+path).want(t, failure.Forbidden, "", "add a token with -H 'Authorization: Bearer TOKEN', or type: mcpecho login "+url+path+"\n")
		runCommand(t, "ping", url+path, "-H", "Authorization: Bearer no").want(t, failure.Forbidden, "", "does not accept the Authorization header of -H")
	}
	o := runCommand(t, "ping", url+"/mcp", "-H", "Authorization: Bearer broken-"+token)
	if o.status != failure.Unreachable || strings.Contains(o.stderr, token) {
		t.Errorf("%+v", o)
	}
}

func TestHeadersAreMaskedInTheTrace(t *testing.T) {
	t.Parallel()
	web := webServer(t, nil, nil)
	trace := filepath.Join(t.TempDir(), "trace")
	runCommand(t, "call", web.URL, "echo", "message=so s3cretive, 7", "-H", "X-Key: s3cretive", "-H", "X-Number: 7", "--trace", trace).
		want(t, 0, "so s3cretive, 7\n", "")
	data, err := os.ReadFile(trace)
	if err != nil || strings.Contains(string(data), "s3cretive") || !strings.Contains(string(data), `"so ***, 7"`) {
		t.Errorf("%s, %v", data, err)
	}
	for _, r := range web.Requests() {
		if r.Header.Get("X-Key") != "s3cretive" || r.Header.Get("X-Number") != "7" {
			t.Errorf("%s %s has the header %v", r.Method, r.URL, r.Header)
		}
	}
}

func TestPasswordInAURLIsNotShown(t *testing.T) {
	t.Parallel()
	url := strings.Replace(closedURL(t), "://", "://ada:hunter2@", 1) + "?token=hunter2"
	for _, line := range []string{"ping", "ping --json", "ping -t sse", "watch"} {
		words := strings.Fields(line)
		if o := runCommand(t, append(words, url)...); o.status != failure.Unreachable || strings.Contains(o.stderr, "hunter2") {
			t.Errorf("%s: %+v", line, o)
		}
	}
	web := webServer(t, nil, nil)
	o := runCommand(t, "info", strings.Replace(web.URL, "://", "://ada:hunter2@", 1), "add")
	if o.status != 0 || !strings.Contains(o.stdout, "mcpecho call "+web.URL+" add a=1 b=1") {
		t.Errorf("%+v", o)
	}
}

// startServe starts "mcpecho serve --http" as a process and returns the URLs that
// it prints.
func startServe(t *testing.T, args ...string) (urls []string, cmd *exec.Cmd) {
	t.Helper()
	cmd = exec.Command(mcpechoPath(t), append([]string{"serve", "--http"}, args...)...)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if urls = append(urls, lines.Text()); len(urls) == 2 || strings.Contains(strings.Join(args, " "), "--protocol 2026") {
			break
		}
	}
	return urls, cmd
}

func TestServeOverHTTP(t *testing.T) {
	t.Parallel()
	urls, cmd := startServe(t, "127.0.0.1:0")
	if len(urls) != 2 || !strings.HasPrefix(urls[0], "http://127.0.0.1:") || !strings.HasSuffix(urls[0], "/mcp") || !strings.HasSuffix(urls[1], "/sse") {
		t.Fatalf("prints %q", urls)
	}
	for _, args := range [][]string{{urls[0]}, {urls[0], "--protocol", "2025-11-25"}, {urls[1]}, {urls[1], "-t", "sse"}} {
		runCommand(t, append([]string{"call", "echo", "message=hi"}[:1], append(args, "echo", "message=hi")...)...).want(t, 0, "hi\n", "")
	}
	address := strings.TrimSuffix(strings.TrimPrefix(urls[0], "http://"), "/mcp")
	runCommand(t, "serve", "--http", address).want(t, failure.Usage, "", "--http: listen tcp "+address)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Skip("no interrupts here: ", err)
	}
	began := time.Now()
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != failure.Interrupted || time.Since(began) > testutil.Timeout {
		t.Errorf("ended with %v after %v", cmd.ProcessState, time.Since(began))
	}
}

func TestServeOverHTTPWithProtocol(t *testing.T) {
	t.Parallel()
	urls, _ := startServe(t, "0", "--protocol", "2026-07-28")
	if len(urls) != 1 {
		t.Fatalf("prints %q", urls) // HTTP+SSE has no modern era
	}
	if o := runCommand(t, "info", urls[0]); o.status != 0 || !strings.Contains(o.stdout, "2026-07-28") {
		t.Errorf("%+v", o)
	}
	urls, _ = startServe(t, "0", "--protocol", "2024-11-05")
	if o := runCommand(t, "info", urls[1]); o.status != 0 || !strings.Contains(o.stdout, "2024-11-05") {
		t.Errorf("%+v", o)
	}
}
