package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/internal/testutil"
	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// sentServer returns the URL of a server that sends these results for its tool t, its
// prompt p and its resource a://b.
func sentServer(t *testing.T, results map[string]string) string {
	t.Helper()
	s := mcptest.New(t)
	ignored := func(*mcptest.Call) (any, error) { return "", nil }
	s.Tool("t", nil, ignored)
	s.Prompt("p", ignored)
	s.Resource("a://b", "text/plain", "")
	for method, result := range results {
		s.Inject(method, mcptest.Respond(result), mcptest.Respond(result))
	}
	return s.StartHTTP(nil).URL
}

// TestJSONAddsNothing: --json adds no member that the server has left out.
func TestJSONAddsNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ method, result, command string }{
		{"tools/call", `{"content":[{"type":"text"},{"type":"image"},{"type":"video","url":"u"}],"x":1}`, "call URL t"},
		{"tools/call", `{"structuredContent":{"n": 1.50}}`, "call URL t"},
		{"prompts/get", `{"messages":[{"role":"robot","content":{"type":"text"}}]}`, "prompt URL p"},
		{"resources/read", `{"contents":[{"uri":"a://b"}]}`, "read URL a://b"},
	} {
		url := sentServer(t, map[string]string{c.method: c.result})
		args := strings.Fields(strings.Replace(c.command, "URL", url, 1))
		o := runCommand(t, append(args, "--json", "--protocol", "2025-11-25")...)
		o.want(t, 0, c.result+"\n", "")
	}
	trace := filepath.Join(t.TempDir(), "trace")
	o := runWithServer(t, "info", "--json", "--protocol", "2025-11-25", "--trace", trace)
	o.want(t, 0, recordedResults(t, trace)[0]+"\n", "")
	const tool = `{"name":"t","inputSchema":{"type": "object"},"annotations":{"readOnlyHint":null}}`
	url := sentServer(t, map[string]string{"tools/list": `{"tools":[{"name":"s"},` + tool + `]}`})
	runCommand(t, "info", url, "t", "--json", "--protocol", "2025-11-25").want(t, 0, tool+"\n", "")
}

// TestJSONInAShellAddsNothing: --json changes only the output of a command, although the
// shell has connected without it.
func TestJSONInAShellAddsNothing(t *testing.T) {
	t.Parallel()
	const result = `{"content":[{"type":"text"}]}`
	url := sentServer(t, map[string]string{"tools/call": result})
	runCommandWithInput(t, "call t\ncall t --json\n", "shell", url, "--protocol", "2025-11-25").
		want(t, 0, result+"\n", `mcpecho: the result is malformed: /content/0: "text" is missing`+"\n") // of the first
}

// TestRequestsOfANewSession: what the client sends when it opens another session for a call is not the result of the call.
func TestRequestsOfANewSession(t *testing.T) {
	t.Parallel()
	server := mcptest.New(t)
	server.Tool("t", nil, func(*mcptest.Call) (any, error) { return "text", nil })
	client := server.Connect(&mcp.Options{ProtocolVersions: []string{"2025-11-25"}, Interceptors: []mcp.Interceptor{new(conversation).keepSent}})
	ctx, kept := sentTo(t.Context())
	_, err := client.CallTool(ctx, "t", nil)
	testutil.Must(t, err)
	_ = client.SetLogLevel(ctx, "debug")
	testutil.Must(t, client.Ping(ctx))
	if !strings.Contains(string(*kept), "text") {
		t.Errorf("%s", *kept)
	}
}

// TestUnknownContent: mcpecho prints content of an unknown type as JSON, and warns the user.
func TestUnknownContent(t *testing.T) {
	t.Parallel()
	url := sentServer(t, map[string]string{
		"tools/call":  `{"content":[{"type":"text","text":"a","annotations":{"audience":["user","robot"]}},{"type":"video"},{"x":1},{"type":"resource"},{"type":"image","data":"-","mimeType":"a/b"}]}`,
		"prompts/get": `{"messages":[{"role":"system","content":{"type":"vid"}}]}`,
	})
	o := runCommand(t, "call", url, "t", "--protocol", "2025-11-25")
	o.want(t, 0, "a\n{\"type\":\"video\"}\n{\"x\":1}\n{\"type\":\"resource\"}\n{\"type\":\"image\",\"data\":\"-\",\"mimeType\":\"a/b\"}\n", `mcpecho: content[0]: annotations.audience: the role "robot" is unknown; the specification has "user" and "assistant"
mcpecho: content[1] is shown as JSON: its type "video" is unknown
mcpecho: content[2] is shown as JSON: it has no type
mcpecho: content[3] is shown as JSON: its members are not those of its type
mcpecho: content[4] is shown as JSON: a blob is not valid base64
`)
	o = runCommand(t, "prompt", url, "p", "--protocol", "2025-11-25")
	o.want(t, 0, "{\"type\":\"vid\"}\n", `mcpecho: messages[0]: the role "system" is unknown; the specification has "user" and "assistant"
mcpecho: messages[0] is shown as JSON: its type "vid" is unknown
`)
}
