package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/failure"
	"github.com/stdmcp/stdmcp/cmd/mcpecho/internal/serve"
	"github.com/stdmcp/stdmcp/internal/testserver"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
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
	if o := runCommand(t, "check", closedURL(t)); o.status != failure.Unreachable || o.stdout != "" {
		t.Errorf("%+v", o)
	}
}

// With --call, check calls the tools that are marked read-only, and no other one.
func TestCheckCallsTools(t *testing.T) {
	t.Parallel()
	s := mcptest.New(t)
	s.Lenient = true
	for name, readOnly := range map[string]bool{"reads": true, "writes": false} {
		tool := s.Tool(name, `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`, func(*mcptest.Call) (any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: mcp.RawMessage(`{"sum":"3"}`)}, nil
		})
		tool.OutputSchema = mcp.RawMessage(`{"type":"object","properties":{"sum":{"type":"number"}}}`)
		tool.Annotations = &mcp.ToolAnnotations{ReadOnlyHint: &readOnly}
	}
	url := s.StartHTTP(nil).URL
	if o := runCommand(t, "check", url, "-t", "http", "--protocol", "2025-11-25"); o.status != 0 || strings.Contains(o.stdout, "wrong") {
		t.Errorf("%+v", o)
	}
	s.WantCalls("reads", 0)
	o := runCommand(t, "check", url, "-t", "http", "--protocol", "2025-11-25", "--call")
	if o.status != failure.Refused || !strings.Contains(o.stdout, `wrong    tool "reads": its result violates its output schema: structuredContent: /sum: want number, got string`) {
		t.Errorf("%+v", o)
	}
	if want := "  called   1 tool: reads\n  left out 1 tool: writes\n"; !strings.Contains(o.stdout, want) {
		t.Errorf("%s\nwant %s", o.stdout, want)
	}
	s.WantCall("reads", map[string]any{"n": 1})
	s.WantCalls("writes", 0)
}

// The flags that limit and show the messages of other commands do so here.
func TestCheckObservesItsFlags(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "trace")
	runWithServer(t, "check", "--trace", trace).inTime().want(t, 0, "stdio, 2026-07-28: nothing wrong\nstdio, 2025-11-25: nothing wrong\n", "")
	data, err := os.ReadFile(trace)
	if err != nil || !strings.Contains(string(data), `"method":"initialize"`) || !strings.Contains(string(data), `"method":"server/discover"`) {
		t.Errorf("%s, %v", data, err)
	}
	silent := mcptest.New(t)
	silent.Lenient = true
	silent.Tool("t", nil, func(*mcptest.Call) (any, error) { return "", nil })
	silent.Inject("tools/list", mcptest.Drop())
	o := runCommand(t, "check", silent.StartHTTP(nil).URL, "-t", "http", "--protocol", "2025-11-25", "--timeout", "50ms")
	if o.status != failure.Refused || !strings.Contains(o.stdout, "no response within 50ms") {
		t.Errorf("%+v", o)
	}
	runWithServer(t, "check", "--trace", filepath.Join(trace, "missing")).want(t, failure.Usage, "", "missing")
}
