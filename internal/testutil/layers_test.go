package testutil

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// protocol matches names of MCP methods and protocol versions.
var protocol = regexp.MustCompile(`\binitialized?\b|"ping"|\b20\d\d-\d\d-\d\d\b|` +
	`\b(completion|elicitation|logging|notifications|prompts|resources|roots|sampling|server|subscriptions|tasks|tools)/[a-z]+\b`)

// TestTransportsNameNoMethod: package mcp decides what depends on a method or on
// the protocol version, and passes it in a field of jsonrpc.Request.
func TestTransportsNameNoMethod(t *testing.T) {
	for _, dir := range []string{"mcp/jsonrpc", "mcp/stdio", "mcp/sse", "mcp/streamhttp", "internal/httpx"} {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				if name := protocol.FindString(line); name != "" {
					t.Errorf("%s:%d names %s", file, i+1, name)
				}
			}
		}
	}
}
