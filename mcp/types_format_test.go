package mcp_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
)

// TestPrintedValues prints values as a program that is debugged does: schemas and
// structured content are text, not decimal bytes.
func TestPrintedValues(t *testing.T) {
	tool := mcp.Tool{Name: "echo", InputSchema: mcp.RawMessage(`{"type":"object"}`)}
	res := &mcp.CallToolResult{Content: []mcp.Content{mcp.TextContent("hi")}, StructuredContent: mcp.RawMessage(`{"a":1}`)}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "tool", tool)
	for _, test := range []struct{ got, want string }{
		{fmt.Sprint(tool), `{"name":"echo","inputSchema":{"type":"object"}}`},
		{fmt.Sprintf("%+v", []*mcp.Tool{&tool}), `[{"name":"echo","inputSchema":{"type":"object"}}]`},
		{fmt.Sprintf("%s", mcp.TextContent("hi")), `{"type":"text","text":"hi"}`},
		{fmt.Sprint(mcp.Content{Type: "new", Raw: mcp.RawMessage(`{"type":"new","x":1}`)}), `{"type":"new","x":1}`},
		{fmt.Sprintf("%#v", res), `{"content":[{"type":"text","text":"hi"}],"structuredContent":{"a":1}}`},
		{fmt.Sprint(mcp.Content{Type: "no such type"}), "%!v(content of no known type, or of type resource without a resource)"},
		{log.String(), `tool="{\"name\":\"echo\"`},
	} {
		if !strings.Contains(test.got, test.want) {
			t.Errorf("printed %s, want %s", test.got, test.want)
		}
	}
}

func TestDisplayName(t *testing.T) {
	for _, test := range []struct {
		value interface{ DisplayName() string }
		want  string
	}{
		{&mcp.Prompt{Name: "n", Title: "t"}, "t"},
		{&mcp.Prompt{Name: "n"}, "n"},
		{&mcp.Resource{URI: "u", Name: "n", Title: "t"}, "t"},
		{&mcp.Resource{URI: "u", Name: "n"}, "n"},
		{&mcp.Resource{URI: "u"}, "u"},
		{&mcp.ResourceTemplate{URITemplate: "u", Title: "t"}, "t"},
		{&mcp.ResourceTemplate{URITemplate: "u"}, "u"},
		{&mcp.Implementation{Name: "n", Title: "t"}, "t"},
		{&mcp.Implementation{Name: "n"}, "n"},
	} {
		if got := test.value.DisplayName(); got != test.want {
			t.Errorf("DisplayName of %T is %q, want %q", test.value, got, test.want)
		}
	}
}
