package mcptest

import (
	"testing"

	"github.com/stdmcp/stdmcp/internal/servercheck"
	"github.com/stdmcp/stdmcp/mcp"
)

// TestServer checks the server that a transport connects to, and fails the test for
// each problem that clients would have with it: messages that they discard, lists
// that cannot be read, invalid schemas, listed resources that it does not have,
// unknown methods, tools and resources that the server does not refuse, and missing
// responses. It logs what the specification permits but models or providers reject,
// and listed resources that the server refuses to read, as their state may require.
// It calls no tool.
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
