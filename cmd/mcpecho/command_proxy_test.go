package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/internal/testutil/process"
)

const proxyInitialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

// startProxy starts "mcpecho proxy" in a process of its own, with the echo server and a
// mark in its environment.
func startProxy(t *testing.T, mark string, args ...string) *process.Process {
	t.Helper()
	args = append([]string{"proxy", "--env", mark, "--env", "GORACE=atexit_sleep_ms=0"}, args...)
	self, err := os.Executable() // with the race detector, if the test has it
	testutil.Must(t, err)
	cmd := exec.Command(self, append(args, "--", mcpechoPath(t), "serve")...)
	cmd.Stderr = new(strings.Builder)
	p, err := process.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		_ = p.Close()
	})
	return p
}

// waitForNone waits until no process with the mark is left.
func waitForNone(t *testing.T, mark string) {
	t.Helper()
	if !testutil.Eventually(func() bool { return len(process.Marked(mark)) == 0 }) {
		t.Fatalf("processes are left: %v", process.Marked(mark))
	}
}

// TestProxyLosesNothing: each of 10,000 calls at once gets its response, in order. In the
// middle of the next ones the server is killed: each gets a response or the reason. Then
// the same with the proxy, whose server ends.
func TestProxyLosesNothing(t *testing.T) {
	t.Parallel()
	const calls = 10_000
	send := func(p *process.Process) {
		_, _ = io.WriteString(p.In, proxyInitialize+"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
		for i := range calls {
			_, _ = fmt.Fprintf(p.In, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"message":"m%d"}}}`+"\n", i+1, i+1)
		}
	}
	mark := "PROXY_TEST=nothing lost " + t.TempDir()
	p := startProxy(t, mark)
	go send(p)
	for i := range calls + 1 {
		if line, err := p.Line(); err != nil || !strings.Contains(line, fmt.Sprintf(`"id":%d,`, i)) || !strings.Contains(line, `"result"`) {
			t.Fatalf("response %d is %s, %v", i, line, err)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err, p.Stderr)
	}
	waitForNone(t, mark)
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		return // the system does not say what is left
	}

	p = startProxy(t, mark)
	go send(p)
	answered := map[string]bool{}
	refused := 0
	for {
		line, err := p.Line()
		if err != nil {
			break
		}
		_, rest, _ := strings.Cut(line, `"id":`)
		id, _, _ := strings.Cut(rest, ",")
		if answered[id] {
			t.Errorf("two responses to %s", id)
		}
		if answered[id] = true; len(answered) == calls/2 {
			for _, pid := range process.Marked(mark) {
				if server, err := os.FindProcess(pid); err == nil {
					_ = server.Kill()
				}
			}
		}
		if strings.Contains(line, `"error"`) {
			refused++
			if !strings.Contains(line, "terminated by signal: killed") {
				t.Error(line)
			}
		}
	}
	if err := p.Wait(); err == nil || p.ProcessState.ExitCode() != 4 || !strings.Contains(fmt.Sprint(p.Stderr), "terminated by signal: killed") {
		t.Error(err, p.Stderr)
	}
	if len(answered) < calls/2 || refused == 0 {
		t.Errorf("%d responses, of which %d have the reason", len(answered), refused)
	}
	waitForNone(t, mark)

	p = startProxy(t, mark)
	go send(p)
	for range calls / 2 {
		if _, err := p.Line(); err != nil {
			t.Fatal(err)
		}
	}
	p.Kill()
	waitForNone(t, mark)
}

// proxyURL runs "mcpecho proxy --http" in this process, and returns its URL.
func proxyURL(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	done := make(chan int, 1)
	stderr := new(strings.Builder)
	go func() { // ends with ctx
		done <- run(ctx, serverArgs(t, append([]string{"proxy", "--http", "127.0.0.1:0"}, args...)), &environment{
			stdin: strings.NewReader(""), stdout: w, stderr: stderr, getenv: func(string) string { return "" }, self: mcpechoPath(t), name: "mcpecho",
		})
		_ = w.Close()
	}()
	t.Cleanup(func() {
		cancel()
		go func() { _, _ = io.Copy(io.Discard, r) }()
		<-done
	})
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err, stderr)
	}
	return strings.TrimSpace(line)
}

// TestProxyOnEverySide: the commands work through the proxy as without it, whatever is on
// either side, in every era.
func TestProxyOnEverySide(t *testing.T) {
	t.Parallel()
	web := webServer(t, nil, nil)
	commands := []string{"tools", "call slow seconds=0.01", "read echo://text", "prompt review language=go", "complete prompt review language g", "ping"}
	want := make(map[string]result)
	for _, line := range commands {
		want[line] = runWithServer(t, append(strings.Fields(line), "--json")...)
	}
	check := func(name string, versions []string, target func(line []string) []string) {
		for _, version := range versions {
			for _, line := range commands {
				got := runCommand(t, target(append(strings.Fields(line), "--json", "--protocol", version))...)
				if got.status != 0 || line != "ping" && version == "2026-07-28" && got.stdout != want[line].stdout {
					t.Errorf("%s, %s, %s: %v, want %v", name, version, line, got, want[line])
				}
			}
		}
	}
	all := []string{"2026-07-28", "2025-11-25", "2024-11-05"}
	behind := func(server ...string) func(line []string) []string {
		return func(line []string) []string {
			return append(append(line, "--", "mcpecho", "proxy"), server...)
		}
	}
	at := func(url string) func(line []string) []string {
		return func(line []string) []string { return append([]string{line[0], url}, line[1:]...) }
	}
	check("stdio to stdio", all, behind("--env", "GORACE=atexit_sleep_ms=0", "--", mcpechoPath(t), "serve"))
	check("stdio to HTTP", all, behind(web.URL))
	check("stdio to SSE", all[1:], behind(web.SSE))
	check("HTTP to stdio", all, at(proxyURL(t, "--", "mcpecho", "serve")))
	check("HTTP to HTTP", all, at(proxyURL(t, web.URL)))
	check("HTTP to SSE", all[1:], at(proxyURL(t, web.SSE)))
}

// TestProxyPassesTheEnvironment: the client has chosen it for the server. Other commands
// pass few variables.
func TestProxyPassesTheEnvironment(t *testing.T) {
	t.Setenv("MCPECHO_TEST_VARIABLE", "seen")
	server := []string{"--", "sh", "-c", "echo =$MCPECHO_TEST_VARIABLE= >&2"}
	if o := runCommand(t, append([]string{"proxy"}, server...)...); !strings.Contains(o.stderr, "=seen=") {
		t.Errorf("%+v", o)
	}
	o := runCommand(t, append([]string{"tools"}, server...)...)
	if !strings.Contains(o.stderr, "==") {
		t.Errorf("%+v", o)
	}
}

// TestProxySecrets: they reach neither the recording nor the client.
func TestProxySecrets(t *testing.T) {
	t.Parallel()
	const secret = "sesame-opens-7391"
	dir := t.TempDir()
	record := filepath.Join(dir, "record")
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"` + secret + `","password":"hunter2-and-more"}}}`
	r := runCommandWithInput(t, proxyInitialize+"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+call+"\nnot JSON, "+secret+"\n",
		"proxy", "--env", "API_TOKEN="+secret, "--record", record, "--", "mcpecho", "serve")
	if r.status != 0 || strings.Count(r.stdout, secret) != 1 {
		t.Error(r)
	}
	text, err := os.ReadFile(record)
	if err != nil || strings.Contains(string(text), secret) || strings.Contains(string(text), "hunter2") || strings.Count(string(text), "***") < 3 {
		t.Errorf("%s, %v", text, err)
	}
	if info, err := os.Stat(record); err == nil && info.Mode().Perm() != 0o600 && filepath.Separator == '/' {
		t.Error(info.Mode())
	}
	replayed := runCommand(t, "call", "echo", "message=***", "--protocol", "2025-11-25", "--", "mcpecho", "serve", "--replay", record)
	if replayed.status == 4 {
		t.Error(replayed)
	}
}

// TestProxyKeepsCredentials: those for the server reach only it, and a server that refuses
// them makes the proxy say so, and its client does not log in at the proxy.
func TestProxyKeepsCredentials(t *testing.T) {
	t.Parallel()
	web := webServer(t, nil, &testserver.HTTPOptions{Wrap: func(h *testserver.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer right" {
				w.Header().Set("WWW-Authenticate", "Bearer")
				http.Error(w, "log in first", http.StatusUnauthorized)
				return
			}
			h.ServeHTTP(w, r)
		})
	}})
	runCommand(t, "call", proxyURL(t, "-H", "Authorization: Bearer right", web.URL), "echo", "message=hi", "-H", "Authorization: Bearer theirs").want(t, 0, "hi\n", "")
	for _, args := range [][]string{
		{"ping", proxyURL(t, "-q", web.URL), "-H", "Authorization: Bearer right"},
		{"ping", "--", "mcpecho", "proxy", "-q", web.URL},
	} {
		if r := runCommand(t, args...); r.status == 0 || !strings.Contains(r.stderr, " login "+web.URL) || r.status == 3 && slices.Contains(args, "--") {
			t.Error(r)
		}
	}
}

func TestProxyMistakes(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"--no-token would let every machine":             {"proxy", "--http", "0.0.0.0:0", "--no-token", "--", "mcpecho", "serve"},
		"need --http":                                    {"proxy", "--no-token", "--", "mcpecho", "serve"},
		"must be an origin":                              {"proxy", "--http", "127.0.0.1:0", "--allow-origin", "localhost", "--", "mcpecho", "serve"},
		"without a path":                                 {"proxy", "--http", "127.0.0.1:0", "--allow-origin", "http://localhost:6274/x", "--", "mcpecho", "serve"},
		"must be HOST:PORT":                              {"proxy", "--http", "nonsense", "--", "mcpecho", "serve"},
		"the server is missing":                          {"proxy"},
		"nonexistent/x":                                  {"proxy", "--record", "/nonexistent/x", "--", "mcpecho", "serve"},
		"/nonexistent/server":                            {"proxy", "--", "/nonexistent/server"},
		"this server speaks 2026-07-28 only, the client": {"proxy", "--", "mcpecho", "serve", "--protocol", "2026-07-28"},
	} {
		if r := runCommandWithInput(t, proxyInitialize+"\n", args...); r.status == 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("%v: %v, want %q", args, r, want)
		}
	}
}
