package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/flags"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/system"
)

var bothEras = []string{"2026-07-28", "2025-11-25"}

func TestRootsOfFlags(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a folder")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, version := range bothEras {
		o := runWithServer(t, "call", "ask_roots", "--protocol", version, "--root", dir, "--root", ".")
		if o.status != 0 || !strings.Contains(o.stdout, `{"uri":"`+flags.FileURI(dir)+`","name":"a folder"},{"uri":"file:///`) {
			t.Errorf("%s: %+v", version, o)
		}
		o = runWithServer(t, "call", "ask_roots", "--protocol", version)
		if want := "the server asks for directories: add --root DIR\n"; o.status != failure.Refused || !strings.Contains(o.stderr, want) {
			t.Errorf("%s: no %q in %+v", version, want, o)
		}
	}
	runWithServer(t, "tools", "--root", filepath.Join(dir, "none")).want(t, failure.Usage, "", "none")
	runWithServer(t, "tools", "--root", mcpechoPath(t)).want(t, failure.Usage, "", "must be a directory")
	runCommandWithInput(t, "call ask_roots\n", "shell", "--", "mcpecho", "serve").want(t, failure.Refused, "", "add --root DIR to the command line that starts the shell")
}

// TestQuotesOfSystemShell: on Windows cmd.exe gets them as the user typed them.
func TestQuotesOfSystemShell(t *testing.T) {
	t.Parallel()
	out, err := system.Shell(t.Context(), `echo "a b" "c"&& echo d`).Output()
	want := "a b c\nd\n"
	if runtime.GOOS == "windows" {
		want = "\"a b\" \"c\"\r\nd\r\n"
	}
	if err != nil || string(out) != want {
		t.Errorf("%q, %v", out, err)
	}
}

func TestSamplingByProgram(t *testing.T) {
	if !apart(t) {
		return
	}
	if runtime.GOOS == "windows" {
		t.Skip("the programs are lines of sh")
	}
	t.Chdir(t.TempDir())
	const failed = "the client's model failed"
	for _, version := range bothEras {
		for _, test := range []struct {
			program string
			status  int
			want    string // a part of the output, or of the errors
		}{
			{"cat > request; echo Paris", 0, `{"role":"assistant","content":{"type":"text","text":"Paris"},"model":"cat","stopReason":"endTurn"}`},
			{`echo '{"city": "Paris"}'`, 0, `{\"city\": \"Paris\"}`},
			{`echo '{"content":{"type":"text","text":"Rome"},"role":"assistant","model":"m1"}'`, 0, `"text":"Rome"},"model":"m1"`},
			{`echo '{"content":7}'`, failure.Refused, "not a result of sampling/createMessage"},
			{"true", failure.Refused, "--sampling true failed: it wrote nothing to standard output"},
			{"echo 'no \033[31mmodel' >&2; exit 3", failure.Refused, "failed: exit status 3\n\tno \\u001b[31mmodel\n"},
			{"head -c 17000000 /dev/zero", failure.Refused, "longer than 16777216 bytes"},
		} {
			o := runWithServer(t, "call", "ask_sampling", "--protocol", version, "--sampling", test.program)
			text := o.stdout
			if test.status != 0 {
				text = o.stderr
			}
			if o.status != test.status || !strings.Contains(text, test.want) || test.status != 0 && !strings.Contains(o.stderr, failed) {
				t.Errorf("%s, %s: no %q in %+v", version, test.program, test.want, o)
			}
			if _, server, _ := strings.Cut(o.stderr, "mcpecho: server"); strings.Contains(server, "no \\u001b") {
				t.Errorf("the server received details: %+v", o)
			}
		}
		request, err := os.ReadFile("request")
		if err != nil || !strings.HasPrefix(string(request), `{"messages":[{"role":"user","content":{"type":"text"`) || !strings.HasSuffix(string(request), "}\n") {
			t.Errorf("%s: request %q, %v", version, request, err)
		}
		o := runWithServer(t, "call", "ask_sampling", "--protocol", version)
		if want := "the server asks for a model: add --sampling COMMAND"; o.status != failure.Refused || !strings.Contains(o.stderr, want) {
			t.Errorf("%s: no %q in %+v", version, want, o)
		}
	}
	runWithServer(t, "tools", "--sampling", " ").want(t, failure.Usage, "", "must be a command")
}

// A failed tool may say only in its text that the client lacks a capability.
func TestMissingAnswerOfOtherServers(t *testing.T) {
	t.Parallel()
	c, err := parse(&environment{name: "mcpecho", stdin: strings.NewReader("")}, []string{"call", "x", "--", "server"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"Client does not support sampling (required for sampling/createMessage)":            "--sampling COMMAND",
		"MCP error -32603: Client does not support listing roots (required for roots/list)": "--root DIR",
		"the client has no money": "", "sampling is fun": "",
	} {
		if got := c.missingIn(text); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q", text, got)
		}
	}
}
