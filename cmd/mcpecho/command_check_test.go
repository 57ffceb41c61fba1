package main

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	runWithServer(t, "check").want(t, 0, "stdio, 2026-07-28: nothing wrong\nstdio, 2025-11-25: nothing wrong\n", "")
	runWithServer(t, "check", "--protocol", "2024-11-05").want(t, 0, "stdio, 2024-11-05: nothing wrong\n", "")
	runWithServer(t, "check", "--json", "--protocol", "2024-11-05").want(t, 0,
		`{"checks":[{"transport":"stdio","protocolVersion":"2024-11-05","findings":[]}]}`+"\n", "")
	web, err := serveWeb("127.0.0.1:0", nil, false) // violations are the purpose
	if err != nil {
		t.Fatal(err)
	}
	defer web.close()
	want := "Streamable HTTP, 2026-07-28: nothing wrong\nStreamable HTTP, 2025-11-25: nothing wrong\n"
	runCommand(t, "check", web.url).want(t, 0, want, "")
	runCommand(t, "check", web.sse, "-t", "sse").want(t, 0, "HTTP+SSE, 2025-11-25: nothing wrong\n", "")
}

func TestCheckFindsFaults(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]string{
		"same-cursor": "wrong    tools/list: ",
	} {
		o := runWithFault(t, &testserver.Options{Fault: fault}, "check", "--protocol", "2025-11-25")
		if o.status != statusRefused || !strings.Contains(o.stdout, want) || !strings.Contains(o.stderr, "mcpecho: the server has ") {
			t.Errorf("%s: %+v", fault, o)
		}
	}
}

func TestCheckOfNoServer(t *testing.T) {
	t.Parallel()
	runCommand(t, "check", "--", "mcpecho-no-such-program").want(t, statusUnreachable, "", "the program was not found")
	if o := runCommand(t, "check", "http://127.0.0.1:1/mcp"); o.status != statusUnreachable || o.stdout != "" {
		t.Errorf("%+v", o)
	}
}
