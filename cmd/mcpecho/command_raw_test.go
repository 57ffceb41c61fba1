package main

import (
	"bytes"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/internal/testserver"
)

func TestRawRequests(t *testing.T) {
	t.Parallel()
	web := webServer(t, &testserver.Options{PageSize: 3}, nil)
	for _, version := range bothEras {
		for line, want := range map[string]string{
			`raw URL tools/list`: `"nextCursor":`,
			`raw URL tools/call '{"name":"echo","arguments":{"message":"hi"}}'`: `"text":"hi"`,
			`raw URL resources/read '{"uri":"echo://text"}'`:                    `"contents":[`,
		} {
			o := runCommand(t, append(words(t, strings.Replace(line, "URL", web.URL, 1)), "--protocol", version)...)
			if o.status != 0 || !strings.Contains(o.stdout, want) || strings.Count(o.stdout, "\n") != 1 || o.stderr != "" {
				t.Errorf("%s: no %s in %+v", line, want, o)
			}
		}
	}
	runCommandWithInput(t, `{"name":"echo","arguments":{"message":"hi"}}`, "raw", "tools/call", "-", "--protocol", "2025-11-25", "--", "mcpecho", "serve").
		want(t, 0, `{"content":[{"type":"text","text":"hi"}]}`+"\n", "")
	runWithServer(t, "raw", "ping").want(t, failure.Refused, "", "type: mcpecho raw ping --protocol 2025-11-25 -- mcpecho serve\n")
	runWithServer(t, "raw", "tools/lits").want(t, failure.Refused, "", "type: mcpecho raw tools/list -- mcpecho serve\n")
	runWithServer(t, "raw", "tools/call", "{name: 'echo'}").want(t, failure.Usage, "", "invalid parameters: ")
}

// What is not one JSON object is refused without a line to type: what it means is not certain.
func TestRawParameters(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`tools/call name=echo n:=1`:   "the parameters must be one JSON object",
		`tools/call echo message=hi`:  "the parameters must be one JSON object",
		`tools/call '{"name":"echo"'`: "invalid parameters: ",
		`tools/list null`:             "the parameters must be one JSON object",
		`tools`:                       "Method not found",
		`add`:                         "it is a tool, not a method",
	} {
		o := runWithServer(t, append([]string{"raw"}, words(t, line)...)...)
		if o.status == 0 || !strings.Contains(o.stderr, want) || strings.Contains(o.stderr, "type: ") {
			t.Errorf("raw %s: %+v\nwant %s", line, o, want)
		}
	}
}

