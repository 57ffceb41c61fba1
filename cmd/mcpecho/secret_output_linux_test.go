package main

import (
	"strings"
	"testing"

	"github.com/stdmcp/stdmcp/mcp"
	"github.com/stdmcp/stdmcp/mcp/mcptest"
)

// TestSecretsBesideResults: a server repeats a secret header in its log, in the type of
// an image, in names, and where what mcpecho shows is cut. Further lines are
// indented, or blanks take the place of line breaks.
func TestSecretsBesideResults(t *testing.T) {
	t.Parallel()
	s := mcptest.New(t)
	s.Lenient = true
	def := s.Tool("t", mcp.RawMessage(`{"type":"object"}`), func(c *mcptest.Call) (any, error) {
		c.Log(mcp.LevelError, "log of hunter22\nmcpecho: forged")
		return &mcp.CallToolResult{
			Content:           []mcp.Content{{Type: mcp.ContentImage, Data: "eA==", MIMEType: "image/hunter22"}, mcp.TextContent("text")},
			StructuredContent: mcp.RawMessage(`{"a\nmcpecho: forged":"x"}`),
		}, nil
	})
	def.OutputSchema = mcp.RawMessage(`{"type":"object","additionalProperties":{"type":"integer"}}`)
	s.Tool("hunter22 and more", nil, func(*mcptest.Call) (any, error) { return "", nil })
	url := s.StartHTTP(nil).URL
	o := runCommand(t, "call", url, "t", "-v", "-H", "X-Key: hunter22")
	for _, want := range []string{"log of ***\n\tmcpecho: forged", "Not shown: image/***, 1 bytes", "violates its output schema: structuredContent: /a mcpecho: forged"} {
		if !strings.Contains(o.stderr, want) {
			t.Errorf("%q is missing in %s", want, o.stderr)
		}
	}
	if strings.Contains(o.stderr, "hunter22") {
		t.Error(o.stderr)
	}
	for _, args := range [][]string{{"check", url}, {"check", url, "--json"}} {
		if o := runCommand(t, append(args, "-t", "http", "--protocol", "2025-11-25", "-H", "X-Key: hunter22")...); !strings.Contains(o.stdout, "*** and more") || strings.Contains(o.stdout, "hunter") {
			t.Errorf("%q: %s", args, o.stdout)
		}
	}
}

// TestSecretsAreMaskedBeforeTextsAreCut: no part of a secret is left at the end of what
// mcpecho quotes.
func TestSecretsAreMaskedBeforeTextsAreCut(t *testing.T) {
	t.Parallel()
	for _, most := range []int{100, 200} {
		server := "echo " + strings.Repeat("x", most-4) + "$KEY"
		for _, args := range [][]string{{"tools"}, {"tools", "-v"}, {"check", "--protocol", "2025-11-25", "--timeout", "100ms"}} {
			command := server
			if args[0] == "check" {
				command += `; read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"n","version":"1"}}}'; read -r line; read -r line`
			}
			o := runCommand(t, append(args, "-e", "KEY=hunter22", "--", "sh", "-c", command)...)
			if strings.Contains(o.stdout+o.stderr, "hunt") || !strings.Contains(o.stdout+o.stderr, "xxx") {
				t.Errorf("%q: %s%s", args, o.stdout, o.stderr)
			}
		}
	}
}
