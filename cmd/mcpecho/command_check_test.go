package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/serve"
	"github.com/stdmcp/stdmcp/internal/testserver"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	runWithServer(t, "check").inTime().want(t, 0, "stdio, 2026-07-28: nothing wrong\nstdio, 2025-11-25: nothing wrong\n", "")
	runWithServer(t, "check", "--protocol", "2024-11-05").inTime().want(t, 0, "stdio, 2024-11-05: nothing wrong\n", "")
	runWithServer(t, "check", "--json", "--protocol", "2024-11-05").inTime().want(t, 0,
		`{"checks":[{"transport":"stdio","protocolVersion":"2024-11-05","findings":[]}]}`+"\n", "")
	web, err := serve.Start("127.0.0.1:0", nil, false) // violations are the purpose
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	want := "Streamable HTTP, 2026-07-28: nothing wrong\nStreamable HTTP, 2025-11-25: nothing wrong\n"
	runCommand(t, "check", web.URL).inTime().want(t, 0, want, "")
	runCommand(t, "check", web.SSE, "-t", "sse").inTime().want(t, 0, "HTTP+SSE, 2025-11-25: nothing wrong\n", "")
}

var lateEnd = regexp.MustCompile(`\n  careful  closing: the server takes [^ ]+ to end after its client is gone\n|` +
	`\{"severity":"warning","where":"closing","message":"the server takes [^"]*"\}`)

// inTime removes the finding that the server ends late, as processes and
// connections do on a busy machine.
func (o result) inTime() result {
	o.stdout = lateEnd.ReplaceAllStringFunc(o.stdout, func(found string) string {
		if found[0] == '\n' {
			return " nothing wrong\n"
		}
		return ""
	})
	return o
}

func TestCheckFindsFaults(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]string{
		"same-cursor": "wrong    tools/list: ",
	} {
		o := runWithFault(t, &testserver.Options{Fault: fault}, "check", "--protocol", "2025-11-25")
		if o.status != failure.Refused || !strings.Contains(o.stdout, want) || !strings.Contains(o.stderr, "mcpecho: the server has ") {
			t.Errorf("%s: %+v", fault, o)
		}
	}
}

func TestCheckOfNoServer(t *testing.T) {
	t.Parallel()
	runCommand(t, "check", "--", "mcpecho-no-such-program").want(t, failure.Unreachable, "", "the program was not found")
	if o := runCommand(t, "check", "http://127.0.0.1:1/mcp"); o.status != failure.Unreachable || o.stdout != "" {
		t.Errorf("%+v", o)
	}
}
