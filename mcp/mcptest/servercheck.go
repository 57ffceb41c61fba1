package mcptest

import (
	"testing"

	"github.com/stdmcp/stdmcp/internal/servercheck"
	"github.com/stdmcp/stdmcp/mcp"
)

// TestServer checks the server that a transport connects to, and fails the test for
// each thing that clients stumble over: messages that they discard, lists that
// cannot be read, invalid schemas, resources that are listed and cannot be read,
// unknown methods, tools and resources that are not refused, and silence. It logs
// what the specification permits and models or providers do not. It calls no tool.
func TestServer(t testing.TB, tr mcp.Transport) {
	t.Helper()
	found, err := servercheck.Check(t.Context(), tr)
	for _, f := range found {
		if f.Warning {
			t.Logf("mcptest: warning: %s", f)
		} else {
			t.Errorf("mcptest: %s", f)
		}
	}
	if err != nil {
		t.Errorf("mcptest: %v", err)
	}
}
