package mcp_test

import (
	"testing"

	"github.com/stdmcp/stdmcp/internal/leak"
	"github.com/stdmcp/stdmcp/internal/testserver"
)

// TestMain is the server when a test starts one, and fails when tests leave
// something behind.
func TestMain(m *testing.M) {
	testserver.Main()
	leak.Main(m)
}
