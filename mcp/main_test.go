package mcp_test

import (
	"testing"

	"github.com/stdmcp/stdmcp/internal/testserver/childserver"
	"github.com/stdmcp/stdmcp/internal/testutil"
)

// TestMain is the server when a test starts one, and fails when tests leave
// something behind.
func TestMain(m *testing.M) {
	childserver.Main()
	testutil.Main(m)
}