// A notification is sent, and has no result. Parameters without members are sent as they
// are.
func TestRawNotifications(t *testing.T) {
	t.Parallel()
	for _, version := range bothEras {
		trace := filepath.Join(t.TempDir(), "trace")
		runWithServer(t, "raw", "notifications/cancelled", `{"requestId":7}`, "--protocol", version, "--trace", trace).
			want(t, 0, "", "Sent. A notification has no response.\n")
		data, err := os.ReadFile(trace)
		if err != nil || !strings.Contains(string(data), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`) {
			t.Errorf("%s: %s, %v", version, data, err)
		}
	}
	runWithServer(t, "raw", "notifications/canceled", "-q").want(t, 0, "", "")
	runWithServer(t, "raw", "notifications/canceled").want(t, 0, "", `Sent, but the protocol has no notification "notifications/canceled" (did you mean "notifications/cancelled"?).`)
	trace := filepath.Join(t.TempDir(), "trace")
	if o := runWithServer(t, "raw", "ping", "{}", "--protocol", "2025-11-25", "--trace", trace); o.status != 0 {
		t.Errorf("%+v", o)
	}
	if data, err := os.ReadFile(trace); err != nil || !strings.Contains(string(data), `"method":"ping","params":{}}`) {
		t.Errorf("%s, %v", data, err)
	}
}

// A tool that the configuration excludes cannot be called with raw either.
func TestRawRespectsTheConfiguration(t *testing.T) {
	inProject(t, map[string]string{"a.json": `{"mcpServers":{"x":{"command":"` + mcpechoPath(t) + `","args":["serve"],"excludeTools":["echo"]}}}`})
	runCommand(t, "raw", "a.json:x", "tools/call", `{"name":"echo","arguments":{"message":"hi"}}`).want(t, failure.Usage, "", "is excluded by the entry")
}

func TestTasks(t *testing.T) {
	t.Parallel()
	web := webServer(t, &testserver.Options{Tasks: true}, nil)
	legacy := func(args ...string) result { return runCommand(t, append(args, "--protocol", "2025-11-25")...) }
	o := legacy("raw", web.URL, "tools/call", `{"name":"research","arguments":{"topic":"x","step_ms":600000},"task":{}}`)
	_, id, ok := strings.Cut(o.stdout, `"taskId":"`)
	id, _, _ = strings.Cut(id, `"`)
	if o.status != 0 || !ok {
		t.Fatalf("%+v", o)
	}
	if o := legacy("task", "list", web.URL); o.status != 0 || !strings.HasPrefix(o.stdout, id+"\t") {
		t.Errorf("%+v", o)
	}
	if o := legacy("tasks", web.URL, "--json"); o.status != 0 || !strings.HasPrefix(o.stdout, `{"tasks":[{"taskId":"`+id) {
		t.Errorf("%+v", o)
	}
	if o := legacy("task", "get", web.URL, id); o.status != 0 || !strings.HasPrefix(o.stdout, id+"\t") {
		t.Errorf("%+v", o)
	}
	legacy("task", "cancel", web.URL, id).want(t, 0, "", "Asked the server to cancel "+id)
	if o := legacy("task", "get", web.URL, id); !strings.Contains(o.stdout, "cancelled") && !strings.Contains(o.stdout, "completed") {
		t.Errorf("%+v", o)
	}
	legacy("task", "get", web.URL, "none").want(t, failure.Refused, "", "type: mcpecho task list "+web.URL+" --protocol 2025-11-25\n")
	runCommand(t, "task", "get", web.URL, "none").want(t, failure.Refused, "", "the server has no list of its tasks; the response to the call has the ID")
	runWithServer(t, "task", "get", "none").want(t, failure.Refused, "", "the server does not say that it has tasks\n")
	legacy("task", "cancel", web.URL).want(t, failure.Usage, "", "type: mcpecho task list "+web.URL+" --protocol 2025-11-25\n")
	runWithServer(t, "task", "list").want(t, 0, "", "offers no list of tasks")
	runWithServer(t, "task", "list", "--json", "-q").want(t, 0, `{"tasks":[]}`+"\n", "")
}

func TestLogLevel(t *testing.T) {
	t.Parallel()
	for _, version := range bothEras {
		o := runWithServer(t, "call", "log", "--log-level", "error", "--protocol", version)
		if o.status != 0 || !strings.Contains(o.stderr, "error") || strings.Contains(o.stderr, "warning") || strings.Contains(o.stderr, "debug") {
			t.Errorf("%s: %+v", version, o)
		}
		if o := runWithServer(t, "call", "log", "--protocol", version); o.stderr != "" {
			t.Errorf("%s, without: %+v", version, o)
		}
	}
	runWithServer(t, "call", "log", "--log-level", "warn").want(t, failure.Usage, "", "must be one of debug, info, notice, warning")
}

// --insecure turns off the verification of certificates and nothing else, warns, and
// sends no tokens of a login.
func TestInsecure(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "AppData", "XDG_CONFIG_HOME"} {
		t.Setenv(name, home)
	}
	web := httptest.NewUnstartedServer(testserver.NewHandler(testserver.New(nil), nil))
	web.Config.ErrorLog = log.New(io.Discard, "", 0)
	web.StartTLS()
	defer web.Close()
	url := web.URL + "/mcp"
	if o := runCommand(t, "call", url, "echo", "message=hi"); o.status != failure.Unreachable || !strings.Contains(o.stderr, "certificate") {
		t.Errorf("%+v", o)
	}
	for _, flag := range []string{"--insecure", "-k"} {
		for _, way := range []string{"auto", "http"} {
			runCommand(t, "call", url, "echo", "message=hi", flag, "-t", way, "-q").want(t, 0, "hi\n", "Warning: --insecure does not verify the certificate")
		}
	}
	runWithServer(t, "tools", "-k").want(t, failure.Usage, "", "type: mcpecho tools -- mcpecho serve\n")
	base := authServer(t, nil) + "/mcp"
	logIn(t, base).want(t, 0, "Logged in to "+base+".\n", "To log in, open this page: ")
	runCommand(t, "call", base, "echo", "message=hi").want(t, 0, "hi\n", "")
	runCommand(t, "ping", base, "-k").want(t, failure.Forbidden, "", "Warning: --insecure")
}

// The - that stands for standard input may be left out if another program or a file has
// the arguments. A call without required arguments does not read it.
func TestPipedArguments(t *testing.T) {
	t.Parallel()
	call := func(in string, args ...string) result {
		return runCommandWithInput(t, in, append(append([]string{"call"}, args...), "--", "mcpecho", "serve")...)
	}
	call(`{"message":"hi"}`, "echo").want(t, 0, "hi\n", "")
	call("\n {\"a\":2,\n\"b\":40}\n", "add").want(t, 0, "42\n", "")
	call("", "echo").want(t, failure.Usage, "", `the tool "echo" requires message`)
	call("hello", "echo").want(t, failure.Usage, "", `the tool "echo" requires message`)
	call(`{"message":`, "echo").want(t, failure.Usage, "", "invalid standard input")
	call(`{"message":"no"}`, "echo", "message=hi").want(t, 0, "hi\n", "")
	// A pipe that stays open and empty does not hold up the error.
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	defer read.Close()
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), serverArgs(t, []string{"call", "echo", "--", "mcpecho", "serve"}), &environment{stdin: read, stdout: &stdout, stderr: &stderr, getenv: os.Getenv, self: mcpechoPath(t), name: "mcpecho"})
	if status != failure.Usage || !strings.Contains(stderr.String(), "requires message") {
		t.Errorf("%d, %s", status, stderr.String())
	}
}
